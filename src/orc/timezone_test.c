/* Time zones: offsets against tables of other implementations, names, rules, damaged files. */
#include "orc/timezone.h"
#include "orc/test_source.h"
#include "orc/timezone_samples.h"
#include "orc/tzfile.h"

/* NULL and a skip when this machine has no zone files. */
static skep_timezone *zone_of(const skep_ctx *ctx, const char *name) {
  skep_timezone *zone = NULL;
  skep_err err;
  skep_status status = skep_timezone_open(ctx, name, strlen(name), &zone, &err);
  if (status == SKEP_ERR_NOT_FOUND && skep_timezone_open(ctx, "Europe/London", 13, &zone, NULL) == SKEP_ERR_NOT_FOUND)
    skip();
  if (status != SKEP_OK) fail_msg("%s: %s", name, err.text);
  return zone;
}

static void check_samples(const sample *samples, size_t n, bool local) {
  skep_ctx ctx;
  skep_timezone *zone = NULL;
  skep_timezone_range range = {0};
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < n; i++) {
    const sample *s = &samples[i];
    if (i == 0 || strcmp(s->zone, samples[i - 1].zone) != 0) {
      skep_timezone_free(zone);
      zone = zone_of(&ctx, s->zone);
      range = (skep_timezone_range){0};
    }
    int32_t offset = local ? skep_timezone_offset_local(zone, s->seconds) : skep_timezone_offset(zone, s->seconds);
    int32_t near = local ? skep_timezone_offset_local_near(zone, &range, s->seconds)
                         : skep_timezone_offset_near(zone, &range, s->seconds);
    if (offset != s->offset || near != s->offset)
      fail_msg("%s at %lld: %d, near %d, expected %d", s->zone, (long long)s->seconds, offset, near, s->offset);
    assert_true(range.from <= s->seconds && s->seconds < range.until);
  }
  skep_timezone_free(zone);
}

static void test_instants_have_the_offsets_of_the_zone_database(void **state) {
  (void)state;
  check_samples(instants, sizeof instants / sizeof instants[0], false);
}

static void test_gaps_take_the_offset_before_and_overlaps_the_later_instant(void **state) {
  (void)state;
  check_samples(wall_clocks, sizeof wall_clocks / sizeof wall_clocks[0], true);
}

static void test_before_1900_java_has_the_present_standard_offset(void **state) {
  (void)state;
  check_samples(before_1900, sizeof before_1900 / sizeof before_1900[0], false);
}

static void test_ranges_are_maximal_and_lie_side_by_side(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_timezone *zone = zone_of(&ctx, "US/Pacific");
  size_t n = 0;
  for (int64_t t = INT64_C(-3000000000); t < INT64_C(20000000000); n++) {
    skep_timezone_range r = skep_timezone_range_utc(zone, t);
    assert_true(r.from <= t && t < r.until);
    if (r.from > INT64_MIN) assert_int_equal(skep_timezone_range_utc(zone, r.from - 1).until, r.from);
    t = r.until;
  }
  assert_true(n > 1200 && n < 1400); /* about two a year for 634 years, fewer before 1967 */
  skep_timezone_range last = skep_timezone_range_utc(zone, INT64_MAX);
  assert_true(last.offset == -8 * 3600 || last.offset == -7 * 3600);
  assert_int_equal(skep_timezone_offset(zone, INT64_MIN), -8 * 3600);
  skep_timezone_free(zone);
}

static void test_names_of_fixed_offsets_and_java_ids(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int32_t offset;
  } names[] = {{"UTC", 0},          {"GMT", 0},
               {"UT", 0},           {"Z", 0},
               {"GMT+8", 28800},    {"GMT-03:00", -10800},
               {"GMT+0530", 19800}, {"+05:30", 19800},
               {"-08:00", -28800},  {"UTC+03:00", 10800},
               {"UT-1", -3600},     {"+01:02:03", 3723},
               {"EST", -18000},     {"MST", -25200},
               {"HST", -36000},     {"SystemV/PST8", -28800},
               {"GMT+00:00", 0},    {"+00:00", 0}};
  skep_ctx ctx;
  skep_err err;
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    skep_timezone *zone;
    if (skep_timezone_open(&ctx, names[i].name, strlen(names[i].name), &zone, &err) != SKEP_OK)
      fail_msg("%s", err.text);
    if (skep_timezone_offset(zone, 1400000000) != names[i].offset) fail_msg("%s", names[i].name);
    assert_int_equal(skep_timezone_offset_local(zone, INT64_MIN), names[i].offset);
    assert_true(skep_timezone_is_utc(zone) == (names[i].offset == 0));
    skep_timezone_free(zone);
  }
  skep_timezone *zone = zone_of(&ctx, "PST");
  assert_int_equal(skep_timezone_offset(zone, 1400000000), -7 * 3600); /* May 2014: Los Angeles, not a fixed offset */
  assert_false(skep_timezone_is_utc(zone));
  skep_timezone_free(zone);
  zone = zone_of(&ctx, "Etc/UTC");
  assert_true(skep_timezone_is_utc(zone));
  skep_timezone_free(zone);
}

static void test_names_that_are_none_are_not_found(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t length;
    const char *text;
  } names[] = {
      {"Mars/Olympus", 12, "time zone \"Mars/Olympus\" is not in /usr/share/zoneinfo (package tzdata)"},
      {"America", 7, "time zone \"America\" is not in /usr/share/zoneinfo (package tzdata)"},
      {"../../../etc/passwd", 19, "time zone \"../../../etc/passwd\" is not a name of one"},
      {"Europe/../UTC", 13, "time zone \"Europe/../UTC\" is not a name of one"},
      {"/etc/localtime", 14, "time zone \"/etc/localtime\" is not a name of one"},
      {"UTC\0x", 5, "time zone \"UTC\\x00x\" is not a name of one"},
      {"Europe/", 7, "time zone \"Europe/\" is not a name of one"},
      {"", 0, "time zone \"\" is not a name of one"},
      {"GMT+24", 6, "time zone \"GMT+24\" is not in /usr/share/zoneinfo (package tzdata)"},
      {"+5:", 3, "time zone \"+5:\" is not a name of one"},
  };
  skep_ctx ctx;
  skep_err err;
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    skep_timezone *zone = (skep_timezone *)&ctx;
    assert_int_equal(skep_timezone_open(&ctx, names[i].name, names[i].length, &zone, &err), SKEP_ERR_NOT_FOUND);
    assert_string_equal(err.text, names[i].text);
    assert_null(zone);
  }
  char endless[5000];
  skep_timezone *zone;
  memset(endless, 'A', sizeof endless);
  assert_int_equal(skep_timezone_open(&ctx, endless, sizeof endless, &zone, &err), SKEP_ERR_NOT_FOUND);
}

/* 1970-01-01 days of changes in UTC, checked by hand with a calendar. */
static void test_rules_in_every_form_give_their_dates(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t year, first, second; /* 0, 0: no daylight saving time */
  } rules[] = {
      {"UTC0", 2024, 0, 0},
      {"<+03>-3", 2024, 0, 0},
      {"<-00>0", 2024, 0, 0},
      {"PST8PDT,M3.2.0,M11.1.0", 2024, 1710064800, 1730624400},       /* 10 March 10:00Z, 3 November 09:00Z */
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", 2024, 1712419200, 1728144000}, /* 6 April 16:00Z, 5 October 16:00Z */
      {"IST-1GMT0,M10.5.0,M3.5.0/1", 2024, 1711846800, 1729990800},   /* 31 March 01:00Z, 27 October 01:00Z */
      {"AAA0BBB,J59/0,J60/0", 2024, 1709078400, 1709247600},          /* 28 February 00:00Z; 1 March less an hour */
      {"AAA0BBB,58/0,59/0", 2024, 1709078400, 1709161200},            /* the 59th and 60th day, 29 February counted */
      {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2024, 1711846800, 1729990800},      /* Nuuk: Saturday 23:00 local */
      {"AAA-2BBB,M3.4.4/50,M10.4.4/50", 2024, 1711756800, 1729897200},        /* 30 March 00:00Z, 25 October 23:00Z */
      {"AAA3:30:15BBB-1:00,M1.1.1/0,M2.1.1/0", 2024, 1704079815, 1707087600}, /* offsets with seconds */
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    skep_tz_rule rule;
    skep_tz_change two[2];
    skep_err err;
    if (skep_tz_rule_parse(rules[i].text, strlen(rules[i].text), &rule, &err) != SKEP_OK) fail_msg("%s", err.text);
    size_t n = skep_tz_rule_year(&rule, rules[i].year, two);
    assert_int_equal(n, rules[i].first == 0 ? 0 : 2);
    if (n == 2 && (two[0].at != rules[i].first || two[1].at != rules[i].second))
      fail_msg("%s: %lld %lld", rules[i].text, (long long)two[0].at, (long long)two[1].at);
  }
}

static void test_malformed_rules_fail_and_are_quoted(void **state) {
  (void)state;
  static const char *const texts[] = {"A",
                                      "AB1",
                                      "ABC",
                                      "<AB",
                                      "ABC1D",
                                      "ABC1DEF",
                                      "ABC1DEF,M3.2.0",
                                      "ABC1DEF,M0.2.0,M3.2.0",
                                      "ABC1DEF,M3.6.0,M4.1.0",
                                      "ABC1DEF,M3.1.7,M4.1.0",
                                      "ABC1DEF,J0,J2",
                                      "ABC1DEF,J366,J2",
                                      "ABC1DEF,366,2",
                                      "ABC1DEF,M3.2.0/168,M4.1.0",
                                      "ABC1DEF,M3.2.0,M4.1.0x",
                                      "ABC26",
                                      "ABC1:60",
                                      "ABC99999999999999999999",
                                      "ABC1DEF,M3.2.0/,M4.1.0",
                                      "ABC-",
                                      "\x01"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    skep_tz_rule rule;
    skep_err err;
    if (skep_tz_rule_parse(texts[i], strlen(texts[i]), &rule, &err) != SKEP_ERR_CORRUPT) fail_msg("%s", texts[i]);
    assert_memory_equal(err.text, "time zone rule \"", 16);
  }
}

/* Version 2 file of a made-up zone: local mean time +100 until 1890, +7200 until 1910-01-01, +3600 until 2000-01-01,
 * then a rule. */
static const uint8_t small_file[] =
    {'T',  'Z',  'i',  'f',  '2',  0,    0,    0,    0,    0,    0,   0,   0,   0,   0,    0,
     0,    0,    0,    0, /* header: version, 15 unused */
     0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,   0,   0,   0,   0,    0,
     0,    0,    0,    1,    0,    0,    0,    1, /* no times, one type, one name byte */
     0,    0,    0,    0,    0,    0,    0,       /* the type, the name */
     'T',  'Z',  'i',  'f',  '2',  0,    0,    0,    0,    0,    0,   0,   0,   0,   0,    0,
     0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,   0,   0,   0,   0,    0,
     0,    0,    0,    3,    0,    0,    0,    3,    0,    0,    0,   4, /* three times, three types, four name bytes */
     0xff, 0xff, 0xff, 0xff, 0x69, 0x86, 0xdb, 0x80,                     /* -2524521600: 1890 */
     0xff, 0xff, 0xff, 0xff, 0x8f, 0x24, 0x27, 0x80,                     /* -1893456000: 1910 */
     0,    0,    0,    0,    0x38, 0x6d, 0x43, 0x80,                     /* 946684800: 2000-01-01 */
     1,    2,    2,                                                      /* types; the third changes nothing */
     0,    0,    0,    100,  0,    0,    0,    0,    0x1c, 0x20, 0,   0,   0,   0,   0x0e, 0x10,
     0,    0,    'A',  'B',  'C',  0,    '\n', 'A',  'B',  'C',  '-', '1', 'D', 'E', 'F',  ',',
     'M',  '3',  '.',  '5',  '.',  '0',  ',',  'M',  '1',  '0',  '.', '5', '.', '0', '\n'};

static void test_a_file_becomes_javas_table(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  skep_timezone *zone;
  skep_ctx_init(&ctx);
  if (skep_timezone_parse(&ctx, small_file, sizeof small_file, &zone, &err) != SKEP_OK) fail_msg("%s", err.text);
  assert_int_equal(skep_timezone_offset(zone, INT64_C(-2524521601)), 3600); /* not 100: before 1900 */
  assert_int_equal(skep_timezone_offset(zone, INT64_C(-2208988801)), 3600);
  assert_int_equal(skep_timezone_offset(zone, INT64_C(-2208988800)), 7200); /* 1900 */
  assert_int_equal(skep_timezone_offset(zone, INT64_C(-1893456001)), 7200);
  assert_int_equal(skep_timezone_offset(zone, INT64_C(-1893456000)), 3600);
  assert_int_equal(skep_timezone_offset(zone, 946684800), 3600);
  assert_int_equal(skep_timezone_offset(zone, 1720000000), 7200);           /* July 2024 */
  assert_int_equal(skep_timezone_offset(zone, INT64_C(33460000000)), 7200); /* in April 3030 */
  skep_timezone_free(zone);
}

static void test_damaged_files_fail_or_give_offsets(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_timezone *zone;
  skep_err err;
  skep_ctx_init(&ctx);
  for (size_t n = 0; n < sizeof small_file; n++) {
    uint8_t *cut = malloc(n + 1); /* exact size, for the sanitizer */
    memcpy(cut, small_file, n);
    assert_int_equal(skep_timezone_parse(&ctx, cut, n, &zone, &err), SKEP_ERR_CORRUPT);
    assert_null(zone);
    free(cut);
  }
  uint8_t changed[sizeof small_file];
  for (size_t i = 0; i < sizeof small_file; i++) {
    for (unsigned x = 1; x < 256; x++) {
      memcpy(changed, small_file, sizeof changed);
      changed[i] ^= (uint8_t)x;
      if (skep_timezone_parse(&ctx, changed, sizeof changed, &zone, &err) != SKEP_OK) continue;
      for (int64_t t = INT64_C(-3000000000); t < INT64_C(5000000000); t += 300000007) {
        int32_t offset = skep_timezone_offset(zone, t);
        assert_true(offset >= -26 * 3600 && offset <= 26 * 3600);
        (void)skep_timezone_offset_local(zone, t);
      }
      skep_timezone_free(zone);
    }
  }
}

static void *few_alloc(void *self, size_t size) { return (*(size_t *)self)-- == 0 ? NULL : malloc(size); }
static void *few_resize(void *self, void *block, size_t size) {
  return (*(size_t *)self)-- == 0 ? NULL : realloc(block, size);
}
static void few_release(void *self, void *block) {
  (void)self;
  free(block);
}

static void test_failing_allocations_pass_through(void **state) {
  (void)state;
  skep_ctx ctx;
  size_t left;
  skep_timezone *zone = NULL;
  skep_err err;
  skep_ctx_init(&ctx);
  skep_timezone_free(zone_of(&ctx, "Europe/London")); /* skips the test when there are no files */
  ctx.allocator = (skep_allocator){few_alloc, few_resize, few_release, &left};
  size_t n = 0;
  skep_status status = SKEP_ERR_NOMEM;
  for (; status != SKEP_OK; n++) {
    assert_true(n < 100);
    left = n;
    status = skep_timezone_open(&ctx, "Europe/London", 13, &zone, &err);
    if (status != SKEP_OK) assert_null(zone);
    if (status != SKEP_OK) assert_int_equal(status, SKEP_ERR_NOMEM);
  }
  skep_timezone_free(zone);
  assert_true(n >= 4); /* file system, file, its bytes, the table */
}

static void test_years_are_found_on_both_sides_of_0(void **state) {
  (void)state;
  for (int64_t year = -5000; year < 12000; year++) {
    int64_t days = skep_tz_days_to(year);
    assert_int_equal(skep_tz_year_of(days), year);
    assert_int_equal(skep_tz_year_of(days - 1), year - 1);
  }
  assert_int_equal(skep_tz_days_to(1970), 0);
  assert_int_equal(skep_tz_days_to(1), -719162);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instants_have_the_offsets_of_the_zone_database),
      cmocka_unit_test(test_gaps_take_the_offset_before_and_overlaps_the_later_instant),
      cmocka_unit_test(test_before_1900_java_has_the_present_standard_offset),
      cmocka_unit_test(test_ranges_are_maximal_and_lie_side_by_side),
      cmocka_unit_test(test_names_of_fixed_offsets_and_java_ids),
      cmocka_unit_test(test_names_that_are_none_are_not_found),
      cmocka_unit_test(test_rules_in_every_form_give_their_dates),
      cmocka_unit_test(test_malformed_rules_fail_and_are_quoted),
      cmocka_unit_test(test_a_file_becomes_javas_table),
      cmocka_unit_test(test_damaged_files_fail_or_give_offsets),
      cmocka_unit_test(test_failing_allocations_pass_through),
      cmocka_unit_test(test_years_are_found_on_both_sides_of_0),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

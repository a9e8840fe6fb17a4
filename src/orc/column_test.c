/* Columns decoded from streams written by hand: every kind's odd values, and streams that lie.
 *
 * Integer runs are version 1: a header h below 128 is a run of h + 3 values with a step byte and a first value; 256 - h
 * literals follow otherwise, as (zigzag) varints. */
#include "orc/test_make.h"

static skep_ctx ctx;

static const uint32_t CHILD_1[] = {1};

/* struct<a:KIND> with n rows. */
static void one_column(make_file *m, uint32_t kind, uint64_t n_rows) {
  memset(m, 0, sizeof *m);
  m->n_rows = n_rows;
  make_type_at(m, 12, 1, "a", CHILD_1, 0, 0);
  make_leaf(m, kind);
}

/* Reads the whole file as JSON lines; the failure in *err otherwise. */
static skep_status read_all(const make_file *m, const skep_orc_reader_opts *opts, const char *type,
                            const skep_orc_evolution *how, char *out, size_t out_size, skep_err *err) {
  test_bytes bytes = make_finish(m);
  test_file t;
  skep_buf text;
  skep_buf_init(&text, &ctx, 1 << 20);
  test_file_open(&t, &ctx, bytes);
  if (opts != NULL) t.opts = *opts;
  test_file_read(&t, type, how);
  test_file_rows(&t, 100, &text);
  skep_status st = t.status;
  *err = t.err;
  assert_true(snprintf(out, out_size, "%s", skep_buf_string(&text)) < (int)out_size);
  skep_buf_fini(&text);
  test_file_close(&t);
  free(bytes.data);
  return st;
}

static void expect_evolved(const make_file *m, const skep_orc_reader_opts *opts, const char *type,
                           const skep_orc_evolution *how, const char *want) {
  char have[4096];
  skep_err err;
  skep_status st = read_all(m, opts, type, how, have, sizeof have, &err);
  if (st != SKEP_END) fail_msg("%s: %s", skep_status_name(st), err.text);
  assert_string_equal(have, want);
}

static void expect_rows(const make_file *m, const skep_orc_reader_opts *opts, const char *type, const char *want) {
  expect_evolved(m, opts, type, NULL, want);
}

static void expect_failure(const make_file *m, skep_status want, const char *text) {
  char have[4096];
  skep_err err = {0};
  skep_status st = read_all(m, NULL, NULL, NULL, have, sizeof have, &err);
  if (st != want || strstr(err.text, text) == NULL)
    fail_msg("%s: %s; wanted %s: %s", skep_status_name(st), err.text, skep_status_name(want), text);
}

/* ---- timestamps: seconds from 2015-01-01 and nanoseconds ---- */

enum {
  TIMESTAMP = 9,
  INSTANT = 18,
  DATE = 15,
  DECIMAL = 14,
  STRING = 7,
  FLOAT = 5,
  CHAR = 17,
  INT = 3,
  UNION = 13,
  LIST = 10,
  STRUCT = 12
};

static void varint_of(make_bytes *b, int64_t v) { make_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }

/* Literals of n timestamps given as seconds since 1970 UTC as stored, and packed nanoseconds. */
static void timestamps(make_file *m, uint32_t kind, size_t n, const int64_t *seconds, const uint64_t *packed,
                       int64_t epoch) {
  make_bytes data = {.size = 0}, nanos = {.size = 0};
  uint8_t header = (uint8_t)(256 - n);
  one_column(m, kind, n);
  make_raw(&data, &header, 1);
  make_raw(&nanos, &header, 1);
  for (size_t i = 0; i < n; i++) {
    varint_of(&data, seconds[i] - epoch);
    make_varint(&nanos, packed[i]);
  }
  make_stream(m, 1, 1, data.data, data.size);
  make_stream(m, 1, 5, nanos.data, nanos.size);
}

static void seconds_before_1970_with_nanoseconds_are_one_less(void **state) {
  (void)state;
  make_file m;
  /* Packed nanoseconds: value << 3 | zeros - 1. 500 ms = 5 and 8 zeros; 1 ns; 1 ms = 1 and 6 zeros; 999999 ns. */
  const int64_t seconds[] = {0, -1, -1, -1, -1, -2, 5};
  const uint64_t packed[] = {5 << 3 | 7, 5 << 3 | 7, 1 << 3, 1 << 3 | 5, 999999 << 3, 0, 123456789 << 3};
  timestamps(&m, TIMESTAMP, 7, seconds, packed, 1420070400);
  expect_rows(&m, NULL, NULL,
              "{\"a\":\"1970-01-01 00:00:00.5\"}\n{\"a\":\"1969-12-31 23:59:58.5\"}\n{\"a\":\"1969-12-31 "
              "23:59:59.000000001\"}\n"
              "{\"a\":\"1969-12-31 23:59:58.001\"}\n{\"a\":\"1969-12-31 23:59:59.000999999\"}\n{\"a\":\"1969-12-31 "
              "23:59:58.0\"}\n"
              "{\"a\":\"1970-01-01 00:00:05.123456789\"}\n");
}

/* pyarrow 26 writes -0.5 s as 0 s and -500 ms. */
static void nanoseconds_below_zero_count_from_the_second_before(void **state) {
  (void)state;
  make_file m;
  const int64_t seconds[] = {0, -41965, -1, -1, 7};
  const uint64_t packed[] = {(uint64_t)-5 << 3 | 7, (uint64_t)-999923 << 3 | 2, (uint64_t)-1 << 3,
                             (uint64_t)-999999999 << 3, (uint64_t)-1 << 3 | 6};
  timestamps(&m, TIMESTAMP, 5, seconds, packed, 1420070400);
  expect_rows(&m, NULL, NULL,
              "{\"a\":\"1969-12-31 23:59:59.5\"}\n{\"a\":\"1969-12-31 12:20:34.000077\"}\n{\"a\":\"1969-12-31 "
              "23:59:58.999999999\"}\n{\"a\":\"1969-12-31 23:59:58.000000001\"}\n{\"a\":\"1970-01-01 "
              "00:00:06.99\"}\n");
}

static void the_wall_clock_of_the_writers_zone_is_shown(void **state) {
  (void)state;
  make_file m;
  /* 2015-03-08 02:00 PST springs to 03:00 PDT: instants 10:00 UTC less a second, and at it; 2015-11-01 09:00 UTC falls
   * back. */
  const int64_t seconds[] = {1425808799, 1425808800, 1446368399, 1446368400, -2717640000 /* 1883-11-18 20:00 UTC */};
  const uint64_t packed[] = {0, 0, 0, 0, 0};
  timestamps(&m, TIMESTAMP, 5, seconds, packed, 1420070400 + 8 * 3600);
  m.timezone = "America/Los_Angeles";
  char have[1024];
  skep_err err;
  assert_int_equal(read_all(&m, NULL, NULL, NULL, have, sizeof have, &err), SKEP_END);
  const char *want =
      "{\"a\":\"2015-03-08 01:59:59.0\"}\n{\"a\":\"2015-03-08 03:00:00.0\"}\n{\"a\":\"2015-11-01 01:59:59.0\"}\n"
      "{\"a\":\"2015-11-01 01:00:00.0\"}\n";
  assert_memory_equal(have, want, strlen(want));
  /* Instants count from 2015 in UTC whatever the zone. */
  timestamps(&m, INSTANT, 1, seconds, packed, 1420070400);
  m.timezone = "America/Los_Angeles";
  expect_rows(&m, NULL, NULL, "{\"a\":\"2015-03-08 09:59:59.0Z\"}\n");
}

static void an_unknown_zone_is_named_only_when_it_is_needed(void **state) {
  (void)state;
  make_file m;
  const int64_t seconds[] = {0};
  const uint64_t packed[] = {0};
  timestamps(&m, TIMESTAMP, 1, seconds, packed, 1420070400);
  m.timezone = "Mars/Olympus";
  expect_failure(&m, SKEP_ERR_NOT_FOUND, "Mars/Olympus");
  one_column(&m, INT, 3);
  make_stream(&m, 1, 1, BYTES(0x00, 0x01, 0x02));
  m.timezone = "Mars/Olympus";
  expect_rows(&m, NULL, NULL, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
}

static void timestamps_outside_64_bit_units_are_named(void **state) {
  (void)state;
  make_file m;
  skep_err err;
  char have[1024];
  const int64_t seconds[] = {-9223372036, 9223372037};
  const uint64_t packed[] = {145224193 << 3, 0};
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  opts.forms.timestamp = SKEP_FORM_TS_NS;
  opts.unmarked_calendar = SKEP_CALENDAR_PROLEPTIC;
  timestamps(&m, TIMESTAMP, 2, seconds, packed, 1420070400);
  assert_int_equal(read_all(&m, &opts, NULL, NULL, have, sizeof have, &err), SKEP_ERR_RANGE);
  assert_non_null(strstr(err.text, "timestamp 2262-04-11 23:47:17.000000000 does not fit 64-bit nanoseconds"));
  m.n_rows = 1; /* the first alone is nearly the smallest that fits */
  expect_rows(&m, &opts, NULL, "{\"a\":\"1677-09-21 00:12:43.145224193\"}\n");
  opts.forms.timestamp = SKEP_FORM_TS_US;
  m.n_rows = 2;
  expect_rows(&m, &opts, NULL, "{\"a\":\"1677-09-21 00:12:43.145224\"}\n{\"a\":\"2262-04-11 23:47:17.0\"}\n");
}

static void nanoseconds_beyond_a_second_are_refused(void **state) {
  (void)state;
  make_file m;
  const int64_t seconds[] = {0};
  const uint64_t bad[] = {UINT64_C(1000000000) << 3,      (uint64_t)-1000000000 << 3, 100 << 3 | 7,
                          (UINT64_C(1) << 35) | (5 << 3), (uint64_t)-100 << 3 | 7,    UINT64_C(1) << 63,
                          UINT64_C(0x7fffffffffffffff)};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    timestamps(&m, TIMESTAMP, 1, seconds, &bad[i], 1420070400);
    expect_failure(&m, SKEP_ERR_CORRUPT, "nanoseconds above 999999999");
  }
}

/* ---- calendars ---- */

static void hybrid_days_show_the_same_date(void **state) {
  (void)state;
  make_file m;
  make_bytes data = {.size = 0};
  /* As hybrid days: 1582-10-15 is -141427, the day before is Julian 1582-10-04; -719164 is Julian 0001-01-01. */
  const int64_t days[] = {-141427, -141428, -719164, 0};
  uint8_t header = 252;
  make_raw(&data, &header, 1);
  for (int i = 0; i < 4; i++) varint_of(&data, days[i]);
  one_column(&m, DATE, 4);
  make_stream(&m, 1, 1, data.data, data.size);
  const char *hybrid =
      "{\"a\":\"1582-10-15\"}\n{\"a\":\"1582-10-04\"}\n{\"a\":\"0001-01-01\"}\n{\"a\":\"1970-01-01\"}\n";
  const char *proleptic =
      "{\"a\":\"1582-10-15\"}\n{\"a\":\"1582-10-14\"}\n{\"a\":\"0000-12-30\"}\n{\"a\":\"1970-01-01\"}\n";
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  expect_rows(&m, &opts, NULL, hybrid); /* unmarked: hybrid unless told */
  opts.unmarked_calendar = SKEP_CALENDAR_PROLEPTIC;
  expect_rows(&m, &opts, NULL, proleptic);
  m.calendar = 1; /* marked: not to be told otherwise */
  expect_rows(&m, &opts, NULL, hybrid);
  m.calendar = 2;
  opts.unmarked_calendar = SKEP_CALENDAR_HYBRID;
  expect_rows(&m, &opts, NULL, proleptic);
  m.calendar = 3;
  expect_failure(&m, SKEP_ERR_UNSUPPORTED, "calendar 3");
}

/* ---- decimals ---- */

static void decimals(make_file *m, uint32_t precision, uint32_t scale) {
  memset(m, 0, sizeof *m);
  m->n_rows = 5;
  make_type_at(m, STRUCT, 1, "a", CHILD_1, 0, 0);
  make_type_at(m, DECIMAL, 0, NULL, NULL, precision, scale);
  /* 15, -15, 1, 99999, 2 with scales 1, 3, -2, 0, 2 */
  make_stream(m, 1, 1, BYTES(0x1e, 0x1d, 0x02, 0xbe, 0x9a, 0x0c, 0x04));
  make_stream(m, 1, 5, BYTES(0xfb, 0x02, 0x06, 0x03, 0x00, 0x04));
}

static void decimals_are_brought_to_the_scale_of_the_type(void **state) {
  (void)state;
  make_file m;
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  for (int narrow = 0; narrow < 2; narrow++) {
    opts.forms.narrow_decimals = narrow == 1;
    decimals(&m, 9, 3);
    expect_rows(
        &m, &opts, NULL,
        "{\"a\":\"1.500\"}\n{\"a\":\"-0.015\"}\n{\"a\":\"100.000\"}\n{\"a\":\"99999.000\"}\n{\"a\":\"0.020\"}\n");
    /* rounded half away from zero; what has too many digits is NULL */
    decimals(&m, 4, 2);
    expect_rows(&m, &opts, NULL, "{\"a\":\"1.50\"}\n{\"a\":\"-0.02\"}\n{\"a\":null}\n{\"a\":null}\n{\"a\":\"0.02\"}\n");
    decimals(&m, 30, 2);
    expect_rows(&m, &opts, "struct<a:decimal(7,1)>",
                "{\"a\":\"1.5\"}\n{\"a\":\"0.0\"}\n{\"a\":\"100.0\"}\n{\"a\":\"99999.0\"}\n{\"a\":\"0.0\"}\n");
  }
  decimals(&m, 0, 0); /* Hive 0.11: neither precision nor scale */
  expect_rows(
      &m, &opts, NULL,
      "{\"a\":\"1.500000000000000000\"}\n{\"a\":\"-0.015000000000000000\"}\n{\"a\":\"100.000000000000000000\"}\n"
      "{\"a\":\"99999.000000000000000000\"}\n{\"a\":\"0.020000000000000000\"}\n");
}

/* One scale for all is not written out: it is the type's, smaller, larger, or too much smaller for 64 bits. */
static void decimals_of_one_scale_are_brought_to_that_of_the_type(void **state) {
  (void)state;
  static const struct {
    uint32_t precision, scale;
    uint8_t stored; /* zigzag */
    const char *rows;
  } cases[] = {
      {9, 1, 0x02, "{\"a\":\"1.5\"}\n{\"a\":\"-1.5\"}\n{\"a\":\"0.1\"}\n"},
      {9, 3, 0x02, "{\"a\":\"1.500\"}\n{\"a\":\"-1.500\"}\n{\"a\":\"0.100\"}\n"},
      {9, 0, 0x02, "{\"a\":\"2\"}\n{\"a\":\"-2\"}\n{\"a\":\"0\"}\n"},
      {18, 18, 0x02, "{\"a\":null}\n{\"a\":null}\n{\"a\":\"0.100000000000000000\"}\n"},
      {18, 18, 0x01, "{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n"}, /* scale -1 */
      {2, 2, 0x02, "{\"a\":null}\n{\"a\":null}\n{\"a\":\"0.10\"}\n"},
  };
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
    make_file m;
    opts.forms.narrow_decimals = i % 2 == 1;
    memset(&m, 0, sizeof m);
    m.n_rows = 3;
    make_type_at(&m, STRUCT, 1, "a", CHILD_1, 0, 0);
    make_type_at(&m, DECIMAL, 0, NULL, NULL, cases[i / 2].precision, cases[i / 2].scale);
    make_stream(&m, 1, 1, BYTES(0x1e, 0x1d, 0x02)); /* 15, -15, 1 */
    make_stream(&m, 1, 5, BYTES(0x00, 0x00, cases[i / 2].stored));
    expect_rows(&m, &opts, NULL, cases[i / 2].rows);
  }
}

static void decimals_convert_to_numbers_and_texts(void **state) {
  (void)state;
  make_file m;
  decimals(&m, 9, 3);
  expect_rows(&m, NULL, "struct<a:int>", "{\"a\":1}\n{\"a\":0}\n{\"a\":100}\n{\"a\":99999}\n{\"a\":0}\n");
  expect_rows(&m, NULL, "struct<a:smallint>", "{\"a\":1}\n{\"a\":0}\n{\"a\":100}\n{\"a\":null}\n{\"a\":0}\n");
  expect_rows(&m, NULL, "struct<a:double>",
              "{\"a\":1.5}\n{\"a\":-0.015}\n{\"a\":100.0}\n{\"a\":99999.0}\n{\"a\":0.02}\n");
  expect_rows(&m, NULL, "struct<a:string>",
              "{\"a\":\"1.5\"}\n{\"a\":\"-0.015\"}\n{\"a\":\"100\"}\n{\"a\":\"99999\"}\n{\"a\":\"0.02\"}\n");
  expect_rows(&m, NULL, "struct<a:varchar(3)>",
              "{\"a\":\"1.5\"}\n{\"a\":\"-0.\"}\n{\"a\":\"100\"}\n{\"a\":\"999\"}\n{\"a\":\"0.0\"}\n");
}

/* ---- texts ---- */

static void strings(make_file *m) {
  one_column(m, STRING, 4);
  make_stream(m, 1, 1, "12 abc2020-02-29\xc3\xa4\xc3\xb6", 20);
  make_stream(m, 1, 2, BYTES(0xfc, 2, 4, 10, 4));
}

static void texts_convert_or_become_null(void **state) {
  (void)state;
  make_file m;
  strings(&m);
  expect_rows(&m, NULL, "struct<a:int>", "{\"a\":12}\n{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n");
  expect_rows(&m, NULL, "struct<a:date>", "{\"a\":null}\n{\"a\":null}\n{\"a\":\"2020-02-29\"}\n{\"a\":null}\n");
  expect_rows(&m, NULL, "struct<a:timestamp>", "{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n");
  expect_rows(&m, NULL, "struct<a:varchar(1)>", "{\"a\":\"1\"}\n{\"a\":\" \"}\n{\"a\":\"2\"}\n{\"a\":\"\xc3\xa4\"}\n");
  expect_rows(
      &m, NULL, "struct<a:binary>",
      "{\"a\":[49,50]}\n{\"a\":[32,97,98,99]}\n{\"a\":[50,48,50,48,45,48,50,45,50,57]}\n{\"a\":[195,164,195,182]}\n");
}

/* Seen in Hive 4.0.1. */
static void texts_of_dates_and_times_need_all_their_digits(void **state) {
  (void)state;
  static const skep_orc_evolution old = {.old_conversions = true};
  make_file m;
  one_column(&m, STRING, 5);
  make_stream(&m, 1, 1, "2020-1-12020-01-022020-1-1 1:2:32020-01-01 24:00:002020-01-01 10:00", 67);
  make_stream(&m, 1, 2, BYTES(0xfb, 8, 10, 14, 19, 16));
  expect_rows(&m, NULL, "struct<a:date>",
              "{\"a\":null}\n{\"a\":\"2020-01-02\"}\n{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n");
  expect_evolved(&m, NULL, "struct<a:date>", &old,
                 "{\"a\":\"2020-01-01\"}\n{\"a\":\"2020-01-02\"}\n{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n");
  expect_rows(&m, NULL, "struct<a:timestamp>",
              "{\"a\":null}\n{\"a\":null}\n{\"a\":null}\n{\"a\":\"2020-01-02 00:00:00.0\"}\n"
              "{\"a\":\"2020-01-01 10:00:00.0\"}\n");
}

/* Seen in Hive 4.0.1: CHAR(5) changed to STRING. */
static void the_blanks_that_fill_a_char_do_not_convert(void **state) {
  (void)state;
  make_file m;
  one_column(&m, CHAR, 3);
  make_stream(&m, 1, 1, "ab  12       ", 13);
  make_stream(&m, 1, 2, BYTES(0xfd, 4, 5, 4));
  expect_rows(&m, NULL, "struct<a:string>", "{\"a\":\"ab\"}\n{\"a\":\"12\"}\n{\"a\":\"\"}\n");
  expect_rows(&m, NULL, "struct<a:varchar(3)>", "{\"a\":\"ab\"}\n{\"a\":\"12\"}\n{\"a\":\"\"}\n");
  expect_rows(&m, NULL, "struct<a:char(3)>", "{\"a\":\"ab\"}\n{\"a\":\"12\"}\n{\"a\":\"\"}\n");
  expect_rows(&m, NULL, "struct<a:int>", "{\"a\":null}\n{\"a\":12}\n{\"a\":null}\n");
  expect_rows(&m, NULL, "struct<a:binary>", "{\"a\":[97,98]}\n{\"a\":[49,50]}\n{\"a\":[]}\n");
}

/* Seen in Hive 2.3 and 3.1, which convert as ORC Java before 1.6, and in Hive 4.0.1. */
static void hive_1_to_3_convert_floats_and_times_otherwise(void **state) {
  (void)state;
  static const skep_orc_evolution old = {.old_conversions = true};
  make_file m;
  one_column(&m, FLOAT, 3); /* 1.1, NaN, 1234567.8 */
  make_stream(&m, 1, 1, BYTES(0xcd, 0xcc, 0x8c, 0x3f, 0, 0, 0xc0, 0x7f, 0x3e, 0xb4, 0x96, 0x49));
  expect_rows(&m, NULL, "struct<a:double>", "{\"a\":1.100000023841858}\n{\"a\":\"NaN\"}\n{\"a\":1234567.75}\n");
  expect_rows(&m, NULL, "struct<a:string>", "{\"a\":\"1.100000023841858\"}\n{\"a\":null}\n{\"a\":\"1234567.75\"}\n");
  expect_rows(&m, NULL, "struct<a:decimal(9,2)>", "{\"a\":\"1.10\"}\n{\"a\":null}\n{\"a\":\"1234567.75\"}\n");
  expect_evolved(&m, NULL, "struct<a:double>", &old, "{\"a\":1.1}\n{\"a\":\"NaN\"}\n{\"a\":1234567.8}\n");
  expect_evolved(&m, NULL, "struct<a:string>", &old, "{\"a\":\"1.1\"}\n{\"a\":null}\n{\"a\":\"1234567.8\"}\n");
  expect_evolved(&m, NULL, "struct<a:decimal(9,2)>", &old, "{\"a\":\"1.10\"}\n{\"a\":null}\n{\"a\":\"1234567.80\"}\n");
  one_column(&m, INT, 2); /* 1000000, -1 */
  make_stream(&m, 1, 1, BYTES(0xfe, 0x80, 0x89, 0x7a, 0x01));
  expect_rows(&m, NULL, "struct<a:timestamp>",
              "{\"a\":\"1970-01-12 13:46:40.0\"}\n{\"a\":\"1969-12-31 23:59:59.0\"}\n");
  expect_evolved(&m, NULL, "struct<a:timestamp>", &old,
                 "{\"a\":\"1970-01-01 00:16:40.0\"}\n{\"a\":\"1969-12-31 23:59:59.999\"}\n");
  timestamps(&m, TIMESTAMP, 2, (const int64_t[]){1577836800, 1577836800}, (const uint64_t[]){0, 5 << 3 | 7},
             1420070400);
  expect_rows(&m, NULL, "struct<a:string>", "{\"a\":\"2020-01-01 00:00:00\"}\n{\"a\":\"2020-01-01 00:00:00.5\"}\n");
  expect_evolved(&m, NULL, "struct<a:string>", &old,
                 "{\"a\":\"2020-01-01 00:00:00.0\"}\n{\"a\":\"2020-01-01 00:00:00.5\"}\n");
  /* 0001-01-01 proleptic, as Hive 3 stores it and shows it as a date: its text is in the hybrid calendar */
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  opts.unmarked_calendar = SKEP_CALENDAR_PROLEPTIC;
  one_column(&m, DATE, 2);
  make_stream(&m, 1, 1, BYTES(0xfe, 0xf3, 0xe4, 0x57, 0xa9, 0xa2, 0x08));
  expect_evolved(&m, &opts, NULL, &old, "{\"a\":\"0001-01-01\"}\n{\"a\":\"1784-07-21\"}\n");
  expect_evolved(&m, &opts, "struct<a:string>", NULL, "{\"a\":\"0001-01-01\"}\n{\"a\":\"1784-07-21\"}\n");
  expect_evolved(&m, &opts, "struct<a:string>", &old, "{\"a\":\"0001-01-03\"}\n{\"a\":\"1784-07-21\"}\n");
}

static void string_streams_that_lie_are_refused(void **state) {
  (void)state;
  make_file m;
  strings(&m);
  m.data.data[21] = 20; /* the lengths together: 34 */
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1 DATA: needs 38 bytes, 20 are left in the file");
  one_column(&m, STRING, 1);
  make_stream(&m, 1, 2, BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)); /* 2^64 - 1 */
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1: negative length");
}

static void dictionary(make_file *m, uint8_t code, uint32_t size) {
  one_column(m, STRING, 3);
  m->encoding[1] = 1;
  m->dictionary_size[1] = size;
  make_stream(m, 1, 1, (const uint8_t[]){0xfd, 0, code, 0}, 4);
  make_stream(m, 1, 2, BYTES(0xfe, 1, 2));
  make_stream(m, 1, 3, "abc", 3);
}

static void dictionaries_that_lie_are_refused(void **state) {
  (void)state;
  make_file m;
  dictionary(&m, 1, 2);
  expect_rows(&m, NULL, NULL, "{\"a\":\"a\"}\n{\"a\":\"bc\"}\n{\"a\":\"a\"}\n");
  dictionary(&m, 2, 2);
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1: dictionary code 2 of 2");
  dictionary(&m, 1, 3);
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1 LENGTH");
  dictionary(&m, 1, 2000000000);
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1 LENGTH");
}

/* ---- nested ---- */

static void a_null_struct_stores_nothing_for_its_fields(void **state) {
  (void)state;
  make_file m = {.n_rows = 8};
  make_type_at(&m, STRUCT, 1, "s", CHILD_1, 0, 0);
  make_type_at(&m, STRUCT, 2, "x y", (const uint32_t[]){2, 3}, 0, 0);
  make_leaf(&m, INT);
  make_leaf(&m, INT);
  make_stream(&m, 1, 0, BYTES(0xff, 0xb2));       /* rows 0, 2, 3, 6 */
  make_stream(&m, 2, 0, BYTES(0xff, 0xa0));       /* of those: the first and third */
  make_stream(&m, 2, 1, BYTES(0xfe, 0x02, 0x04)); /* 1, 2 */
  make_stream(&m, 3, 1, BYTES(0x01, 0x01, 0x14)); /* 10, 11, 12, 13 */
  expect_rows(&m, NULL, NULL,
              "{\"s\":{\"x\":1,\"y\":10}}\n{\"s\":null}\n{\"s\":{\"x\":null,\"y\":11}}\n{\"s\":{\"x\":2,\"y\":12}}\n"
              "{\"s\":null}\n{\"s\":null}\n{\"s\":{\"x\":null,\"y\":13}}\n{\"s\":null}\n");
}

static void unions_take_values_by_tag(void **state) {
  (void)state;
  make_file m = {.n_rows = 4};
  make_type_at(&m, STRUCT, 1, "u", CHILD_1, 0, 0);
  make_type_at(&m, UNION, 2, NULL, (const uint32_t[]){2, 3}, 0, 0);
  make_leaf(&m, INT);
  make_leaf(&m, STRING);
  make_stream(&m, 1, 0, BYTES(0xff, 0xd0)); /* rows 0, 1, 3 */
  make_stream(&m, 1, 1, BYTES(0xfd, 0, 1, 0));
  make_stream(&m, 2, 1, BYTES(0xfe, 0x02, 0x04));
  make_stream(&m, 3, 1, "z", 1);
  make_stream(&m, 3, 2, BYTES(0xff, 1));
  expect_rows(&m, NULL, NULL,
              "{\"u\":{\"tag\":0,\"value\":1}}\n{\"u\":{\"tag\":1,\"value\":\"z\"}}\n{\"u\":null}\n{\"u\":{\"tag\":0,"
              "\"value\":2}}\n");
  m.data.data[4] = 2;
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1: union tag 2 of 2");
}

/* ---- streams and tails that lie ---- */

static void a_column_with_fewer_values_than_rows_is_an_error(void **state) {
  (void)state;
  make_file m;
  one_column(&m, INT, 4);
  make_stream(&m, 1, 1, BYTES(0x00, 0x01, 0x02));
  expect_failure(&m, SKEP_ERR_CORRUPT, "stripe 0: column 1 DATA");
  one_column(&m, INT, 4); /* no stream at all */
  expect_failure(&m, SKEP_ERR_CORRUPT, "stripe 0: column 1 DATA");
  one_column(&m, INT, UINT64_C(1) << 60);
  make_stream(&m, 1, 1, BYTES(0x00, 0x01, 0x02));
  expect_failure(&m, SKEP_ERR_CORRUPT, "stripe 0: column 1 DATA");
}

static void rows_without_columns_come_as_they_are_asked_for(void **state) {
  (void)state;
  make_file m = {.n_rows = UINT64_C(1) << 60};
  make_type_at(&m, STRUCT, 0, "", NULL, 0, 0);
  test_bytes bytes = make_finish(&m);
  test_file t;
  test_file_open(&t, &ctx, bytes);
  test_file_read(&t, NULL, NULL);
  assert_int_equal(t.status, SKEP_OK);
  assert_ok(skep_orc_reader_next(t.reader, 1 << 20, &t.batch, &t.err), t.err);
  assert_int_equal(t.batch.root.length, 1 << 20);
  assert_ok(skep_orc_reader_seek(t.reader, (UINT64_C(1) << 60) - 5, &t.err), t.err);
  assert_ok(skep_orc_reader_next(t.reader, 1 << 20, &t.batch, &t.err), t.err);
  assert_int_equal(t.batch.root.length, 5);
  assert_int_equal(skep_orc_reader_next(t.reader, 1 << 20, &t.batch, &t.err), SKEP_END);
  test_file_close(&t);
  free(bytes.data);
}

static void stripes_and_streams_outside_their_place_are_refused(void **state) {
  (void)state;
  make_file m;
  one_column(&m, INT, 3);
  make_stream(&m, 1, 1, BYTES(0x00, 0x01, 0x02));
  m.extra_stripe_offset = 100;
  expect_failure(&m, SKEP_ERR_CORRUPT, "stripe 0: offset 103");
  m.extra_stripe_offset = UINT64_MAX - 3;
  expect_failure(&m, SKEP_ERR_CORRUPT, "stripe 0: offset 18446744073709551615");
  m.extra_stripe_offset = 0;
  m.footer_rows = 4;
  expect_failure(&m, SKEP_ERR_CORRUPT, "footer says 4 rows, its stripes have 3");
  m.footer_rows = 0;
  make_stream(&m, 1, 1, BYTES(0x00, 0x01, 0x02));
  expect_failure(&m, SKEP_ERR_CORRUPT, "column 1 has two DATA streams");
  m.streams.data[7] = 200;
  expect_failure(&m, SKEP_ERR_CORRUPT, "stripe 0: ");
}

static void type_trees_that_lie_are_refused(void **state) {
  (void)state;
  static const struct {
    uint32_t kind, n_children;
    const char *names;
    uint32_t subtypes[2];
    skep_status status;
    const char *text;
  } CASES[] = {
      {STRUCT, 1, "a", {0}, SKEP_ERR_CORRUPT, "type 0: subtype 0 is type 0 where pre-order has 1"}, /* contains itself
                                                                                                     */
      {STRUCT, 1, "a", {7}, SKEP_ERR_CORRUPT, "type 0: subtype 0 is type 7"},
      {STRUCT, 2, "a b", {1, 1}, SKEP_ERR_CORRUPT, "type 0: subtype 1 is type 1"},
      {STRUCT, 2, "a b", {1, 2}, SKEP_ERR_CORRUPT, "type 2 of 2 is missing"},
      {STRUCT, 1, "a b", {1}, SKEP_ERR_CORRUPT, "2 field names for 1 fields"},
      {STRUCT, 0, "", {0}, SKEP_ERR_CORRUPT, "2 types, the tree of type 0 has 1"},
      {LIST, 0, NULL, {0}, SKEP_ERR_CORRUPT, "type 0: array with 0 subtypes"},
      {19, 0, NULL, {0}, SKEP_ERR_UNSUPPORTED, "column 0 has type kind 19 (geometry)"},
      {99, 0, NULL, {0}, SKEP_ERR_UNSUPPORTED, "column 0 has type kind 99"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    make_file m = {.n_rows = 0};
    make_type_at(&m, CASES[i].kind, CASES[i].n_children, CASES[i].names, CASES[i].subtypes, 0, 0);
    make_leaf(&m, INT);
    expect_failure(&m, CASES[i].status, CASES[i].text);
  }
}

static void later_versions_are_refused_by_name(void **state) {
  (void)state;
  make_file m;
  one_column(&m, INT, 0);
  m.version_minor = 13;
  expect_failure(&m, SKEP_ERR_UNSUPPORTED, "file version 0.13 is newer than 0.12");
  m.version_major = 2;
  expect_failure(&m, SKEP_ERR_UNSUPPORTED, "file version 2.13 is newer than 0.12");
}

int main(void) {
  skep_ctx_init(&ctx);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seconds_before_1970_with_nanoseconds_are_one_less),
      cmocka_unit_test(the_wall_clock_of_the_writers_zone_is_shown),
      cmocka_unit_test(an_unknown_zone_is_named_only_when_it_is_needed),
      cmocka_unit_test(timestamps_outside_64_bit_units_are_named),
      cmocka_unit_test(nanoseconds_below_zero_count_from_the_second_before),
      cmocka_unit_test(nanoseconds_beyond_a_second_are_refused),
      cmocka_unit_test(hybrid_days_show_the_same_date),
      cmocka_unit_test(decimals_are_brought_to_the_scale_of_the_type),
      cmocka_unit_test(decimals_of_one_scale_are_brought_to_that_of_the_type),
      cmocka_unit_test(decimals_convert_to_numbers_and_texts),
      cmocka_unit_test(texts_convert_or_become_null),
      cmocka_unit_test(texts_of_dates_and_times_need_all_their_digits),
      cmocka_unit_test(the_blanks_that_fill_a_char_do_not_convert),
      cmocka_unit_test(hive_1_to_3_convert_floats_and_times_otherwise),
      cmocka_unit_test(string_streams_that_lie_are_refused),
      cmocka_unit_test(dictionaries_that_lie_are_refused),
      cmocka_unit_test(a_null_struct_stores_nothing_for_its_fields),
      cmocka_unit_test(unions_take_values_by_tag),
      cmocka_unit_test(a_column_with_fewer_values_than_rows_is_an_error),
      cmocka_unit_test(rows_without_columns_come_as_they_are_asked_for),
      cmocka_unit_test(stripes_and_streams_outside_their_place_are_refused),
      cmocka_unit_test(type_trees_that_lie_are_refused),
      cmocka_unit_test(later_versions_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Both calendars against day numbers from elsewhere: Python's datetime for Gregorian dates, the classic Julian day
 * number formula (Explanatory Supplement to the Astronomical Almanac, minus 2440588) for Julian ones. */
#include "column/calendar.h"

#include "support/test.h"

static const struct {
  int64_t year;
  int32_t month, day;
  int64_t days;
} gregorian[] = {
    {1, 1, 1, -719162},      {4, 2, 29, -718008},    {1500, 3, 1, -171605}, {1582, 10, 4, -141438},
    {1582, 10, 15, -141427}, {1600, 2, 29, -135081}, {1700, 2, 28, -98557}, {1700, 3, 1, -98556},
    {1899, 12, 31, -25568},  {1900, 3, 1, -25508},   {1969, 12, 31, -1},    {1970, 1, 1, 0},
    {2000, 2, 29, 11016},    {2024, 2, 29, 19782},   {2038, 1, 19, 24855},  {9999, 12, 31, 2932896},
    {0, 12, 31, -719163},    {0, 2, 29, -719469},    {-400, 3, 1, -865565}, {-1, 12, 31, -719529},
};

static void gregorian_dates_match_known_day_numbers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof gregorian / sizeof *gregorian; i++) {
    assert_int_equal(skep_days_from_civil(gregorian[i].year, gregorian[i].month, gregorian[i].day), gregorian[i].days);
    skep_civil c = skep_civil_from_days(gregorian[i].days);
    assert_int_equal(c.year, gregorian[i].year);
    assert_int_equal(c.month, gregorian[i].month);
    assert_int_equal(c.day, gregorian[i].day);
  }
}

static void every_day_of_1600_years_follows_the_day_before(void **state) {
  (void)state;
  skep_civil before = skep_civil_from_days(-720000);
  for (int64_t days = -719999; days < -719999 + 4 * 146097; days++) {
    skep_civil c = skep_civil_from_days(days);
    if (c.day != 1) {
      assert_true(c.day == before.day + 1 && c.month == before.month && c.year == before.year);
    } else {
      assert_false(skep_civil_is_valid(before.year, before.month, before.day + 1));
      assert_true(c.month == 1 ? before.month == 12 && c.year == before.year + 1
                               : c.month == before.month + 1 && c.year == before.year);
    }
    assert_true(skep_civil_is_valid(c.year, c.month, c.day));
    assert_int_equal(skep_days_from_civil(c.year, c.month, c.day), days);
    before = c;
  }
}

static void leap_years_follow_the_gregorian_rule(void **state) {
  (void)state;
  static const struct {
    int64_t year;
    bool leap;
  } cases[] = {{1500, false}, {1600, true}, {1700, false}, {1900, false}, {2000, true},
               {2023, false}, {2024, true}, {0, true},     {-4, true},    {-100, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(skep_civil_is_valid(cases[i].year, 2, 29), cases[i].leap);
    int64_t length = skep_days_from_civil(cases[i].year, 3, 1) - skep_days_from_civil(cases[i].year, 2, 1);
    assert_int_equal(length, cases[i].leap ? 29 : 28);
  }
  assert_false(skep_civil_is_valid(2024, 0, 1));
  assert_false(skep_civil_is_valid(2024, 13, 1));
  assert_false(skep_civil_is_valid(2024, 4, 31));
  assert_false(skep_civil_is_valid(2024, 1, 0));
  assert_false(skep_civil_is_valid(2024, 1, 32));
  assert_true(skep_civil_is_valid(2024, 12, 31));
}

/* Julian dates with their day numbers; expected: the same date read as Gregorian. */
static void hybrid_days_keep_their_date_in_the_proleptic_calendar(void **state) {
  (void)state;
  static const struct {
    int64_t hybrid, year;
    int32_t month, day;
  } cases[] = {
      {-141428, 1582, 10, 4},  {-141427, 1582, 10, 15}, {-141704, 1582, 1, 1}, {-171597, 1500, 2, 28},
      {-171595, 1500, 3, 1},   {-281171, 1200, 2, 29},  {-353914, 1001, 1, 1}, {-719164, 1, 1, 1},
      {-718010, 4, 2, 29},     {-719165, 0, 12, 31},    {-719470, 0, 3, 1},    {-719471, 0, 2, 29},
      {-719895, -1, 1, 1},     {-2440588, -4712, 1, 1}, {-98556, 1700, 3, 1},  {0, 1970, 1, 1},
      {2932896, 9999, 12, 31},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t proleptic = skep_days_from_civil(cases[i].year, cases[i].month, cases[i].day);
    assert_int_equal(skep_days_hybrid_to_proleptic(cases[i].hybrid), proleptic);
    assert_int_equal(skep_days_proleptic_to_hybrid(proleptic), cases[i].hybrid);
  }
  /* The years whose names agree differ by days: 2 in the year 1, 10 before the switch. */
  assert_int_equal(skep_days_hybrid_to_proleptic(-719164) - -719164, 2);
  assert_int_equal(skep_days_hybrid_to_proleptic(-141428) - -141428, -10);
}

static void julian_leap_days_that_do_not_exist_become_1_march(void **state) {
  (void)state;
  static const struct {
    int64_t hybrid, year;
  } cases[] = {{-171596, 1500}, {-208121, 1400}, {-646421, 200}, {-682946, 100}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t march_1 = skep_days_from_civil(cases[i].year, 3, 1);
    assert_int_equal(skep_days_hybrid_to_proleptic(cases[i].hybrid), march_1);
    assert_int_equal(skep_days_hybrid_to_proleptic(cases[i].hybrid + 1), march_1);
    assert_int_equal(skep_days_hybrid_to_proleptic(cases[i].hybrid - 1), march_1 - 1);
  }
}

static void skipped_dates_are_taken_as_julian(void **state) {
  (void)state;
  for (int32_t day = 5; day < 15; day++) {
    int64_t proleptic = skep_days_from_civil(1582, 10, day);
    assert_int_equal(skep_days_proleptic_to_hybrid(proleptic), -141427 + (day - 5));
  }
}

static void conversions_are_inverse_but_for_missing_dates(void **state) {
  (void)state;
  for (int64_t proleptic = -800000; proleptic < -141437; proleptic++) {
    assert_int_equal(skep_days_hybrid_to_proleptic(skep_days_proleptic_to_hybrid(proleptic)), proleptic);
  }
  for (int64_t days = -141427; days < -100000; days++) {
    assert_int_equal(skep_days_hybrid_to_proleptic(days), days);
    assert_int_equal(skep_days_proleptic_to_hybrid(days), days);
  }
}

static void the_largest_numbers_are_answered_without_overflow(void **state) {
  (void)state;
  int64_t far = INT64_C(1) << 60;
  static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1};
  for (size_t i = 0; i < 4; i++) {
    skep_civil c = skep_civil_from_days(ends[i]);
    assert_int_equal(c.year, skep_civil_from_days(ends[i] < 0 ? -far : far).year);
    assert_true(c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31);
    assert_true((skep_days_from_civil(ends[i], 2, 28) < 0) == (ends[i] < 0));
    assert_true((skep_days_hybrid_to_proleptic(ends[i]) < 0) == (ends[i] < 0));
    assert_true((skep_days_proleptic_to_hybrid(ends[i]) < 0) == (ends[i] < 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gregorian_dates_match_known_day_numbers),
      cmocka_unit_test(every_day_of_1600_years_follows_the_day_before),
      cmocka_unit_test(leap_years_follow_the_gregorian_rule),
      cmocka_unit_test(hybrid_days_keep_their_date_in_the_proleptic_calendar),
      cmocka_unit_test(julian_leap_days_that_do_not_exist_become_1_march),
      cmocka_unit_test(skipped_dates_are_taken_as_julian),
      cmocka_unit_test(conversions_are_inverse_but_for_missing_dates),
      cmocka_unit_test(the_largest_numbers_are_answered_without_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

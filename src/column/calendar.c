/* Civil dates and day numbers. Years are counted from 1 March, so that the leap day is the last of its year and the
 * days before a month follow from (153 * month + 2) / 5. */
#include "column/calendar.h"

enum {
  DAYS_PER_400_YEARS = 146097, /* Gregorian */
  DAYS_PER_4_YEARS = 1461,     /* Julian */
  GREGORIAN_MARCH_0 = -719468, /* 0000-03-01 in the Gregorian calendar */
  JULIAN_MARCH_0 = -719470     /* 0000-03-01 in the Julian calendar: Gregorian 0000-02-28 */
};

static const int64_t farthest = INT64_C(1) << 60;

static int64_t clamp(int64_t v) {
  if (v > farthest) return farthest;
  return v < -farthest ? -farthest : v;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* The date that is `day` days after 1 March of `year`. */
static skep_civil from_march(int64_t year, int64_t day) {
  int64_t month = (5 * day + 2) / 153; /* 0 is March */
  skep_civil c = {year, (int32_t)(month < 10 ? month + 3 : month - 9), (int32_t)(day - (153 * month + 2) / 5 + 1)};
  if (c.month <= 2) c.year++;
  return c;
}

/* Days from 1 March of the year that begins with the March before the date. *year is set to that year. */
static int64_t to_march(int64_t *year, int32_t month, int32_t day) {
  if (month <= 2) (*year)--;
  int64_t from_3 = month > 2 ? month - 3 : month + 9;
  return (153 * from_3 + 2) / 5 + day - 1;
}

skep_civil skep_civil_from_days(int64_t days) {
  int64_t since = clamp(days) - GREGORIAN_MARCH_0;
  int64_t cycle = floor_div(since, DAYS_PER_400_YEARS);
  int64_t day = since - cycle * DAYS_PER_400_YEARS; /* 0..146096 */
  /* Take out the leap days passed: one in 1460 days, but not in 36524, but the last of the cycle. */
  int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  return from_march(year + cycle * 400, day - (365 * year + year / 4 - year / 100));
}

int64_t skep_days_from_civil(int64_t year, int32_t month, int32_t day) {
  year = year > farthest / 366 ? farthest / 366 : year < -farthest / 366 ? -farthest / 366 : year;
  int64_t in_year = to_march(&year, month, day);
  int64_t cycle = floor_div(year, 400);
  int64_t of_cycle = year - cycle * 400;
  return cycle * DAYS_PER_400_YEARS + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + in_year + GREGORIAN_MARCH_0;
}

bool skep_civil_is_valid(int64_t year, int32_t month, int32_t day) {
  static const int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= lengths[month - 1] + (month == 2 && leap);
}

static skep_civil julian_from_days(int64_t days) {
  int64_t since = days - JULIAN_MARCH_0;
  int64_t cycle = floor_div(since, DAYS_PER_4_YEARS);
  int64_t day = since - cycle * DAYS_PER_4_YEARS; /* 0..1460 */
  int64_t year = (day - day / 1460) / 365;
  return from_march(year + cycle * 4, day - 365 * year);
}

static int64_t julian_to_days(int64_t year, int32_t month, int32_t day) {
  int64_t in_year = to_march(&year, month, day);
  int64_t cycle = floor_div(year, 4);
  return cycle * DAYS_PER_4_YEARS + (year - cycle * 4) * 365 + in_year + JULIAN_MARCH_0;
}

int64_t skep_days_hybrid_to_proleptic(int64_t days) {
  if (days >= SKEP_GREGORIAN_START_DAY) return days;
  skep_civil c = julian_from_days(clamp(days));
  /* 29 February of a year that is no leap year here counts on into March. */
  return skep_days_from_civil(c.year, c.month, c.day);
}

int64_t skep_days_proleptic_to_hybrid(int64_t days) {
  if (days >= SKEP_GREGORIAN_START_DAY) return days;
  skep_civil c = skep_civil_from_days(days);
  return julian_to_days(c.year, c.month, c.day);
}

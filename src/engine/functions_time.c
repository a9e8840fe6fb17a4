/* Functions of dates (DATE, days) and timestamps (HUGEINT, nanoseconds since 1970 of the wall clock).
 *
 * Source: hiveql facts 8.4 and golden 18-functions (Hive 4.0.1). Patterns: time_pattern.c. */
#include <math.h>
#include <stdio.h>

#include "column/calendar.h"
#include "column/text.h"
#include "engine/function.h"
#include "engine/time_pattern.h"
#include "orc/timezone.h"

#define EACH_ROW(c, i)                 \
  for (int64_t i = 0; i < (c)->n; i++) \
    if (skep_row_valid(c, i))

static const skep_i128 ns_a_second = 1000000000;
enum { DAY_SECONDS = 86400 };

/* Days have 32 bits, as in Hive, which counts on beyond the year 9999 and before 1 ("+10000-01-01"); DuckDB's infinite
 * dates are the two at the ends. */
enum { MIN_DAY = -INT32_MAX + 1, MAX_DAY = INT32_MAX - 1 };
enum { MAX_TS_DAY = 106751991 }; /* before or after 1970: drain.c */

/* ---- taking timestamps apart ---- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t seconds_of(skep_i128 ns) {
  if ((skep_i128)(int64_t)ns == ns) return floor_div((int64_t)ns, 1000000000);
  skep_i128 seconds = ns / ns_a_second;
  return (int64_t)(ns % ns_a_second < 0 ? seconds - 1 : seconds);
}

static int64_t days_of(skep_i128 ns) { return floor_div(seconds_of(ns), DAY_SECONDS); }

static int32_t nanos_of(skep_i128 ns) { return (int32_t)(ns - (skep_i128)seconds_of(ns) * ns_a_second); }

static skep_i128 ts_of_day(int64_t days) { return (skep_i128)days * DAY_SECONDS * ns_a_second; }

static bool is_in_range(int64_t days) { return days >= MIN_DAY && days <= MAX_DAY; }

static int32_t week_day(int64_t days) { /* 1 Sunday .. 7 Saturday */
  int64_t d = (days + 4) % 7;
  return (int32_t)(d < 0 ? d + 7 : d) + 1;
}

/* ISO: the week of a day is that of its Thursday. */
static int32_t iso_week(int64_t days) {
  int64_t thursday = days - (week_day(days) + 5) % 7 + 3;
  int64_t first = skep_days_from_civil(skep_civil_from_days(thursday).year, 1, 1);
  return (int32_t)((thursday - first) / 7) + 1;
}

typedef enum field { YEAR, QUARTER, MONTH, DAY, WEEK, WEEK_DAY, HOUR, MINUTE, SECOND } field;

static int32_t field_of_day(int64_t days, field f) {
  skep_civil civil = skep_civil_from_days(days);
  switch (f) {
    case YEAR:
      return (int32_t)civil.year;
    case QUARTER:
      return (civil.month - 1) / 3 + 1;
    case MONTH:
      return civil.month;
    case DAY:
      return civil.day;
    case WEEK:
      return iso_week(days);
    case WEEK_DAY:
      return week_day(days);
    case HOUR:
    case MINUTE:
    case SECOND:
      break;
  }
  return 0;
}

static int32_t field_of_seconds(int64_t seconds, field f) {
  int64_t days = floor_div(seconds, DAY_SECONDS), rest = seconds - days * DAY_SECONDS;
  if (f == HOUR) return (int32_t)(rest / 3600);
  if (f == MINUTE) return (int32_t)(rest / 60 % 60);
  return f == SECOND ? (int32_t)(rest % 60) : field_of_day(days, f);
}

/* Which field a function takes is in its table row. */
static const field fields[] = {YEAR, QUARTER, MONTH, DAY, WEEK, WEEK_DAY, HOUR, MINUTE, SECOND};

static skep_status field_of_ts(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  field f = *(const field *)c->function->extra;
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = field_of_seconds(seconds_of(a[i]), f);
  return SKEP_OK;
}

static skep_status field_of_date(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  field f = *(const field *)c->function->extra;
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = field_of_day(a[i], f);
  return SKEP_OK;
}

/* Hours, minutes and seconds are read from a time without a date too. */
static bool time_of_text(skep_bytes text, int64_t *seconds) {
  skep_ts ts;
  uint8_t room[96];
  if (skep_text_cast_ts(text, &ts)) {
    *seconds = ts.seconds;
    return true;
  }
  text = skep_text_trim(text);
  static const char day[] = "1970-01-01 ";
  if (text.left > sizeof room - sizeof day) return false;
  memcpy(room, day, sizeof day - 1);
  memcpy(room + sizeof day - 1, text.at, text.left);
  if (!skep_parse_ts(skep_bytes_of(room, sizeof day - 1 + text.left), &ts)) return false;
  *seconds = ts.seconds;
  return true;
}

static skep_status field_of_text(skep_call *c, skep_err *err) {
  field f = *(const field *)c->function->extra;
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int64_t seconds = 0;
    if (!time_of_text(skep_arg_bytes(c, 0, i), &seconds)) skep_call_set_null(c, i);
    out[i] = field_of_seconds(seconds, f);
  }
  return SKEP_OK;
}

/* ---- between dates and timestamps ---- */

static skep_status ts_date(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = (int32_t)days_of(a[i]);
  return SKEP_OK;
}

static skep_status date_ts(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  skep_huge *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = ts_of_day(a[i]);
  return SKEP_OK;
}

/* Whole seconds, towards the past. */
static skep_status ts_seconds(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = seconds_of(a[i]);
  return SKEP_OK;
}

/* ---- arithmetic ---- */

static skep_status epoch_milli(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = seconds_of(a[i]) * 1000 + nanos_of(a[i]) / 1000000;
  return SKEP_OK;
}

/* Seconds with their fraction as a decimal's text: "1577836800.25". */
static skep_status epoch_text(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  EACH_ROW(c, i) {
    skep_buf_reset(c->text);
    skep_text_decimal(a[i], 9, true, c->text);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status date_add(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0], *n = c->data[1];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int64_t days = (int64_t)a[i] + n[i];
    out[i] = (int32_t)days;
    if (!is_in_range(days)) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

static skep_status datediff(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0], *b = c->data[1];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = (int32_t)((uint32_t)a[i] - (uint32_t)b[i]);
  return SKEP_OK;
}

static int32_t days_in_month(int64_t year, int32_t month) {
  static const int32_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && skep_civil_is_valid(year, 2, 29));
}

/* Same day of another month, or its last one. sticks: the last day stays the last. False: out of range. */
static bool add_months(int64_t days, int32_t n, bool sticks, int64_t *out) {
  skep_civil civil = skep_civil_from_days(days);
  int64_t months = civil.year * 12 + civil.month - 1 + n, year = floor_div(months, 12);
  int32_t month = (int32_t)(months - year * 12) + 1, last = days_in_month(year, month);
  bool was_last = civil.day == days_in_month(civil.year, civil.month);
  *out = skep_days_from_civil(year, month, (sticks && was_last) || civil.day > last ? last : civil.day);
  return is_in_range(*out);
}

static const bool sticks_to_end = true, clips_only = false;

static skep_status add_months_date(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0], *n = c->data[1];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int64_t days;
    if (!add_months(a[i], n[i], *(const bool *)c->function->extra, &days)) skep_call_set_null(c, i);
    out[i] = (int32_t)days;
  }
  return SKEP_OK;
}

static skep_status add_months_ts(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  const int32_t *n = c->data[1];
  skep_huge *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int64_t before = days_of(a[i]), days;
    bool fits = add_months(before, n[i], *(const bool *)c->function->extra, &days);
    if (!fits || days < -MAX_TS_DAY || days >= MAX_TS_DAY) skep_call_set_null(c, i);
    out[i] = a[i] + ts_of_day(days) - ts_of_day(before);
  }
  return SKEP_OK;
}

/* A date as Java's pattern yyyy-MM-dd has it: years of an era, without a sign. Observed in Hive 4.0.1: add_months of
 * 9999-12-31 is 10000-01-31, of 0001-01-01 and -1 it is 0001-12-01. */
static skep_status str_era(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  EACH_ROW(c, i) {
    skep_civil civil = skep_civil_from_days(a[i]);
    int64_t year = civil.year > 0 ? civil.year : 1 - civil.year;
    skep_buf_reset(c->text);
    skep_buf_printf(c->text, "%04lld-%02d-%02d", (long long)year, civil.month, civil.day);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* Timestamp and interval of nanoseconds. */
static skep_status add_ns(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0], *b = c->data[1];
  skep_huge *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    out[i] = a[i] + b[i];
    if (out[i] < ts_of_day(-MAX_TS_DAY) || out[i] >= ts_of_day(MAX_TS_DAY)) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

static skep_status last_day(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_civil civil = skep_civil_from_days(a[i]);
    int64_t days = (int64_t)a[i] + days_in_month(civil.year, civil.month) - civil.day;
    out[i] = (int32_t)days;
    if (!is_in_range(days)) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

/* "MO", "MON" or "MONDAY" in any case. */
static int32_t day_by_name(skep_bytes name) {
  static const char *const names[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
  for (int32_t d = 0; d < 7; d++) {
    char part[4] = {0};
    memcpy(part, names[d], 2);
    bool same = skep_text_equals(name, names[d]) || skep_text_equals(name, part);
    part[2] = names[d][2];
    if (same || skep_text_equals(name, part)) return d + 1;
  }
  return 0;
}

static skep_status next_day(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int32_t day = day_by_name(skep_arg_bytes(c, 1, i));
    int64_t days = (int64_t)a[i] + (day - week_day(a[i]) + 6) % 7 + 1;
    out[i] = (int32_t)days;
    if (day == 0 || !is_in_range(days)) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

/* Whole months between equal days or ends of months, else with days as 31sts. */
static skep_status months_between(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0], *b = c->data[1];
  const uint8_t *rounds = c->data[2];
  double *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int64_t x = seconds_of(a[i]), y = seconds_of(b[i]);
    int64_t day_x = floor_div(x, DAY_SECONDS), day_y = floor_div(y, DAY_SECONDS);
    skep_civil m = skep_civil_from_days(day_x), n = skep_civil_from_days(day_y);
    int64_t months = (m.year - n.year) * 12 + m.month - n.month;
    bool both_last = m.day == days_in_month(m.year, m.month) && n.day == days_in_month(n.year, n.month);
    out[i] = (double)months;
    if (m.day == n.day || both_last) continue;
    int64_t seconds = (m.day - n.day) * (int64_t)DAY_SECONDS + (x - day_x * DAY_SECONDS) - (y - day_y * DAY_SECONDS);
    double exact = (double)months + (double)seconds / (31.0 * DAY_SECONDS);
    out[i] = rounds[i] != 0 ? round(exact * 1e8) / 1e8 : exact;
  }
  return SKEP_OK;
}

/* ---- truncation ---- */

/* First day of the year, quarter, month or week that a day is in; false: no such unit. */
static bool floor_day(int64_t days, skep_bytes unit, int64_t *out) {
  static const struct {
    const char *name;
    char kind;
  } units[] = {{"year", 'y'},  {"yyyy", 'y'}, {"yy", 'y'}, {"quarter", 'q'}, {"q", 'q'},
               {"month", 'm'}, {"mon", 'm'},  {"mm", 'm'}, {"week", 'w'},    {"day", 'd'}};
  skep_civil civil = skep_civil_from_days(days);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (!skep_text_equals(unit, units[i].name)) continue;
    switch (units[i].kind) {
      case 'y':
        *out = skep_days_from_civil(civil.year, 1, 1);
        return true;
      case 'q':
        *out = skep_days_from_civil(civil.year, (civil.month - 1) / 3 * 3 + 1, 1);
        return true;
      case 'm':
        *out = days - civil.day + 1;
        return true;
      case 'w':
        *out = days - (week_day(days) + 5) % 7;
        return true;
      default:
        *out = days;
        return true;
    }
  }
  return false;
}

/* trunc(date, unit): no weeks and days. */
static skep_status trunc_date(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes unit = skep_arg_bytes(c, 1, i);
    int64_t days = 0;
    bool is_small = skep_text_equals(unit, "week") || skep_text_equals(unit, "day");
    if (is_small || !floor_day(a[i], unit, &days)) skep_call_set_null(c, i);
    out[i] = (int32_t)days;
  }
  return SKEP_OK;
}

/* floor(timestamp TO unit) */
static skep_status floor_ts(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  skep_huge *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes unit = skep_arg_bytes(c, 1, i);
    int64_t seconds = seconds_of(a[i]), days = 0, step = 0;
    if (skep_text_equals(unit, "hour")) step = 3600;
    if (skep_text_equals(unit, "minute")) step = 60;
    if (skep_text_equals(unit, "second")) step = 1;
    out[i] = 0;
    if (step != 0) {
      out[i] = (skep_i128)(floor_div(seconds, step) * step) * ns_a_second;
    } else if (floor_day(floor_div(seconds, DAY_SECONDS), unit, &days)) {
      out[i] = ts_of_day(days);
    } else {
      skep_call_set_null(c, i);
    }
  }
  return SKEP_OK;
}

/* ---- patterns ---- */

static bool same_bytes(skep_bytes a, skep_bytes b) {
  return a.left == b.left && (a.left == 0 || memcmp(a.at, b.at, a.left) == 0);
}

/* The pattern of a row, parsed when it is not that of the row before. */
typedef struct current {
  bool is_set, is_good;
  skep_bytes text;
  skep_time_pattern pattern;
} current;

static bool pattern_of(current *p, skep_bytes text) {
  if (!p->is_set || !same_bytes(p->text, text)) {
    p->is_set = true;
    p->text = text;
    p->is_good = skep_time_pattern_parse(text, &p->pattern);
  }
  return p->is_good;
}

static const char default_pattern[] = "yyyy-MM-dd HH:mm:ss";

static skep_status date_format(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  current p = {.is_set = false};
  EACH_ROW(c, i) {
    if (!pattern_of(&p, skep_arg_bytes(c, 1, i))) {
      skep_call_set_null(c, i);
      continue;
    }
    skep_buf_reset(c->text);
    skep_time_pattern_print(&p.pattern, (skep_ts){seconds_of(a[i]), nanos_of(a[i]), 0}, c->text);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status from_unixtime(skep_call *c, skep_err *err) {
  const int64_t *a = c->data[0];
  current p = {.is_set = false};
  EACH_ROW(c, i) {
    skep_bytes text =
        c->n_args > 1 ? skep_arg_bytes(c, 1, i) : skep_bytes_of(default_pattern, sizeof default_pattern - 1);
    if (!pattern_of(&p, text)) {
      skep_call_set_null(c, i);
      continue;
    }
    skep_buf_reset(c->text);
    skep_time_pattern_print(&p.pattern, (skep_ts){a[i], 0, 0}, c->text);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status unix_timestamp(skep_call *c, skep_err *err) {
  int64_t *out = c->out_data;
  current p = {.is_set = false};
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes text =
        c->n_args > 1 ? skep_arg_bytes(c, 1, i) : skep_bytes_of(default_pattern, sizeof default_pattern - 1);
    skep_ts ts = {.seconds = 0};
    if (!pattern_of(&p, text) || !skep_time_pattern_read(&p.pattern, skep_arg_bytes(c, 0, i), &ts))
      skep_call_set_null(c, i);
    out[i] = ts.seconds;
  }
  return SKEP_OK;
}

/* ---- zones ---- */

/* The zone of a row, opened when it is not that of the row before. NULL: there is none of that name. */
typedef struct current_zone {
  bool is_set;
  skep_bytes name;
  skep_timezone *zone;
} current_zone;

static const skep_timezone *zone_of(const skep_call *c, current_zone *z, skep_bytes name) {
  if (z->is_set && same_bytes(z->name, name)) return z->zone;
  skep_timezone_free(z->zone);
  *z = (current_zone){.is_set = true, .name = name};
  if (skep_timezone_open(c->ctx, (const char *)name.at, name.left, &z->zone, NULL) != SKEP_OK) z->zone = NULL;
  return z->zone;
}

static skep_status shift(skep_call *c, bool to_utc) {
  const skep_huge *a = c->data[0];
  skep_huge *out = c->out_data;
  current_zone z = {.is_set = false};
  EACH_ROW(c, i) {
    const skep_timezone *zone = zone_of(c, &z, skep_arg_bytes(c, 1, i));
    int64_t seconds = seconds_of(a[i]);
    out[i] = a[i]; /* Java takes an unknown zone for GMT */
    if (zone == NULL) continue;
    int32_t offset = to_utc ? skep_timezone_offset_local(zone, seconds) : skep_timezone_offset(zone, seconds);
    out[i] += (skep_i128)(to_utc ? -offset : offset) * ns_a_second;
  }
  skep_timezone_free(z.zone);
  return SKEP_OK;
}

static skep_status to_utc(skep_call *c, skep_err *err) {
  (void)err;
  return shift(c, true);
}
static skep_status from_utc(skep_call *c, skep_err *err) {
  (void)err;
  return shift(c, false);
}

/* "2024-02-29 12:00:00[.f][ Zone]": without a zone of its own the text is in the one given. */
static skep_status parse_tstz(skep_call *c, skep_err *err) {
  skep_huge *out = c->out_data;
  current_zone own = {.is_set = false}, given = {.is_set = false};
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes text = skep_text_trim(skep_arg_bytes(c, 0, i)), name = skep_arg_bytes(c, 1, i);
    size_t n = text.left;
    while (n > 0 && text.at[n - 1] != ' ') n--;
    current_zone *z = &given;
    bool has_zone = n > 0 && n < text.left && (text.at[n] > '9' || text.at[n] < '0');
    if (has_zone) {
      name = skep_bytes_of(text.at + n, text.left - n);
      text.left = n - 1;
      z = &own;
    }
    skep_ts ts = {.seconds = 0};
    const skep_timezone *zone = zone_of(c, z, name);
    out[i] = 0;
    if (zone == NULL || !skep_text_cast_ts(text, &ts)) {
      skep_call_set_null(c, i);
      continue;
    }
    out[i] = (skep_i128)(ts.seconds - skep_timezone_offset_local(zone, ts.seconds)) * ns_a_second + ts.nanos;
  }
  skep_timezone_free(own.zone);
  skep_timezone_free(given.zone);
  return SKEP_OK;
}

/* "2016-01-03 12:26:34.0 US/Pacific" */
static skep_status str_tstz(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  current_zone z = {.is_set = false};
  skep_status status = SKEP_OK;
  for (int64_t i = 0; i < c->n && status == SKEP_OK; i++) {
    if (!skep_row_valid(c, i)) continue;
    skep_bytes name = skep_arg_bytes(c, 1, i);
    const skep_timezone *zone = zone_of(c, &z, name);
    int64_t seconds = seconds_of(a[i]);
    skep_buf_reset(c->text);
    skep_text_ts((skep_ts){seconds + (zone == NULL ? 0 : skep_timezone_offset(zone, seconds)), nanos_of(a[i]), 0},
                 c->text);
    if (nanos_of(a[i]) == 0) skep_buf_text(c->text, ".0");
    skep_buf_byte(c->text, ' ');
    skep_buf_add(c->text, name.at, name.left);
    status = skep_call_put_text(c, i, err);
  }
  skep_timezone_free(z.zone);
  return status;
}

/* ---- intervals ---- */

static skep_status str_months(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  EACH_ROW(c, i) {
    int64_t n = a[i] < 0 ? -(int64_t)a[i] : a[i];
    skep_buf_reset(c->text);
    skep_buf_printf(c->text, "%s%lld-%lld", a[i] < 0 ? "-" : "", (long long)(n / 12), (long long)(n % 12));
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status str_interval(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  EACH_ROW(c, i) {
    skep_i128 size = a[i] < 0 ? -a[i] : a[i];
    int64_t seconds = (int64_t)(size / ns_a_second), nanos = (int64_t)(size % ns_a_second);
    skep_buf_reset(c->text);
    skep_buf_printf(c->text, "%s%lld %02d:%02d:%02d.%09d", a[i] < 0 ? "-" : "", (long long)(seconds / DAY_SECONDS),
                    (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60), (int)(seconds % 60), (int)nanos);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

#define FIELD(sql_name, at)                                                                          \
  {.name = sql_name, .args = "h", .result = 'i', .body = field_of_ts, .extra = &fields[at]},         \
      {.name = sql_name, .args = "D", .result = 'i', .body = field_of_date, .extra = &fields[at]}, { \
    .name = sql_name, .args = "v", .result = 'i', .body = field_of_text, .extra = &fields[at]        \
  }

const skep_function skep_functions_time[] = {
    FIELD("skep_year", YEAR),
    FIELD("skep_quarter", QUARTER),
    FIELD("skep_month", MONTH),
    FIELD("skep_day", DAY),
    FIELD("skep_weekofyear", WEEK),
    FIELD("skep_dayofweek", WEEK_DAY),
    FIELD("skep_hour", HOUR),
    FIELD("skep_minute", MINUTE),
    FIELD("skep_second", SECOND),
    {.name = "skep_ts_date", .args = "h", .result = 'D', .body = ts_date},
    {.name = "skep_date_ts", .args = "D", .result = 'h', .body = date_ts},
    {.name = "skep_ts_seconds", .args = "h", .result = 'l', .body = ts_seconds},
    {.name = "skep_epoch_second", .args = "h", .result = 'l', .body = ts_seconds},
    {.name = "skep_epoch_milli", .args = "h", .result = 'l', .body = epoch_milli},
    {.name = "skep_epoch_text", .args = "h", .result = 'v', .body = epoch_text},
    {.name = "skep_date_add", .args = "Di", .result = 'D', .body = date_add},
    {.name = "skep_datediff", .args = "DD", .result = 'i', .body = datediff},
    {.name = "skep_add_months", .args = "Di", .result = 'D', .body = add_months_date, .extra = &clips_only},
    {.name = "skep_add_months", .args = "hi", .result = 'h', .body = add_months_ts, .extra = &clips_only},
    {.name = "skep_add_months_end", .args = "Di", .result = 'D', .body = add_months_date, .extra = &sticks_to_end},
    {.name = "skep_add_months_end", .args = "hi", .result = 'h', .body = add_months_ts, .extra = &sticks_to_end},
    {.name = "skep_add_ns", .args = "hh", .result = 'h', .body = add_ns},
    {.name = "skep_last_day", .args = "D", .result = 'D', .body = last_day},
    {.name = "skep_next_day", .args = "Dv", .result = 'D', .body = next_day},
    {.name = "skep_months_between", .args = "hhb", .result = 'd', .body = months_between},
    {.name = "skep_trunc", .args = "Dv", .result = 'D', .body = trunc_date},
    {.name = "skep_floor_ts", .args = "hv", .result = 'h', .body = floor_ts},
    {.name = "skep_date_format", .args = "hv", .result = 'v', .body = date_format},
    {.name = "skep_from_unixtime", .args = "l", .result = 'v', .body = from_unixtime},
    {.name = "skep_from_unixtime", .args = "lv", .result = 'v', .body = from_unixtime},
    {.name = "skep_unix_timestamp", .args = "v", .result = 'l', .body = unix_timestamp},
    {.name = "skep_unix_timestamp", .args = "vv", .result = 'l', .body = unix_timestamp},
    {.name = "skep_to_utc_timestamp", .args = "hv", .result = 'h', .body = to_utc},
    {.name = "skep_from_utc_timestamp", .args = "hv", .result = 'h', .body = from_utc},
    {.name = "skep_parse_tstz", .args = "vv", .result = 'h', .body = parse_tstz},
    {.name = "skep_str_tstz", .args = "hv", .result = 'v', .body = str_tstz},
    {.name = "skep_str_months", .args = "i", .result = 'v', .body = str_months},
    {.name = "skep_str_interval", .args = "h", .result = 'v', .body = str_interval},
    {.name = "skep_str_tz", .macro = "(t) AS skep_str_tstz(t, 'UTC')"},
    {.name = "skep_str_era", .args = "D", .result = 'v', .body = str_era},
    {.name = "skep_add_months_text", .macro = "(d, n) AS skep_str_era(skep_add_months_end(d, n))"},
    {.name = NULL},
};

/* The contents of a time zone file, checked but not interpreted. Source: RFC 8536 (TZif), POSIX "TZ". */
#ifndef ORC_TZFILE_H
#define ORC_TZFILE_H

#include "base/ctx.h"

typedef struct skep_tz_change {
  int64_t at;     /* seconds since 1970 UTC */
  int32_t offset; /* seconds east of UTC from then on */
} skep_tz_change;

/* A day of a year and a time on it at which an offset changes. */
typedef struct skep_tz_date {
  enum { SKEP_TZ_MONTH_WEEK, SKEP_TZ_JULIAN, SKEP_TZ_DAY } kind;
  int32_t month, week, weekday; /* MONTH_WEEK: 1..12, 1..5 (5: the last), 0 = Sunday */
  int32_t day;                  /* JULIAN: 1..365 without 29 February; DAY: 0..365 with it */
  int32_t seconds;              /* of that day in local time, may be negative or beyond 24 hours */
} skep_tz_date;

/* What holds after the last listed change. */
typedef struct skep_tz_rule {
  bool is_given, has_dst;
  int32_t standard, dst; /* offsets, seconds east */
  skep_tz_date start, end;
} skep_tz_rule;

typedef struct skep_tz_data {
  int32_t initial; /* offset before the first change */
  size_t n;
  skep_tz_change *changes; /* ascending */
  skep_tz_rule rule;
} skep_tz_data;

/* Reads a zone file. On failure nothing is left to free; afterwards release data->changes. */
SKEP_NODISCARD skep_status skep_tz_file_parse(const skep_ctx *ctx, const uint8_t *bytes, size_t size, skep_tz_data *out,
                                              skep_err *err);

/* "PST8PDT,M3.2.0,M11.1.0", "<+03>-3": the footer. */
SKEP_NODISCARD skep_status skep_tz_rule_parse(const char *text, size_t length, skep_tz_rule *out, skep_err *err);

/* The rule's two changes in a year (any), in order of time; 0 without daylight saving time, else 2. */
size_t skep_tz_rule_year(const skep_tz_rule *rule, int64_t year, skep_tz_change out[2]);

/* Years and days in the proleptic Gregorian calendar; days since 1970-01-01. */
int64_t skep_tz_year_of(int64_t days);
int64_t skep_tz_days_to(int64_t year);

#endif

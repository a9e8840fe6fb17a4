/* Days and civil dates in the two calendars that Hive data uses.
 *
 * Day numbers count from 1970-01-01 = 0. "Hybrid" is Java's GregorianCalendar: Julian up to 1582-10-04, Gregorian from
 * 1582-10-15. ORC footers say which calendar a file's dates were written in (ORC Specification v1, "Footer", field
 * calendar). */
#ifndef COLUMN_CALENDAR_H
#define COLUMN_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

typedef enum skep_calendar { SKEP_CALENDAR_HYBRID, SKEP_CALENDAR_PROLEPTIC } skep_calendar;

typedef struct skep_civil {
  int64_t year;       /* astronomical: 0 is 1 BC */
  int32_t month, day; /* from 1 */
} skep_civil;

/* All functions take any number: beyond 2^60 days from 1970 (or as many years) they answer for the nearest number
 * within. */
skep_civil skep_civil_from_days(int64_t days);                          /* proleptic Gregorian */
int64_t skep_days_from_civil(int64_t year, int32_t month, int32_t day); /* proleptic Gregorian; month 1..12 */
bool skep_civil_is_valid(int64_t year, int32_t month, int32_t day);     /* proleptic Gregorian */

/* First day on which both calendars agree: 1582-10-15. */
#define SKEP_GREGORIAN_START_DAY (-141427)

/* The day number in the proleptic calendar that shows the same year-month-day as `days` shows in the hybrid one.
 * Identity from 1582-10-15 on. Hybrid dates that do not exist in the proleptic calendar (Julian 29 February of 1500,
 * ...) become 1 March. */
int64_t skep_days_hybrid_to_proleptic(int64_t days);

/* The inverse. Proleptic dates that the hybrid calendar leaves out (1582-10-05 to 14) are taken as Julian, as Java's
 * lenient GregorianCalendar does: they become 1582-10-15 to 24. */
int64_t skep_days_proleptic_to_hybrid(int64_t days);

#endif

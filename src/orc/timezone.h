/* Time zone rules from the system's zone files, read without touching global state (no tzset, no TZ).
 *
 * Source: RFC 8536 (TZif). Needed because ORC timestamps count from 2015-01-01 00:00:00 in the writer's zone
 * (ORC Specification v1, "Timestamp Columns"). Where Java differs from the zone database it is Java that is followed:
 * it wrote the files; see timezone.c. */
#ifndef ORC_TIMEZONE_H
#define ORC_TIMEZONE_H

#include "io/fs.h"

typedef struct skep_timezone skep_timezone; /* immutable: threads may share it */

/* A zone by IANA name ("US/Pacific"), Java's other ids ("PST", "SystemV/EST5"), fixed offset ("GMT+8", "+05:30") or
 * "UTC"/"GMT"/"Z". SKEP_ERR_NOT_FOUND names it. `name` is untrusted: no path parts like "..", absolute names or NULs.
 */
SKEP_NODISCARD skep_status skep_timezone_open(const skep_ctx *ctx, const char *name, size_t length, skep_timezone **out,
                                              skep_err *err);

/* A zone from the bytes of a zone file. SKEP_ERR_CORRUPT; SKEP_ERR_UNSUPPORTED when it counts leap seconds
 * ("right/..."). */
SKEP_NODISCARD skep_status skep_timezone_parse(const skep_ctx *ctx, const uint8_t *bytes, size_t size,
                                               skep_timezone **out, skep_err *err);
void skep_timezone_free(skep_timezone *zone);         /* accepts NULL */
bool skep_timezone_is_utc(const skep_timezone *zone); /* offset 0 at all times */

/* Offset from UTC in seconds at an instant (seconds since 1970 UTC), any year: before 1900 the zone's present standard
 * offset, as Java has it; after the last transition the rule in the file's footer. */
int32_t skep_timezone_offset(const skep_timezone *zone, int64_t utc_seconds);

/* Local wall clock (seconds as if UTC) -> offset in force, as Java's GregorianCalendar resolves gaps (offset before the
 * gap) and overlaps (the later instant). */
int32_t skep_timezone_offset_local(const skep_timezone *zone, int64_t local_seconds);

/* The same with the range [from, until) of times around it in which the offset stays: for many times in a row. A zeroed
 * range holds no time. */
typedef struct skep_timezone_range {
  int64_t from, until;
  int32_t offset;
} skep_timezone_range;
skep_timezone_range skep_timezone_range_utc(const skep_timezone *zone, int64_t utc_seconds);
skep_timezone_range skep_timezone_range_local(const skep_timezone *zone, int64_t local_seconds);

/* Offset at an instant / a wall clock time, looking at the caller's last range (of the same zone and function) first.
 */
static inline int32_t skep_timezone_offset_near(const skep_timezone *zone, skep_timezone_range *last,
                                                int64_t utc_seconds) {
  if (utc_seconds < last->from || utc_seconds >= last->until) *last = skep_timezone_range_utc(zone, utc_seconds);
  return last->offset;
}
static inline int32_t skep_timezone_offset_local_near(const skep_timezone *zone, skep_timezone_range *last,
                                                      int64_t local_seconds) {
  if (local_seconds < last->from || local_seconds >= last->until)
    *last = skep_timezone_range_local(zone, local_seconds);
  return last->offset;
}

#endif

/* Time zone rules from the system's zone files, read without touching global state (no tzset, no TZ).
 *
 * Source: RFC 8536 (TZif). Needed because ORC timestamps count from 2015-01-01 00:00:00 in the writer's zone
 * (ORC Specification v1, "Timestamp Columns"). */
#ifndef ORC_TIMEZONE_H
#define ORC_TIMEZONE_H

#include "io/fs.h"

typedef struct skep_timezone skep_timezone;

/* A zone by IANA name ("US/Pacific"), fixed offset ("GMT+8", "+05:30") or "UTC"/"GMT"/"Z". SKEP_ERR_NOT_FOUND names it.
 * `name` is untrusted: no path parts like "..", absolute names or NULs. */
SKEP_NODISCARD skep_status skep_timezone_open(const skep_ctx *ctx, const char *name, size_t length, skep_timezone **out,
                                              skep_err *err);
void skep_timezone_free(skep_timezone *zone); /* accepts NULL */
bool skep_timezone_is_utc(const skep_timezone *zone);

/* Offset from UTC in seconds at an instant (seconds since 1970 UTC), any year: before the first transition the zone's
 * local mean time as Java reads it, after the last one the rule in the file's footer. */
int32_t skep_timezone_offset(const skep_timezone *zone, int64_t utc_seconds);

/* Local wall clock (seconds as if UTC) -> offset in force, as Java's GregorianCalendar resolves gaps and overlaps. */
int32_t skep_timezone_offset_local(const skep_timezone *zone, int64_t local_seconds);

#endif

/* What the parts of the text SerDe share. Inside table only. */
#ifndef TABLE_LAZY_INT_H
#define TABLE_LAZY_INT_H

#include "column/vec.h"
#include "orc/timezone.h"

/* The zone that was named last: neighbours mostly name the same. Zero-initialise. */
typedef struct lazy_zones {
  skep_timezone *zone;
  char name[64];
} lazy_zones;
void lazy_zones_fini(lazy_zones *zones);

/* "yyyy-MM-dd[ HH:mm:ss[.f]][ zone]" as an instant; without a zone it is UTC. *good false: it is none. */
SKEP_NODISCARD skep_status lazy_parse_instant(lazy_zones *zones, const skep_ctx *ctx, skep_bytes text, skep_ts *out,
                                              bool *good, skep_err *err);

#endif

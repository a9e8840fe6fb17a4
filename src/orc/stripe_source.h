/* Brings the byte ranges of a stripe's streams into memory: few large reads, bounded memory. Inside orc only.
 *
 * A stripe whose wanted streams are small together is read whole, neighbouring streams in one call, when the first byte
 * of a group is asked for. A larger one is read through a window per stream. */
#ifndef ORC_STRIPE_SOURCE_H
#define ORC_STRIPE_SOURCE_H

#include "orc/stream.h"
#include "orc/stripe.h"

typedef struct skep_orc_window {
  uint64_t offset, length; /* the stream's range in the file */
  uint32_t group;          /* of coalesced ranges, when read whole */
  uint8_t *bytes;          /* window mode: owned */
  size_t capacity;
  uint64_t at; /* file offset of bytes[0] */
  size_t size;
} skep_orc_window;

typedef struct skep_orc_range_group {
  uint64_t offset, length;
  uint8_t *bytes; /* NULL until the first use */
} skep_orc_range_group;

typedef struct skep_orc_stripe_source {
  skep_orc_access *access;
  skep_orc_window *windows; /* by slot */
  size_t windows_capacity;
  uint32_t n_windows;
  skep_orc_range_group *groups;
  size_t groups_capacity;
  uint32_t n_groups;
  bool whole;
  size_t window_bytes;
  uint32_t *order; /* slots by offset, while planning */
  size_t order_capacity;
} skep_orc_stripe_source;

void skep_orc_stripe_source_init(skep_orc_stripe_source *s, skep_orc_access *access);
void skep_orc_stripe_source_fini(skep_orc_stripe_source *s); /* safe on a zeroed one */

/* Forgets the last stripe (memory of windows is kept), then: add every wanted stream, plan, fetch. */
void skep_orc_stripe_source_begin(skep_orc_stripe_source *s);
SKEP_NODISCARD skep_status skep_orc_stripe_source_add(skep_orc_stripe_source *s, const skep_orc_stream_info *stream,
                                                      uint32_t *slot, skep_err *err);
/* sparse: only parts of the streams will be read, so nothing is read ahead beyond a window. */
SKEP_NODISCARD skep_status skep_orc_stripe_source_plan(skep_orc_stripe_source *s, bool sparse, skep_err *err);

skep_orc_source skep_orc_stripe_source_door(skep_orc_stripe_source *s);

#endif

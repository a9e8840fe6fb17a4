/* Between rle_int.c and the run decoders of version 1 and 2. */
#ifndef ORC_RLE_RUN_H
#define ORC_RLE_RUN_H

#include "orc/rle.h"

/* The lanes a caller may ask for; the number is the size in bytes. */
typedef enum skep_rle_lane { SKEP_LANE_16 = 2, SKEP_LANE_32 = 4, SKEP_LANE_64 = 8 } skep_rle_lane;

/* Decodes the next run. When it has at most `room` values and can be unpacked in the caller's lanes, it goes to `out`
 * and *done is its length; otherwise *done is 0 and the run is left in r (run[] or a sequence; r->left > 0). */
SKEP_NODISCARD skep_status skep_rle_v1_run(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done,
                                           skep_err *err);
SKEP_NODISCARD skep_status skep_rle_v2_run(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done,
                                           skep_err *err);

/* A value does not fit the caller's lanes. */
skep_status skep_rle_range(const skep_rle_int *r, int64_t value, skep_rle_lane lane, skep_err *err);

/* Makes the run base, base + delta, ... (arithmetic modulo 2^64, as Java's). */
static inline void skep_rle_set_sequence(skep_rle_int *r, uint32_t length, int64_t base, int64_t delta) {
  r->sequence = true;
  r->left = length;
  r->next_value = base;
  r->delta = delta;
}

/* Makes the run the first `length` values of run[]. */
static inline void skep_rle_set_literals(skep_rle_int *r, uint32_t length) {
  r->sequence = false;
  r->left = length;
  r->pos = 0;
}

#endif

/* Integer runs: handing out values of the current run in the caller's lanes, and the run forms of version 1.
 * Source: ORC Specification v1, "Integer Run Length Encoding, version 1". */
#include "base/err.h"
#include "orc/rle_run.h"
#include "orc/varint.h"

enum {
  V1_MIN_REPEAT = 3,
  V1_RUN_BYTES = 1 + 128 * SKEP_VARINT_MAX_64 /* control byte and the most literals */
};

void skep_rle_int_init(skep_rle_int *r, skep_orc_stream *in, bool v2, bool is_signed) {
  r->in = in;
  r->v2 = v2;
  r->is_signed = is_signed;
  skep_rle_int_restart(r);
}

void skep_rle_int_restart(skep_rle_int *r) {
  skep_rle_set_literals(r, 0);
  r->next_value = r->delta = 0;
}

skep_status skep_rle_range(const skep_rle_int *r, int64_t value, skep_rle_lane lane, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: value %lld does not fit %d bits", r->in->what, (long long)value,
                   (int)lane * 8);
}

/* Literals of version 1: the bytes of a window are complete up to `end`, a varint that passes it is cut off. */
static skep_status v1_literals(skep_rle_int *r, int64_t *out, size_t n, skep_err *err) {
  const uint8_t *p = r->in->at, *end = r->in->end;
  uint64_t *values = (uint64_t *)out; /* corresponding types may alias */
  bool overflow;
  size_t i = skep_varint_bulk(&p, end, values, n, &overflow);
  for (; i < n && !overflow; i++) {
    overflow = !skep_varint_unchecked(&p, &values[i]);
    if (p > end || (overflow && end - p < SKEP_VARINT_MAX_64)) /* what it saw was in part slack */
      return skep_orc_stream_short(r->in, (size_t)((p > end ? p : end + 1) - r->in->at), "literal run", err);
  }
  if (overflow) return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a varint does not fit 64 bits", r->in->what);
  r->in->at = p;
  for (i = 0; r->is_signed && i < n; i++) out[i] = skep_unzigzag(values[i]);
  return SKEP_OK;
}

skep_status skep_rle_v1_run(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done, skep_err *err) {
  *done = 0;
  SKEP_TRY(skep_orc_stream_want(r->in, V1_RUN_BYTES, err));
  if (r->in->at == r->in->end) return skep_orc_stream_short(r->in, 1, "run", err);
  uint8_t control = *r->in->at++;
  if (control >= 128) {
    size_t n = 256u - control;
    bool direct = lane == SKEP_LANE_64 && n <= room;
    SKEP_TRY(v1_literals(r, direct ? out : r->run, n, err));
    if (direct) {
      *done = n;
    } else {
      skep_rle_set_literals(r, (uint32_t)n);
    }
    return SKEP_OK;
  }
  if (r->in->at == r->in->end) return skep_orc_stream_short(r->in, 2, "repeat run", err);
  int8_t delta = (int8_t)*r->in->at++;
  int64_t base;
  SKEP_TRY(v1_literals(r, &base, 1, err));
  skep_rle_set_sequence(r, control + V1_MIN_REPEAT, base, delta);
  return SKEP_OK;
}

static skep_status next_run(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done, skep_err *err) {
  return r->v2 ? skep_rle_v2_run(r, out, room, lane, done, err) : skep_rle_v1_run(r, out, room, lane, done, err);
}

static bool fits(int64_t value, skep_rle_lane lane) {
  return lane == SKEP_LANE_32 ? value == (int32_t)value : value == (int16_t)value;
}

/* Both ends of a sequence fit, and it does not wrap around in between: then all of it fits. */
static skep_status check_sequence(const skep_rle_int *r, size_t n, skep_rle_lane lane, skep_err *err) {
  int64_t span, last;
  if (!fits(r->next_value, lane)) return skep_rle_range(r, r->next_value, lane, err);
  if (__builtin_mul_overflow(r->delta, (int64_t)(n - 1), &span) || __builtin_add_overflow(r->next_value, span, &last))
    return skep_rle_range(r, r->delta, lane, err);
  return fits(last, lane) ? SKEP_OK : skep_rle_range(r, last, lane, err);
}

static void fill_64(int64_t *out, size_t n, int64_t base, int64_t delta) {
  if (delta == 0) {
    for (size_t i = 0; i < n; i++) out[i] = base;
    return;
  }
  uint64_t v = (uint64_t)base;
  for (size_t i = 0; i < n; i++, v += (uint64_t)delta) out[i] = (int64_t)v;
}

static void fill_32(int32_t *out, size_t n, uint32_t base, uint32_t delta) {
  for (size_t i = 0; i < n; i++, base += delta) out[i] = (int32_t)base;
}

static void fill_16(int16_t *out, size_t n, uint32_t base, uint32_t delta) {
  for (size_t i = 0; i < n; i++, base += delta) out[i] = (int16_t)base;
}

static skep_status take_sequence(skep_rle_int *r, void *out, size_t n, skep_rle_lane lane, skep_err *err) {
  if (lane != SKEP_LANE_64) SKEP_TRY(check_sequence(r, n, lane, err));
  switch (lane) {
    case SKEP_LANE_64:
      fill_64(out, n, r->next_value, r->delta);
      break;
    case SKEP_LANE_32:
      fill_32(out, n, (uint32_t)r->next_value, (uint32_t)r->delta);
      break;
    case SKEP_LANE_16:
      fill_16(out, n, (uint32_t)r->next_value, (uint32_t)r->delta);
      break;
  }
  return SKEP_OK;
}

static skep_status narrow_32(const skep_rle_int *r, int32_t *out, size_t n, skep_err *err) {
  const int64_t *in = r->run + r->pos;
  uint64_t beyond = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = (int32_t)in[i];
    beyond |= (uint64_t)in[i] + UINT64_C(0x80000000); /* below 2^32 for exactly the values that fit */
  }
  for (size_t i = 0; beyond >> 32 != 0 && i < n; i++) {
    if (!fits(in[i], SKEP_LANE_32)) return skep_rle_range(r, in[i], SKEP_LANE_32, err);
  }
  return SKEP_OK;
}

static skep_status narrow_16(const skep_rle_int *r, int16_t *out, size_t n, skep_err *err) {
  const int64_t *in = r->run + r->pos;
  uint64_t beyond = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = (int16_t)in[i];
    beyond |= (uint64_t)in[i] + 0x8000;
  }
  for (size_t i = 0; beyond >> 16 != 0 && i < n; i++) {
    if (!fits(in[i], SKEP_LANE_16)) return skep_rle_range(r, in[i], SKEP_LANE_16, err);
  }
  return SKEP_OK;
}

static skep_status take_literals(skep_rle_int *r, void *out, size_t n, skep_rle_lane lane, skep_err *err) {
  switch (lane) {
    case SKEP_LANE_64:
      memcpy(out, r->run + r->pos, n * sizeof r->run[0]);
      return SKEP_OK;
    case SKEP_LANE_32:
      return narrow_32(r, out, n, err);
    case SKEP_LANE_16:
      return narrow_16(r, out, n, err);
  }
  return SKEP_OK;
}

/* Marks n values of the current run as delivered. */
static void advance(skep_rle_int *r, uint32_t n) {
  r->left -= n;
  if (r->sequence) {
    r->next_value = (int64_t)((uint64_t)r->next_value + (uint64_t)r->delta * n);
  } else {
    r->pos += n;
  }
}

static skep_status next(skep_rle_int *r, void *out, size_t n, skep_rle_lane lane, skep_err *err) {
  uint8_t *to = out;
  while (n != 0) {
    size_t done = 0;
    if (r->left == 0) SKEP_TRY(next_run(r, to, n, lane, &done, err));
    if (done == 0) {
      done = r->left < n ? r->left : n;
      SKEP_TRY(r->sequence ? take_sequence(r, to, done, lane, err) : take_literals(r, to, done, lane, err));
      advance(r, (uint32_t)done);
    }
    to += done * (size_t)lane;
    n -= done;
  }
  return SKEP_OK;
}

skep_status skep_rle_int_next(skep_rle_int *r, int64_t *out, size_t n, skep_err *err) {
  return next(r, out, n, SKEP_LANE_64, err);
}

skep_status skep_rle_int_next_i32(skep_rle_int *r, int32_t *out, size_t n, skep_err *err) {
  return next(r, out, n, SKEP_LANE_32, err);
}

skep_status skep_rle_int_next_i16(skep_rle_int *r, int16_t *out, size_t n, skep_err *err) {
  return next(r, out, n, SKEP_LANE_16, err);
}

/* How many values of the current run, `most` at most, are equal to `value`. */
static uint32_t equal_in_run(const skep_rle_int *r, int64_t value, uint32_t most) {
  uint32_t n = 0;
  if (r->sequence) return r->next_value != value ? 0 : r->delta == 0 ? most : 1;
  while (n < most && r->run[r->pos + n] == value) n++;
  return n;
}

skep_status skep_rle_int_next_same(skep_rle_int *r, size_t n, int64_t *value, size_t *same, skep_err *err) {
  *value = 0;
  *same = 0;
  while (*same < n) {
    size_t done;
    if (r->left == 0) SKEP_TRY(next_run(r, NULL, 0, SKEP_LANE_64, &done, err));
    if (*same == 0) *value = r->sequence ? r->next_value : r->run[r->pos];
    uint32_t most = r->left < n - *same ? r->left : (uint32_t)(n - *same);
    uint32_t equal = equal_in_run(r, *value, most);
    advance(r, equal);
    *same += equal;
    if (equal < most) break;
  }
  return SKEP_OK;
}

skep_status skep_rle_int_skip(skep_rle_int *r, uint64_t n, skep_err *err) {
  while (n != 0) {
    size_t done;
    if (r->left == 0) SKEP_TRY(next_run(r, NULL, 0, SKEP_LANE_64, &done, err));
    uint32_t take = r->left < n ? r->left : (uint32_t)n;
    advance(r, take);
    n -= take;
  }
  return SKEP_OK;
}

/* Integer runs of version 2: short repeat, direct, patched base, delta.
 * Source: ORC Specification v1, "Integer Run Length Encoding, version 2". */
#include "base/bytes.h"
#include "base/err.h"
#include "orc/rle_run.h"
#include "orc/unpack.h"

enum {
  /* The longest run is patched base: header, base, 512 values of 64 bits, 31 patches of 64 bits. */
  V2_RUN_BYTES = 4 + 8 + 512 * 8 + 31 * 8,
  V2_MIN_REPEAT = 3,
  V2_MAX_REPEAT = 10
};

/* The five-bit code of a width. Code 0 means width 0 in delta runs (told apart there). */
static const uint8_t widths[32] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                   17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64};

/* The smallest of those widths that holds `bits`: patches are stored so. */
static uint32_t fixed_width(uint32_t bits) {
  uint32_t i = 0;
  while (widths[i] < bits) i++; /* bits <= 64 */
  return widths[i];
}

static size_t left_of(const skep_rle_int *r) { return (size_t)(r->in->end - r->in->at); }
static size_t packed_bytes(uint32_t width, size_t n) { return (width * n + 7) / 8; }

/* Takes n bytes of the run's header, or says that the stream ends in it. */
static skep_status take(skep_rle_int *r, size_t n, const char *run, const uint8_t **out, skep_err *err) {
  if (left_of(r) < n) return skep_orc_stream_short(r->in, n, run, err);
  *out = r->in->at;
  r->in->at += n;
  return SKEP_OK;
}

/* 1..8 bytes; may read up to 7 behind them. */
static uint64_t big_endian(const uint8_t *p, size_t n) { return skep_load_be64(p) >> (64 - 8 * n); }

/* Short repeats come in rows: they are decoded here one after the other while there is room for the longest, of which
 * as many values are always written; the surplus is overwritten by what follows. The last ones, and those that do not
 * fit the lanes, become a sequence. */
static skep_status short_repeats(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done,
                                 skep_err *err) {
  const uint8_t *p = r->in->at, *end = r->in->end;
  size_t n = 0;
  while (end > p && p[0] >> 6 == 0) {
    size_t size = ((p[0] >> 3) & 7) + 1u, length = (p[0] & 7u) + V2_MIN_REPEAT;
    if ((size_t)(end - p) < 1 + size) {
      if (n == 0) return skep_orc_stream_short(r->in, 1 + size, "short repeat run", err);
      break;
    }
    uint64_t stored = big_endian(p + 1, size);
    int64_t value = r->is_signed ? skep_unzigzag(stored) : (int64_t)stored;
    bool fits = lane == SKEP_LANE_64 || (lane == SKEP_LANE_32 && value == (int32_t)value);
    if (room - n < V2_MAX_REPEAT || !fits) {
      if (n != 0) break;
      skep_rle_set_sequence(r, (uint32_t)length, value, 0);
      p += 1 + size;
      break;
    }
    if (lane == SKEP_LANE_64) {
      for (size_t i = 0; i < V2_MAX_REPEAT; i++) ((int64_t *)out)[n + i] = value;
    } else {
      for (size_t i = 0; i < V2_MAX_REPEAT; i++) ((int32_t *)out)[n + i] = (int32_t)value;
    }
    n += length;
    p += 1 + size;
  }
  r->in->at = p;
  *done = n;
  return SKEP_OK;
}

/* Unsigned values of 32 bits need a look at the highest bit; all narrower and all signed ones fit. */
static skep_status direct_32(skep_rle_int *r, const uint8_t *packed, uint32_t width, int32_t *out, size_t n,
                             skep_err *err) {
  int32_t any = 0;
  if (r->is_signed) {
    skep_unpack_zigzag_i32(packed, width, out, n);
    return SKEP_OK;
  }
  skep_unpack_u32(packed, width, (uint32_t *)out, n);
  for (size_t i = 0; width == 32 && i < n; i++) any |= out[i];
  for (size_t i = 0; any < 0; i++) {
    if (out[i] < 0) return skep_rle_range(r, (uint32_t)out[i], SKEP_LANE_32, err);
  }
  return SKEP_OK;
}

/* Through 32-bit lanes; unsigned values of 16 bits need the look at the highest one. */
static skep_status direct_16(skep_rle_int *r, const uint8_t *packed, uint32_t width, int16_t *out, size_t n,
                             skep_err *err) {
  int32_t lanes[512], any = 0;
  if (r->is_signed) {
    skep_unpack_zigzag_i32(packed, width, lanes, n);
  } else {
    skep_unpack_u32(packed, width, (uint32_t *)lanes, n);
  }
  for (size_t i = 0; i < n; i++) {
    out[i] = (int16_t)lanes[i];
    any |= lanes[i];
  }
  for (size_t i = 0; !r->is_signed && any > INT16_MAX && i < n; i++) {
    if (lanes[i] > INT16_MAX) return skep_rle_range(r, lanes[i], SKEP_LANE_16, err);
  }
  return SKEP_OK;
}

static skep_status direct(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done, skep_err *err) {
  const uint8_t *p, *packed;
  SKEP_TRY(take(r, 2, "direct run", &p, err));
  uint32_t width = widths[(p[0] >> 1) & 31];
  size_t n = ((size_t)(p[0] & 1) << 8 | p[1]) + 1;
  SKEP_TRY(take(r, packed_bytes(width, n), "direct run", &packed, err));
  if (n <= room && lane == SKEP_LANE_32 && width <= 32) {
    *done = n;
    return direct_32(r, packed, width, out, n, err);
  }
  if (n <= room && lane == SKEP_LANE_16 && width <= 16) {
    *done = n;
    return direct_16(r, packed, width, out, n, err);
  }
  int64_t *to = r->run;
  if (n <= room && lane == SKEP_LANE_64) {
    to = out;
    *done = n;
  } else {
    skep_rle_set_literals(r, (uint32_t)n);
  }
  if (r->is_signed) {
    skep_unpack_zigzag_i64(packed, width, to, n);
  } else {
    skep_unpack_u64(packed, width, (uint64_t *)to, n);
  }
  return SKEP_OK;
}

static skep_status delta_header(skep_rle_int *r, int64_t *base, int64_t *delta, skep_err *err) {
  skep_bytes b = {r->in->at, left_of(r)};
  uint64_t first, second;
  if (!skep_bytes_uvarint(&b, &first) || !skep_bytes_uvarint(&b, &second))
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: delta run: base or delta is cut off or too long, %zu bytes left",
                     r->in->what, left_of(r));
  r->in->at = b.at;
  *base = r->is_signed ? skep_unzigzag(first) : (int64_t)first;
  *delta = skep_unzigzag(second); /* signed in any case */
  return SKEP_OK;
}

static skep_status delta(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done, skep_err *err) {
  const uint8_t *p, *packed;
  int64_t base, step;
  SKEP_TRY(take(r, 2, "delta run", &p, err));
  uint32_t code = (p[0] >> 1) & 31;
  size_t n = ((size_t)(p[0] & 1) << 8 | p[1]) + 1;
  SKEP_TRY(delta_header(r, &base, &step, err));
  if (code == 0) {
    skep_rle_set_sequence(r, (uint32_t)n, base, step);
    return SKEP_OK;
  }
  if (n < 2) return skep_fail(err, SKEP_ERR_CORRUPT, "%s: delta run of %zu value with packed deltas", r->in->what, n);
  SKEP_TRY(take(r, packed_bytes(widths[code], n - 2), "delta run", &packed, err));
  int64_t *to = r->run;
  if (n <= room && lane == SKEP_LANE_64) {
    to = out;
    *done = n;
  } else {
    skep_rle_set_literals(r, (uint32_t)n);
  }
  uint64_t *values = (uint64_t *)to;
  values[0] = (uint64_t)base;
  values[1] = (uint64_t)base + (uint64_t)step;
  skep_unpack_sums(packed, widths[code], values[1], step < 0, values + 2,
                   n - 2); /* the sign of the first delta is that of all */
  return SKEP_OK;
}

typedef struct patched_header {
  uint32_t width, patch_width, gap_width;
  size_t n, n_patches;
  uint64_t base;
} patched_header;

static skep_status patched_header_read(skep_rle_int *r, patched_header *h, skep_err *err) {
  const uint8_t *p, *base;
  SKEP_TRY(take(r, 4, "patched base run", &p, err));
  size_t base_bytes = (p[2] >> 5) + 1u;
  *h = (patched_header){.width = widths[(p[0] >> 1) & 31],
                        .n = ((size_t)(p[0] & 1) << 8 | p[1]) + 1,
                        .patch_width = widths[p[2] & 31],
                        .gap_width = (p[3] >> 5) + 1u,
                        .n_patches = p[3] & 31};
  if (h->n_patches == 0) return skep_fail(err, SKEP_ERR_CORRUPT, "%s: patched base run without patches", r->in->what);
  if (h->width == 64 || h->patch_width + h->gap_width > 64)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: patched base run of %u bits with patches of %u + %u bits", r->in->what,
                     h->width, h->patch_width, h->gap_width);
  SKEP_TRY(take(r, base_bytes, "patched base run", &base, err));
  h->base = big_endian(base, base_bytes);
  uint64_t sign = (uint64_t)1 << (base_bytes * 8 - 1); /* sign and magnitude, not two's complement */
  if ((h->base & sign) != 0) h->base = 0 - (h->base ^ sign);
  return SKEP_OK;
}

/* Puts the patches, each a gap to the place before it and the bits above `width`, into the values. A gap of 255 with an
 * empty patch only lengthens the next gap. A patch behind the end has no effect (the other readers ignore it too). */
static skep_status apply_patches(const skep_rle_int *r, const patched_header *h, const uint64_t *patches,
                                 uint64_t *values, skep_err *err) {
  size_t place = 0;
  bool lengthens = false;
  for (size_t i = 0; i < h->n_patches; i++) {
    uint64_t gap = patches[i] >> h->patch_width;
    uint64_t bits =
        patches[i] & (((uint64_t)1 << h->patch_width) - 1); /* patch_width <= 63: the gap has a bit at least */
    place += (size_t)gap;                                   /* below 31 * 256 */
    lengthens = gap == 255 && bits == 0;
    if (!lengthens && place < h->n) values[place] |= bits << h->width;
  }
  if (lengthens) return skep_fail(err, SKEP_ERR_CORRUPT, "%s: patched base run ends in a gap", r->in->what);
  return SKEP_OK;
}

static skep_status patched_base(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done,
                                skep_err *err) {
  patched_header h;
  const uint8_t *packed, *packed_patches;
  uint64_t patches[31];
  SKEP_TRY(patched_header_read(r, &h, err));
  uint32_t stored = fixed_width(h.patch_width + h.gap_width);
  SKEP_TRY(take(r, packed_bytes(h.width, h.n), "patched base run", &packed, err));
  SKEP_TRY(take(r, packed_bytes(stored, h.n_patches), "patched base run", &packed_patches, err));
  bool in_place = h.n <= room && lane == SKEP_LANE_64;
  uint64_t *values = (uint64_t *)(in_place ? out : r->run);
  skep_unpack_u64(packed, h.width, values, h.n);
  skep_unpack_u64(packed_patches, stored, patches, h.n_patches);
  SKEP_TRY(apply_patches(r, &h, patches, values, err));
  for (size_t i = 0; i < h.n; i++) values[i] += h.base;
  if (in_place) {
    *done = h.n;
  } else {
    skep_rle_set_literals(r, (uint32_t)h.n);
  }
  return SKEP_OK;
}

skep_status skep_rle_v2_run(skep_rle_int *r, void *out, size_t room, skep_rle_lane lane, size_t *done, skep_err *err) {
  *done = 0;
  SKEP_TRY(skep_orc_stream_want(r->in, V2_RUN_BYTES, err));
  if (r->in->at == r->in->end) return skep_orc_stream_short(r->in, 1, "run", err);
  switch (r->in->at[0] >> 6) {
    case 0:
      return short_repeats(r, out, room, lane, done, err);
    case 1:
      return direct(r, out, room, lane, done, err);
    case 2:
      return patched_base(r, out, room, lane, done, err);
    default:
      return delta(r, out, room, lane, done, err);
  }
}

/* Integer runs of version 2: the values are cut into runs as they come, and each run gets one of the four forms.
 *
 * Source: ORC Specification v1, "Integer Run Length Encoding, version 2". Where runs end and which form they get is
 * ORC Java's choice (RunLengthIntegerWriterV2, encoding strategy SPEED): files are then as small as Hive's, byte by
 * byte. Sums and differences wrap around on purpose: they are used only after a check that they cannot. */
#include "orc/encode.h"

#include <string.h>

enum { SHORT_REPEAT, DIRECT, PATCHED_BASE, DELTA };
enum { MIN_REPEAT = 3, MAX_SHORT_REPEAT = 10, MAX_HEADER = 24 };
#define BASE_LIMIT (INT64_C(1) << 56) /* the base of a patched run has at most 8 bytes with its sign */

static uint32_t bits_of(uint64_t v) { return v == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(v); }

/* The five-bit code of the smallest width that has one and holds n bits, and back. */
static uint32_t code_of(uint32_t n) {
  if (n <= 24) return n == 0 ? 0 : n - 1;
  return n <= 32 ? 24 + (n - 25) / 2 : 28 + (n - 33) / 8;
}
static uint32_t width_of(uint32_t code) {
  if (code < 24) return code + 1;
  return code < 28 ? 26 + (code - 24) * 2 : 40 + (code - 28) * 8;
}
static uint32_t closest(uint32_t n) { return width_of(code_of(n)); }

/* Widths that keep values on bytes or on even parts of one. */
static uint32_t aligned(uint32_t n) {
  if (n <= 2) return n == 0 ? 1 : n;
  return n <= 4 ? 4 : (n + 7) / 8 * 8;
}

static uint64_t wrap_sub(int64_t a, int64_t b) { return (uint64_t)a - (uint64_t)b; }

/* ---- output ---- */

/* Widths of whole bytes: each value is stored as eight bytes, of which the next one overwrites what it does not need.
 */
static size_t pack_bytes(uint8_t *bytes, const uint64_t *values, uint32_t n, uint32_t n_bytes) {
  uint8_t *at = bytes;
  for (uint32_t i = 0; i < n; i++, at += n_bytes) {
    uint64_t v = __builtin_bswap64(values[i] << (64 - 8 * n_bytes));
    memcpy(at, &v, sizeof v);
  }
  return (size_t)(at - bytes);
}

/* Widths of 1, 2 and 4 bits: 64 / width values a word. */
static size_t pack_parts(uint8_t *bytes, const uint64_t *values, uint32_t n, uint32_t width) {
  uint64_t mask = (UINT64_C(1) << width) - 1;
  uint32_t per_word = 64 / width, i = 0;
  size_t size = ((size_t)n * width + 7) / 8;
  for (uint8_t *at = bytes; i < n; at += 8) {
    uint64_t word = 0;
    uint32_t left = n - i < per_word ? n - i : per_word, k = 0;
    for (; k < left; k++) word = word << width | (values[i + k] & mask);
    if (k < per_word) word <<= (per_word - k) * width;
    word = __builtin_bswap64(word);
    memcpy(at, &word, sizeof word);
    i += left;
  }
  return size;
}

static size_t pack_any(uint8_t *bytes, const uint64_t *values, uint32_t n, uint32_t width) {
  size_t at = 0;
  uint32_t used = 0; /* bits of `word`, from the top, at most 7 between values */
  uint64_t word = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t v = values[i];
    uint32_t left = width;
    while (left != 0) {
      uint32_t take = 64 - used < left ? 64 - used : left;
      uint64_t part = left == 64 ? v : v & ((UINT64_C(1) << left) - 1);
      word |= take == 64 ? part : (part >> (left - take)) << (64 - used - take);
      used += take;
      left -= take;
      for (; used >= 8; used -= 8, word <<= 8) bytes[at++] = (uint8_t)(word >> 56);
    }
  }
  if (used != 0) bytes[at++] = (uint8_t)(word >> 56);
  return at;
}

static void put_packed(skep_orc_out *out, const uint64_t *values, uint32_t n, uint32_t width) {
  uint8_t bytes[SKEP_ORC_RUN * 8 + 8];
  size_t size;
  if (width % 8 == 0) {
    size = pack_bytes(bytes, values, n, width / 8);
  } else if (width == 1 || width == 2 || width == 4) {
    size = pack_parts(bytes, values, n, width);
  } else {
    size = pack_any(bytes, values, n, width);
  }
  skep_orc_out_put(out, bytes, size);
}

static uint8_t *put_varint(uint8_t *at, uint64_t v) {
  for (; v >= 128; v >>= 7) *at++ = (uint8_t)(v | 0x80);
  *at++ = (uint8_t)v;
  return at;
}

static uint8_t *put_be(uint8_t *at, uint64_t v, uint32_t n_bytes) {
  while (n_bytes-- > 0) *at++ = (uint8_t)(v >> (8 * n_bytes));
  return at;
}

/* The two bytes that all forms but short repeats start with. */
static uint8_t *put_header(uint8_t *at, uint32_t form, uint32_t code, uint32_t n) {
  *at++ = (uint8_t)(form << 6 | code << 1 | (n - 1) >> 8);
  *at++ = (uint8_t)(n - 1);
  return at;
}

static uint64_t stored(const skep_int_encoder *e, int64_t v) { return e->is_signed ? skep_zigzag(v) : (uint64_t)v; }

static void write_short_repeat(skep_int_encoder *e, uint32_t n) {
  uint8_t bytes[MAX_HEADER], *at = bytes;
  uint64_t v = stored(e, e->run[0]);
  uint32_t n_bytes = (closest(bits_of(v)) + 7) / 8;
  *at++ = (uint8_t)(SHORT_REPEAT << 6 | (n_bytes - 1) << 3 | (n - MIN_REPEAT));
  at = put_be(at, v, n_bytes);
  skep_orc_out_put(e->out, bytes, (size_t)(at - bytes));
}

/* No deltas are stored: all are the same. */
static void write_fixed_delta(skep_int_encoder *e, uint32_t n, int64_t delta) {
  uint8_t bytes[MAX_HEADER], *at = put_header(bytes, DELTA, 0, n);
  at = put_varint(at, stored(e, e->run[0]));
  at = put_varint(at, skep_zigzag(delta));
  skep_orc_out_put(e->out, bytes, (size_t)(at - bytes));
}

/* sizes[0] is unused: the first delta stands in the header and gives the direction. */
static void write_delta(skep_int_encoder *e, const uint64_t *sizes, uint64_t largest) {
  uint32_t width = aligned(closest(bits_of(largest)));
  if (width == 1) width = 2; /* the code of one bit means that no deltas are stored */
  uint8_t bytes[MAX_HEADER], *at = put_header(bytes, DELTA, code_of(width), e->n);
  at = put_varint(at, stored(e, e->run[0]));
  at = put_varint(at, skep_zigzag((int64_t)wrap_sub(e->run[1], e->run[0])));
  skep_orc_out_put(e->out, bytes, (size_t)(at - bytes));
  put_packed(e->out, sizes + 1, e->n - 2, width);
}

/* `values` as stored. */
static void write_direct(skep_int_encoder *e, const uint64_t *values, uint32_t width) {
  width = aligned(width);
  uint8_t bytes[MAX_HEADER], *at = put_header(bytes, DIRECT, code_of(width), e->n);
  skep_orc_out_put(e->out, bytes, (size_t)(at - bytes));
  put_packed(e->out, values, e->n, width);
}

/* ---- choosing ---- */

/* The width that holds all values. */
static uint32_t width_of_all(const uint64_t *values, uint32_t n) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < n; i++) any |= values[i];
  return closest(bits_of(any));
}

/* How many values may stick out when `part` of them must fit: with the rounding of ORC Java. */
static uint32_t may_stick_out(uint32_t n, double part) { return (uint32_t)((double)n * (1.0 - part)); }

/* The smallest width that has a code and leaves at most `out` values sticking out. */
static uint32_t width_of_most(const uint64_t *values, uint32_t n, uint32_t out) {
  uint32_t count[65] = {0};
  for (uint32_t i = 0; i < n; i++) count[bits_of(values[i])]++;
  uint32_t bits = 64, above = 0;
  for (; bits > 0 && above + count[bits] <= out; bits--) above += count[bits];
  return closest(bits);
}

/* Whether all but `out` values fit a width that has a code and is below `width`: a count, no table. */
static bool most_are_narrower(const uint64_t *values, uint32_t n, uint32_t out, uint32_t width) {
  uint32_t code = code_of(width), narrower, n_wide = 0;
  do {
    if (code == 0) return false;
    narrower = width_of(--code);
  } while (narrower >= width);
  uint64_t most = (UINT64_C(1) << narrower) - 1;
  for (uint32_t i = 0; i < n; i++) n_wide += values[i] > most;
  return n_wide <= out;
}

/* Patches: what sticks out of the low `width` bits, and how far each is from the one before. */
typedef struct patches {
  uint32_t width, patch_width, gap_width;
  uint32_t n;
  uint64_t entries[40]; /* at most a twentieth of a run sticks out, and two entries bridge long gaps */
} patches;

/* Cuts the values to the low bits. gaps above 255 do not fit the header: entries without a patch bridge them. */
static void collect_patches(patches *p, uint64_t *values, uint32_t n) {
  uint64_t mask = (UINT64_C(1) << p->width) - 1;
  uint32_t longest = 0, last = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (values[i] <= mask) continue;
    uint32_t gap = i - last;
    longest = gap > longest ? gap : longest;
    for (; gap > 255; gap -= 255) p->entries[p->n++] = UINT64_C(255) << p->patch_width;
    p->entries[p->n++] = (uint64_t)gap << p->patch_width | values[i] >> p->width;
    values[i] &= mask;
    last = i;
  }
  p->gap_width = longest == 0 ? 1 : closest(bits_of(longest));
  if (p->gap_width > 8) p->gap_width = 8;
}

static void write_patched(skep_int_encoder *e, int64_t least, uint64_t *reduced, uint32_t width95, uint32_t width100) {
  patches p = {.width = width95, .patch_width = closest(width100 - width95)};
  if (p.patch_width == 64) { /* patch and gap must fit 64 bits together */
    p.patch_width = 56;
    p.width = 8;
  }
  collect_patches(&p, reduced, e->n);
  uint64_t base = least < 0 ? -(uint64_t)least : (uint64_t)least;
  uint32_t n_bytes = (closest(bits_of(base)) + 1 + 7) / 8;
  if (least < 0) base |= UINT64_C(1) << (8 * n_bytes - 1);
  uint8_t bytes[MAX_HEADER], *at = put_header(bytes, PATCHED_BASE, code_of(p.width), e->n);
  *at++ = (uint8_t)((n_bytes - 1) << 5 | code_of(p.patch_width));
  *at++ = (uint8_t)((p.gap_width - 1) << 5 | p.n);
  at = put_be(at, base, n_bytes);
  skep_orc_out_put(e->out, bytes, (size_t)(at - bytes));
  put_packed(e->out, reduced, e->n, closest(p.width));
  put_packed(e->out, p.entries, p.n, closest(p.gap_width + p.patch_width));
}

/* A run whose values go up and down: direct, or patched where a few large ones would widen all. */
static void write_direct_or_patched(skep_int_encoder *e, bool may_patch, int64_t least) {
  uint64_t values[SKEP_ORC_RUN];
  for (uint32_t i = 0; i < e->n; i++) values[i] = stored(e, e->run[i]);
  uint32_t all = width_of_all(values, e->n);
  if (may_patch && least < BASE_LIMIT && least > -BASE_LIMIT &&
      most_are_narrower(values, e->n, may_stick_out(e->n, 0.9), all - 1)) {
    uint64_t reduced[SKEP_ORC_RUN];
    for (uint32_t i = 0; i < e->n; i++) reduced[i] = wrap_sub(e->run[i], least);
    uint32_t width95 = width_of_most(reduced, e->n, may_stick_out(e->n, 0.95));
    uint32_t width100 = width_of_all(reduced, e->n);
    if (width100 != width95) {
      write_patched(e, least, reduced, width95, width100);
      return;
    }
  }
  write_direct(e, values, all);
}

/* A run that is not one of equal values, up to 512 of them. */
static void write_variable(skep_int_encoder *e) {
  if (e->n <= MIN_REPEAT) {
    write_direct_or_patched(e, false, 0);
    return;
  }
  uint64_t sizes[SKEP_ORC_RUN];
  int64_t least = e->run[0], most = e->run[0];
  uint64_t first = wrap_sub(e->run[1], e->run[0]), largest = 0;
  bool rises = true, falls = true, fixed = true;
  for (uint32_t i = 1; i < e->n; i++) {
    int64_t now = e->run[i], before = e->run[i - 1];
    uint64_t delta = wrap_sub(now, before);
    least = now < least ? now : least;
    most = now > most ? now : most;
    rises = rises && before <= now;
    falls = falls && before >= now;
    fixed = fixed && delta == first;
    sizes[i - 1] = (int64_t)delta < 0 ? -delta : delta;
    if (i > 1 && sizes[i - 1] > largest) largest = sizes[i - 1];
  }
  int64_t span;
  if (__builtin_sub_overflow(most, least, &span)) {
    write_direct_or_patched(e, false, 0);
  } else if (fixed) {
    write_fixed_delta(e, e->n, (int64_t)first);
  } else if (first != 0 && (rises || falls)) {
    write_delta(e, sizes, largest);
  } else {
    write_direct_or_patched(e, true, least);
  }
}

/* ---- cutting ---- */

void skep_int_encoder_init(skep_int_encoder *e, skep_orc_out *out, bool is_signed) {
  e->out = out;
  e->is_signed = is_signed;
  e->n = e->n_fixed = e->n_variable = 0;
  e->last_delta = 0;
  e->run = NULL;
  e->capacity = 0;
}

void skep_int_encoder_fini(skep_int_encoder *e) {
  if (e->run != NULL) skep_release(e->out->now.ctx, e->run);
  e->run = NULL;
  e->capacity = 0;
}

/* Room for a run that takes n more values. A failure sticks to the stream. */
static bool reserve_run(skep_int_encoder *e, size_t n) {
  size_t need = e->n + n + MIN_REPEAT, capacity = 16;
  if (need > SKEP_ORC_RUN) need = SKEP_ORC_RUN;
  if (need <= e->capacity) return true;
  while (capacity < need) capacity *= 2;
  int64_t *run = skep_resize(e->out->now.ctx, e->run, capacity * sizeof *run);
  if (run == NULL) {
    if (e->out->now.status == SKEP_OK) e->out->now.status = SKEP_ERR_NOMEM;
    return false;
  }
  e->run = run;
  e->capacity = (uint32_t)capacity;
  return true;
}

static void start_run(skep_int_encoder *e, int64_t value) {
  e->run[0] = value;
  e->n = e->n_fixed = e->n_variable = 1;
  e->last_delta = 0;
}

static void end_run(skep_int_encoder *e) {
  e->n = e->n_fixed = e->n_variable = 0;
  e->last_delta = 0;
}

static void write_equal(skep_int_encoder *e) {
  if (e->n_fixed <= MAX_SHORT_REPEAT) {
    write_short_repeat(e, e->n_fixed);
  } else {
    write_fixed_delta(e, e->n_fixed, 0);
  }
  end_run(e);
}

/* Once more the value before. Three of them end a run that varied, and start one of their own. */
static void put_equal(skep_int_encoder *e, int64_t value) {
  e->run[e->n++] = value;
  if (e->n_variable > 0) e->n_fixed = 2;
  e->n_fixed++;
  if (e->n_fixed >= MIN_REPEAT && e->n_variable > 0) {
    e->n -= MIN_REPEAT;
    write_variable(e);
    for (uint32_t i = 0; i < MIN_REPEAT; i++) e->run[i] = value;
    e->n = e->n_fixed = MIN_REPEAT;
    e->n_variable = 0;
    e->last_delta = 0;
  }
  if (e->n_fixed == SKEP_ORC_RUN) {
    write_fixed_delta(e, e->n_fixed, 0);
    end_run(e);
  }
}

static void put_other(skep_int_encoder *e, int64_t value) {
  if (e->n_fixed >= MIN_REPEAT) {
    write_equal(e);
    start_run(e, value);
    return;
  }
  if (e->n_fixed > 0 && value != e->run[e->n - 1]) {
    e->n_variable = e->n_fixed;
    e->n_fixed = 0;
  }
  e->last_delta = (int64_t)wrap_sub(value, e->run[e->n - 1]);
  e->run[e->n++] = value;
  if (++e->n_variable != SKEP_ORC_RUN) return;
  write_variable(e);
  end_run(e);
}

/* A run of equal values goes on, up to 512 of them. Only run[0] is looked at: the others are not stored. */
static size_t put_repeats(skep_int_encoder *e, const int64_t *values, size_t n) {
  size_t i = 0, room = SKEP_ORC_RUN - e->n_fixed;
  int64_t value = e->run[0];
  if (n > room) n = room;
  while (i < n && values[i] == value) i++;
  e->n += (uint32_t)i;
  e->n_fixed += (uint32_t)i;
  if (e->n_fixed == SKEP_ORC_RUN) {
    write_fixed_delta(e, e->n_fixed, 0);
    end_run(e);
  }
  return i;
}

/* A run that varies goes on until three values in a row are equal, up to 512 of them. At least two are in it. */
static size_t put_varying(skep_int_encoder *e, const int64_t *values, size_t n) {
  size_t i = 0, room = SKEP_ORC_RUN - e->n;
  int64_t before = e->run[e->n - 1], twice = e->run[e->n - 2];
  int64_t *run = e->run + e->n;
  if (n > room) n = room;
  for (; i < n; i++) {
    if (values[i] == before && before == twice) break;
    twice = before;
    before = run[i] = values[i];
  }
  e->n += (uint32_t)i;
  e->n_variable += (uint32_t)i;
  e->last_delta = (int64_t)wrap_sub(before, twice);
  if (e->n_variable == SKEP_ORC_RUN) {
    write_variable(e);
    end_run(e);
  }
  return i;
}

static void put_one(skep_int_encoder *e, int64_t value) {
  if (e->n == 0) {
    start_run(e, value);
  } else if (e->n == 1) {
    bool same = value == e->run[0];
    e->last_delta = (int64_t)wrap_sub(value, e->run[0]);
    e->run[e->n++] = value;
    e->n_fixed = same ? 2 : 0;
    e->n_variable = same ? 0 : 2;
  } else if (e->last_delta == 0 && value == e->run[e->n_variable == 0 && e->n_fixed >= MIN_REPEAT ? 0 : e->n - 1]) {
    put_equal(e, value);
  } else {
    put_other(e, value);
  }
}

/* One value at a time decides what kind of run it is; then the run takes what belongs to it. */
void skep_int_encoder_put(skep_int_encoder *e, const int64_t *values, size_t n) {
  if (e->capacity < SKEP_ORC_RUN && !reserve_run(e, n)) return;
  for (size_t i = 0; i < n;) {
    put_one(e, values[i++]);
    if (e->n_fixed >= MIN_REPEAT && e->n_variable == 0) {
      i += put_repeats(e, values + i, n - i);
    } else if (e->n_variable >= 2 && e->n_fixed == 0 && e->n_variable == e->n) {
      i += put_varying(e, values + i, n - i);
    }
  }
}

void skep_int_encoder_flush(skep_int_encoder *e) {
  if (e->n == 0) return;
  if (e->n_variable != 0 || e->n_fixed < MIN_REPEAT) {
    write_variable(e);
    end_run(e);
  } else {
    write_equal(e);
  }
}

uint64_t *skep_int_encoder_position(const skep_int_encoder *e, uint64_t *at) {
  at = skep_orc_out_position(e->out, at);
  *at++ = e->n;
  return at;
}

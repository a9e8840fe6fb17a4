/* Both bucketing hashes, block by block: each kind has one loop over up to 256 entries; nested values hash their
 * children in blocks and combine them. */
#include "column/bucket_hash.h"

#include <string.h>

#include "column/calendar.h"

enum { BLOCK = 256, DAY = 86400 };

/* ---- Murmur3, 32 bits ---- */

enum { SEED = 104729 };

static uint32_t rotate(uint32_t v, unsigned n) { return v << n | v >> (32 - n); }
static uint32_t mix_word(uint32_t k) { return rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u; }
static uint32_t mix_hash(uint32_t h, uint32_t k) { return rotate(h ^ mix_word(k), 13) * 5 + 0xe6546b64u; }

static uint32_t finish(uint32_t h, uint32_t length) {
  h ^= length;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

static uint32_t signed_byte(uint8_t b) { return (uint32_t)(int32_t)(int8_t)b; }

/* As Hive computes it: bytes of the tail are taken as signed, other than in the original. */
static uint32_t murmur(const uint8_t *at, size_t size) {
  uint32_t h = SEED;
  size_t left = size;
  for (; left >= 4; at += 4, left -= 4) h = mix_hash(h, skep_load_le32(at));
  uint32_t k = 0;
  if (left == 3) k ^= signed_byte(at[2]) << 16;
  if (left >= 2) k ^= signed_byte(at[1]) << 8;
  if (left >= 1) h ^= mix_word(k ^ signed_byte(at[0]));
  return finish(h, (uint32_t)size);
}

/* The same over the value and half as many zeros: Hive hashes the whole array behind a fresh BytesWritable, which has
 * room for 3/2 of the value. (Where it reuses one the rest is whatever was there; no rule can follow that.) */
static uint32_t murmur_binary(skep_bytes value) {
  size_t size = value.left + value.left / 2, at = 0;
  uint32_t h = SEED, k = 0;
  for (; at + 4 <= value.left; at += 4) h = mix_hash(h, skep_load_le32(value.at + at));
  for (; at + 4 <= size; at += 4) {
    uint8_t word[4] = {0};
    if (at < value.left) memcpy(word, value.at + at, value.left - at);
    h = mix_hash(h, skep_load_le32(word));
  }
  for (size_t i = size; i-- > at;) k = k << 8 ^ (i < value.left ? signed_byte(value.at[i]) : 0);
  if (at < size) h ^= mix_word(k);
  return finish(h, (uint32_t)size);
}

/* Of the value's bytes, most significant first. */
static uint32_t murmur_16(uint16_t v) {
  uint8_t bytes[2] = {(uint8_t)(v >> 8), (uint8_t)v};
  return murmur(bytes, sizeof bytes);
}
static uint32_t murmur_32(uint32_t v) { return finish(mix_hash(SEED, __builtin_bswap32(v)), 4); }
static uint32_t murmur_64(uint64_t v) {
  uint32_t h = mix_hash(SEED, __builtin_bswap32((uint32_t)(v >> 32)));
  return finish(mix_hash(h, __builtin_bswap32((uint32_t)v)), 8);
}

/* ---- Java ---- */

static uint32_t fold(uint64_t v) { return (uint32_t)(v >> 32 ^ v); }

/* String.hashCode over bytes starts with 0; WritableComparator.hashBytes, of everything else, with 1. */
static uint32_t java_bytes(uint32_t start, skep_bytes value) {
  uint32_t h = start;
  for (size_t i = 0; i < value.left; i++) h = 31 * h + signed_byte(value.at[i]);
  return h;
}

/* ---- numbers ---- */

static bool load_ints(const skep_vec *vec, int64_t first, int64_t n, int64_t *out) {
  switch (vec->form) {
    case SKEP_FORM_BOOL_BITS:
      for (int64_t i = 0; i < n; i++)
        out[i] = ((const uint8_t *)vec->values.data)[(first + i) >> 3] >> ((first + i) & 7) & 1;
      return true;
    case SKEP_FORM_BOOL_BYTES:
      for (int64_t i = 0; i < n; i++) out[i] = ((const uint8_t *)vec->values.data)[first + i] != 0;
      return true;
    case SKEP_FORM_I8:
      for (int64_t i = 0; i < n; i++) out[i] = ((const int8_t *)vec->values.data)[first + i];
      return true;
    case SKEP_FORM_I16:
      for (int64_t i = 0; i < n; i++) out[i] = ((const int16_t *)vec->values.data)[first + i];
      return true;
    case SKEP_FORM_I32:
      for (int64_t i = 0; i < n; i++) out[i] = ((const int32_t *)vec->values.data)[first + i];
      return true;
    case SKEP_FORM_I64:
      for (int64_t i = 0; i < n; i++) out[i] = ((const int64_t *)vec->values.data)[first + i];
      return true;
    default:
      return false;
  }
}

static bool hash_ints(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  int64_t v[BLOCK];
  if (!load_ints(vec, first, n, v)) return false;
  skep_kind kind = vec->type->kind;
  if (kind == SKEP_BIGINT) {
    for (int64_t i = 0; i < n; i++) out[i] = version == 1 ? fold((uint64_t)v[i]) : murmur_64((uint64_t)v[i]);
  } else if (version == 1 || kind == SKEP_BOOLEAN || kind == SKEP_TINYINT) {
    for (int64_t i = 0; i < n; i++) out[i] = (uint32_t)v[i];
  } else if (kind == SKEP_SMALLINT) {
    for (int64_t i = 0; i < n; i++) out[i] = murmur_16((uint16_t)v[i]);
  } else {
    for (int64_t i = 0; i < n; i++) out[i] = murmur_32((uint32_t)v[i]);
  }
  return true;
}

/* Version 2 hashes the number that the bits are, as a float: Hive passes an int where a float is asked for. */
static uint32_t hash_f32(float value, int version) {
  uint32_t bits = 0x7fc00000u;
  if (value == value) memcpy(&bits, &value, sizeof bits);
  if (version == 1) return bits;
  float number = (float)(int32_t)bits;
  memcpy(&bits, &number, sizeof bits);
  return murmur_32(bits);
}

static uint32_t hash_f64(double value, int version) {
  uint64_t bits = UINT64_C(0x7ff8000000000000);
  if (value == value) memcpy(&bits, &value, sizeof bits);
  if (version == 1) return fold(bits);
  double number = (double)(int64_t)bits;
  memcpy(&bits, &number, sizeof bits);
  return murmur_64(bits);
}

static bool hash_floats(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  if (vec->form == SKEP_FORM_F32) {
    for (int64_t i = 0; i < n; i++) out[i] = hash_f32(((const float *)vec->values.data)[first + i], version);
    return true;
  }
  if (vec->form != SKEP_FORM_F64) return false;
  for (int64_t i = 0; i < n; i++) out[i] = hash_f64(((const double *)vec->values.data)[first + i], version);
  return true;
}

/* ---- decimals ---- */

/* BigDecimal.hashCode; its BigInteger hashes the absolute value's words, most significant first. */
static uint32_t java_decimal(skep_i128 unscaled, unsigned scale) {
  unsigned __int128 size = unscaled < 0 ? -(unsigned __int128)unscaled : (unsigned __int128)unscaled;
  uint32_t h = 0;
  for (int word = 3; word >= 0; word--) h = 31 * h + (uint32_t)(size >> (32 * word));
  if (unscaled < 0) h = (uint32_t)0 - h;
  return 31 * h + scale;
}

/* The shortest two's complement, most significant byte first. */
static uint32_t murmur_decimal(skep_i128 unscaled) {
  uint8_t bytes[16];
  for (int i = 0; i < 16; i++) bytes[i] = (uint8_t)((unsigned __int128)unscaled >> (8 * (15 - i)));
  size_t start = 0;
  uint8_t fill = unscaled < 0 ? 0xff : 0;
  while (start < 15 && bytes[start] == fill && (bytes[start + 1] & 0x80) == (fill & 0x80)) start++;
  return murmur(bytes + start, sizeof bytes - start);
}

static bool hash_decimals(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  int64_t narrow[BLOCK];
  bool wide = vec->form == SKEP_FORM_I128;
  if (!wide && !load_ints(vec, first, n, narrow)) return false;
  for (int64_t i = 0; i < n; i++) {
    skep_i128 v;
    if (wide) {
      memcpy(&v, (const uint8_t *)vec->values.data + 16 * (size_t)(first + i), sizeof v); /* may not be aligned */
    } else {
      v = narrow[i];
    }
    unsigned scale = v == 0 ? 0 : vec->type->scale;
    for (; scale > 0 && v % 10 == 0; scale--) v /= 10;
    out[i] = version == 1 ? java_decimal(v, scale) : murmur_decimal(v);
  }
  return true;
}

/* ---- timestamps ---- */

/* Hadoop's variable-length long. */
static size_t put_vlong(uint8_t *at, int64_t v) {
  if (v >= -112 && v <= 127) {
    at[0] = (uint8_t)(int8_t)v;
    return 1;
  }
  uint64_t size = v < 0 ? ~(uint64_t)v : (uint64_t)v;
  unsigned n = (71 - (unsigned)__builtin_clzll(size)) / 8;
  at[0] = (uint8_t)(int8_t)((v < 0 ? -120 : -112) - (int)n);
  for (unsigned i = 0; i < n; i++) at[1 + i] = (uint8_t)(size >> (8 * (n - 1 - i)));
  return 1 + n;
}

/* The serialised form of TimestampWritableV2: low 31 bits of the seconds under a flag "more follows", then the nine
 * digits of the nanoseconds read backwards, then the seconds' high bits. */
static uint32_t murmur_ts(skep_ts ts) {
  uint8_t bytes[4 + 9 + 9];
  bool second = ts.seconds < 0 || ts.seconds > INT32_MAX;
  int64_t backwards = 0;
  uint32_t nanos = (uint32_t)ts.nanos;
  for (int digit = 0; digit < 9; digit++, nanos /= 10) backwards = backwards * 10 + nanos % 10;
  bool more = backwards != 0 || second;
  uint32_t low = ((uint32_t)ts.seconds & 0x7fffffffu) | (more ? 0x80000000u : 0);
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(low >> (8 * (3 - i)));
  size_t size = 4;
  if (more) size += put_vlong(bytes + size, second ? -backwards - 1 : backwards);
  if (second) size += put_vlong(bytes + size, ts.seconds >> 31);
  return murmur(bytes, size);
}

/* Through java.sql.Timestamp, and so through the calendar that changes in 1582. Its time zone is Hive's: we say UTC. */
static uint32_t java_ts(skep_ts ts) {
  int64_t day = ts.seconds / DAY, rest = ts.seconds % DAY;
  if (rest < 0) day--, rest += DAY;
  int64_t seconds = day < SKEP_GREGORIAN_START_DAY ? skep_days_proleptic_to_hybrid(day) * DAY + rest : ts.seconds;
  return fold((uint64_t)seconds << 30 | (uint32_t)ts.nanos);
}

static skep_ts ts_of_units(int64_t v, int64_t per_second) {
  int64_t seconds = v / per_second, rest = v % per_second;
  if (rest < 0) seconds--, rest += per_second;
  return (skep_ts){.seconds = seconds, .nanos = (int32_t)(rest * (1000000000 / per_second))};
}

static bool hash_times(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  if (vec->form != SKEP_FORM_TS && vec->form != SKEP_FORM_TS_US && vec->form != SKEP_FORM_TS_NS) return false;
  for (int64_t i = 0; i < n; i++) {
    skep_ts ts;
    if (vec->form == SKEP_FORM_TS) {
      ts = ((const skep_ts *)vec->values.data)[first + i];
    } else {
      ts = ts_of_units(((const int64_t *)vec->values.data)[first + i],
                       vec->form == SKEP_FORM_TS_US ? 1000000 : 1000000000);
    }
    out[i] = version == 1 ? java_ts(ts) : murmur_ts(ts);
  }
  return true;
}

/* ---- strings ---- */

static size_t count_chars(skep_bytes value) {
  size_t n = 0;
  for (size_t i = 0; i < value.left; i++) n += (value.at[i] & 0xc0) != 0x80;
  return n;
}

/* HiveCharWritable strips what stands behind the text once the padded value ends with a blank: blanks, and NULs between
 * them. The value may or may not be padded here. */
static skep_bytes strip_char(skep_bytes value, uint32_t length) {
  bool ends_blank = value.left == 0 || value.at[value.left - 1] == ' ' ||
                    (value.at[value.left - 1] == '\0' && count_chars(value) < length);
  while (ends_blank && value.left != 0 && (value.at[value.left - 1] == ' ' || value.at[value.left - 1] == '\0'))
    value.left--;
  return value;
}

static bool hash_texts(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  if (vec->form != SKEP_FORM_STR && vec->form != SKEP_FORM_VIEW && vec->form != SKEP_FORM_DICT) return false;
  skep_kind kind = vec->type->kind;
  for (int64_t i = 0; i < n; i++) {
    if (!skep_vec_is_valid(vec, first + i)) continue;
    skep_bytes value = skep_vec_bytes(vec, first + i);
    if (kind == SKEP_CHAR) value = strip_char(value, vec->type->length);
    if (version == 1) {
      out[i] = java_bytes(kind == SKEP_STRING ? 0 : 1, value);
    } else {
      out[i] = kind == SKEP_BINARY ? murmur_binary(value) : murmur(value.at, value.left);
    }
  }
  return true;
}

/* ---- any kind ---- */

static bool hash_block(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out);

static bool hash_list(const skep_vec *vec, int version, int64_t entry, uint32_t *out) {
  const int32_t *offsets = vec->offsets.data;
  uint32_t part[BLOCK], h = 0;
  for (int64_t at = offsets[entry]; at < offsets[entry + 1]; at += BLOCK) {
    int64_t n = offsets[entry + 1] - at < BLOCK ? offsets[entry + 1] - at : BLOCK;
    if (!hash_block(&vec->children[0], version, at, n, part)) return false;
    for (int64_t i = 0; i < n; i++) h = 31 * h + part[i];
  }
  *out = h;
  return true;
}

/* Values of maps have Java's hash in either version: so it is in Hive. */
static bool hash_map(const skep_vec *vec, int version, int64_t entry, uint32_t *out) {
  const int32_t *offsets = vec->offsets.data;
  uint32_t keys[BLOCK], values[BLOCK], h = 0;
  for (int64_t at = offsets[entry]; at < offsets[entry + 1]; at += BLOCK) {
    int64_t n = offsets[entry + 1] - at < BLOCK ? offsets[entry + 1] - at : BLOCK;
    if (!hash_block(&vec->children[0], version, at, n, keys) || !hash_block(&vec->children[1], 1, at, n, values))
      return false;
    for (int64_t i = 0; i < n; i++) h += keys[i] ^ values[i];
  }
  *out = h;
  return true;
}

static bool hash_struct(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  uint32_t field[BLOCK];
  memset(out, 0, (size_t)n * sizeof *out);
  for (uint32_t c = 0; c < vec->n_children; c++) {
    if (!hash_block(&vec->children[c], version, first, n, field)) return false;
    for (int64_t i = 0; i < n; i++) out[i] = 31 * out[i] + field[i];
  }
  return true;
}

static bool hash_nested(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  for (int64_t i = 0; i < n; i++) {
    int64_t entry = first + i;
    bool done = true;
    if (!skep_vec_is_valid(vec, entry)) continue;
    if (vec->type->kind == SKEP_LIST) {
      done = hash_list(vec, version, entry, &out[i]);
    } else if (vec->type->kind == SKEP_MAP) {
      done = hash_map(vec, version, entry, &out[i]);
    } else {
      int8_t tag = ((const int8_t *)vec->values.data)[entry];
      if (tag < 0 || (uint32_t)tag >= vec->n_children) return false;
      done = hash_block(&vec->children[tag], version, ((const int32_t *)vec->offsets.data)[entry], 1, &out[i]);
    }
    if (!done) return false;
  }
  return true;
}

static bool hash_kind(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  switch (vec->type->kind) {
    case SKEP_BOOLEAN:
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
    case SKEP_DATE:
      return hash_ints(vec, version, first, n, out);
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      return hash_floats(vec, version, first, n, out);
    case SKEP_DECIMAL:
      return hash_decimals(vec, version, first, n, out);
    case SKEP_TIMESTAMP:
      return hash_times(vec, version, first, n, out);
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return hash_texts(vec, version, first, n, out);
    case SKEP_STRUCT:
      return hash_struct(vec, version, first, n, out);
    case SKEP_LIST:
    case SKEP_MAP:
    case SKEP_UNION:
      return hash_nested(vec, version, first, n, out);
    default:
      return false;
  }
}

/* False for a kind without a hash, or a form that does not belong to the kind. */
static bool hash_block(const skep_vec *vec, int version, int64_t first, int64_t n, uint32_t *out) {
  if (!hash_kind(vec, version, first, n, out)) return false;
  for (int64_t i = 0; vec->has_nulls && i < n; i++)
    if (!skep_vec_is_valid(vec, first + i)) out[i] = 0;
  return true;
}

/* Entries in a row are hashed together; a list is a sequence of such runs. */
static skep_status hash_column(const skep_vec *vec, int version, const int32_t *rows, int64_t first, int64_t n,
                               uint32_t *hashes, skep_err *err) {
  uint32_t block[BLOCK];
  for (int64_t from = 0, part; from < n; from += part) {
    int64_t entry = rows != NULL ? rows[first + from] : first + from;
    for (part = 1; part < BLOCK && from + part < n; part++)
      if (rows != NULL && rows[first + from + part] != entry + part) break;
    if (entry < 0 || entry > vec->length - part)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "rows %lld to %lld of a column of %lld", (long long)entry,
                       (long long)entry + (long long)part, (long long)vec->length);
    if (!hash_block(vec, version, entry, part, block))
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "bucket hash of a %s in form %d", skep_kind_name(vec->type->kind),
                       (int)vec->form);
    for (int64_t i = 0; i < part; i++) hashes[from + i] = 31 * hashes[from + i] + block[i];
  }
  return SKEP_OK;
}

skep_status skep_bucket_hash(const skep_vec *const *columns, uint32_t n_columns, int version, const int32_t *rows,
                             int64_t first, int64_t n, uint32_t *hashes, skep_err *err) {
  if (version != 1 && version != 2)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "bucketing version %d: 1 and 2 are known", version);
  for (int64_t i = 0; i < n; i++) hashes[i] = 0;
  for (uint32_t c = 0; c < n_columns; c++) SKEP_TRY(hash_column(columns[c], version, rows, first, n, hashes, err));
  return SKEP_OK;
}

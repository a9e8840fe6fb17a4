/* Statistics and bloom filters as they stand in the file -> the structs of stats.h. Values that a writer is known to
 * get wrong are left out here, once for all users.
 *
 * Sources: ORC Specification v1, "Column Statistics", "Bloom Filter Index"; the issues named at each rule. */
#include "orc/stats_read.h"

#include <math.h>

enum { WRITER_JAVA = 0, WRITER_CPP = 1 };
/* Writer versions of ORC Java, by the issue that was fixed. */
enum { HIVE_8732 = 1, HIVE_12055 = 3, ORC_135 = 6 };

typedef Skep__Orc__Proto__ColumnStatistics pb_stats;

skep_orc_writer_facts skep_orc_tail_writer(const skep_orc_tail *tail) {
  return (skep_orc_writer_facts){tail->writer, tail->writer_version, tail->software_version};
}

static bool is_java(const skep_orc_writer_facts *who) {
  return who->writer == WRITER_JAVA || who->writer == UINT32_MAX;
}

static bool lacks(const skep_orc_writer_facts *who, uint32_t fix) { return is_java(who) && who->version < fix; }

static bool copy_bytes(skep_arena *arena, ProtobufCBinaryData from, skep_bytes *out) {
  uint8_t *copy = skep_arena_alloc(arena, from.len == 0 ? 1 : from.len);
  if (copy == NULL) return false;
  if (from.len > 0) memcpy(copy, from.data, from.len);
  *out = skep_bytes_of(copy, from.len);
  return true;
}

/* Plain decimal text of at most 38 digits. */
static bool parse_decimal(ProtobufCBinaryData text, skep_i128 *unscaled, unsigned *scale) {
  size_t at = 0;
  bool negative = text.len > 0 && text.data[0] == '-', dot = false;
  if (negative) at = 1;
  unsigned n_digits = 0, fraction = 0;
  unsigned __int128 value = 0;
  for (; at < text.len; at++) {
    uint8_t c = text.data[at];
    if (c == '.' && !dot) {
      dot = true;
      continue;
    }
    if (c < '0' || c > '9') return false;
    if (value != 0 || c != '0') n_digits++;
    if (dot) fraction++;
    if (n_digits > 38 || fraction > 38) return false;
    value = value * 10 + (unsigned)(c - '0');
  }
  if (text.len == (negative ? 1u : 0u) + (dot ? 1u : 0u)) return false; /* no digit at all */
  *unscaled = negative ? -(skep_i128)value : (skep_i128)value;
  *scale = fraction;
  return true;
}

static void read_int(const Skep__Orc__Proto__IntegerStatistics *from, skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_INT;
  out->has_min = from->has_minimum;
  out->min.i64 = from->minimum;
  out->has_max = from->has_maximum;
  out->max.i64 = from->maximum;
  out->has_sum = from->has_sum;
  out->sum.i64 = from->sum;
}

static void read_double(const Skep__Orc__Proto__DoubleStatistics *from, skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_DOUBLE;
  out->has_sum = from->has_sum;
  out->sum.f64 = from->sum;
  /* A NaN among the values makes comparisons while writing meaningless; it shows in the sum (ORC-629). */
  if (from->has_sum && isnan(from->sum)) return;
  out->has_min = from->has_minimum && !isnan(from->minimum);
  out->min.f64 = from->minimum;
  out->has_max = from->has_maximum && !isnan(from->maximum);
  out->max.f64 = from->maximum;
}

static bool read_string(skep_arena *arena, const skep_orc_writer_facts *who,
                        const Skep__Orc__Proto__StringStatistics *from, skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_STRING;
  /* HIVE-8732: before, maxima were merged wrongly and strings were compared as UTF-16. */
  if (lacks(who, HIVE_8732)) return true;
  out->has_sum = from->has_sum;
  out->sum.i64 = from->sum;
  out->min_is_bound = !from->has_minimum && from->has_lower_bound;
  out->max_is_bound = !from->has_maximum && from->has_upper_bound;
  out->has_min = from->has_minimum || from->has_lower_bound;
  out->has_max = from->has_maximum || from->has_upper_bound;
  if (out->has_min && !copy_bytes(arena, from->has_minimum ? from->minimum : from->lower_bound, &out->min.bytes))
    return false;
  return !out->has_max || copy_bytes(arena, from->has_maximum ? from->maximum : from->upper_bound, &out->max.bytes);
}

static bool read_decimal(skep_arena *arena, const skep_orc_writer_facts *who, const skep_type *type,
                         const Skep__Orc__Proto__DecimalStatistics *from, skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_DECIMAL;
  if (lacks(who, HIVE_8732)) return true;
  /* ORC-517: writer version ORC-135 has wrong minima and maxima of decimals that fit 64 bits. */
  bool wrong = is_java(who) && who->version == ORC_135 && type->precision <= 18;
  if (!wrong) {
    out->has_min =
        from->has_minimum && parse_decimal(from->minimum, &out->min.decimal.unscaled, &out->min.decimal.scale);
    out->has_max =
        from->has_maximum && parse_decimal(from->maximum, &out->max.decimal.unscaled, &out->max.decimal.scale);
  }
  out->has_sum = from->has_sum && from->sum.len > 0;
  return !out->has_sum || copy_bytes(arena, from->sum, &out->sum.decimal_text);
}

static void read_date(const skep_orc_writer_facts *who, const Skep__Orc__Proto__DateStatistics *from,
                      skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_DATE;
  if (lacks(who, HIVE_8732)) return;
  out->has_min = from->has_minimum;
  out->min.i64 = from->minimum;
  out->has_max = from->has_maximum;
  out->max.i64 = from->maximum;
}

/* Milliseconds and nanoseconds below them -> a point in time. */
static bool ts_from(int64_t millis, int32_t below, skep_ts *out) {
  if (below < 0 || below > 999999) return false;
  int64_t seconds = millis / 1000, rest = millis % 1000;
  if (rest < 0) {
    seconds--;
    rest += 1000;
  }
  *out = (skep_ts){.seconds = seconds, .nanos = (int32_t)rest * 1000000 + below};
  return true;
}

static void read_timestamp(const skep_orc_writer_facts *who, const Skep__Orc__Proto__TimestampStatistics *from,
                           skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_TS;
  /* ORC-135: before, the values stood in the writer's zone; their meaning depends on where they were written. */
  if (lacks(who, ORC_135)) return;
  /* ORC-611: nanoseconds plus one, so that 0 is "not stored": then the whole millisecond is possible. */
  int32_t below_min = from->has_minimum_nanos && from->minimum_nanos != 0 ? from->minimum_nanos - 1 : 0;
  int32_t below_max = from->has_maximum_nanos && from->maximum_nanos != 0 ? from->maximum_nanos - 1 : 999999;
  /* Arrow hands negative nanoseconds to the C++ writer, whose milliseconds are then rounded up; one nanosecond below
   * zero looks like "not stored". */
  int64_t up = !is_java(who) && from->minimum_utc <= 0 && from->minimum_utc > INT64_MIN && below_min == 0;
  out->has_min = from->has_minimum_utc && ts_from(from->minimum_utc - up, below_min, &out->min.ts);
  out->has_max = from->has_maximum_utc && ts_from(from->maximum_utc, below_max, &out->max.ts);
}

static void read_counts(const pb_stats *from, skep_orc_stats *out) {
  out->has_count = from->has_number_of_values;
  out->count = from->number_of_values;
  out->has_null_known = from->has_has_null; /* ORC-1796: some writers do not say */
  out->has_null = from->has_null;
  out->has_bytes_on_disk = from->has_bytes_on_disk;
  out->bytes_on_disk = from->bytes_on_disk;
}

static void read_collection(const Skep__Orc__Proto__CollectionStatistics *from, skep_orc_stats *out) {
  out->kind = SKEP_ORC_STATS_COLLECTION;
  out->min_children = from->min_children;
  out->max_children = from->max_children;
  out->total_children = from->total_children;
}

static bool read_values(skep_arena *arena, const skep_orc_writer_facts *who, const skep_type *type,
                        const pb_stats *from, skep_orc_stats *out) {
  switch (type->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      if (from->int_statistics != NULL) read_int(from->int_statistics, out);
      return true;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      if (from->double_statistics != NULL) read_double(from->double_statistics, out);
      return true;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return from->string_statistics == NULL || read_string(arena, who, from->string_statistics, out);
    case SKEP_DECIMAL:
      return from->decimal_statistics == NULL || read_decimal(arena, who, type, from->decimal_statistics, out);
    case SKEP_DATE:
      if (from->date_statistics != NULL) read_date(who, from->date_statistics, out);
      return true;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      if (from->timestamp_statistics != NULL) read_timestamp(who, from->timestamp_statistics, out);
      return true;
    case SKEP_BOOLEAN:
      if (from->bucket_statistics == NULL || from->bucket_statistics->n_count == 0) return true;
      out->kind = SKEP_ORC_STATS_BOOLEAN;
      out->true_count = from->bucket_statistics->count[0];
      return true;
    case SKEP_BINARY:
      if (from->binary_statistics == NULL || lacks(who, HIVE_8732)) return true;
      out->kind = SKEP_ORC_STATS_BINARY;
      out->has_sum = from->binary_statistics->has_sum;
      out->sum.i64 = from->binary_statistics->sum;
      return true;
    default:
      if (from->collection_statistics != NULL) read_collection(from->collection_statistics, out);
      return true;
  }
}

skep_status skep_orc_stats_from_pb(skep_arena *arena, const skep_orc_writer_facts *who, const skep_type *type,
                                   const pb_stats *from, skep_orc_stats *out, skep_err *err) {
  memset(out, 0, sizeof *out);
  if (from == NULL) return SKEP_OK;
  read_counts(from, out);
  if (!read_values(arena, who, type, from, out)) return skep_fail(err, SKEP_ERR_NOMEM, "column statistics");
  return SKEP_OK;
}

/* ORC-1024: the C++ writer hashed negative numbers its own way up to these releases; those before 1.6.11 do not say
 * which they are. */
static bool is_old_cpp(const skep_orc_writer_facts *who) {
  if (who->writer != WRITER_CPP) return false;
  const char *v = who->software_version;
  return v == NULL || strncmp(v, "1.5.", 4) == 0 || strncmp(v, "1.6.", 4) == 0 || strcmp(v, "1.7.0") == 0;
}

bool skep_orc_bloom_is_usable(const skep_orc_writer_facts *who, const skep_type *type, bool utf8_stream,
                              uint32_t bloom_encoding) {
  if (is_old_cpp(who) || bloom_encoding > 1) return false;
  bool is_text = type->kind == SKEP_STRING || type->kind == SKEP_VARCHAR;
  switch (type->kind) {
    case SKEP_CHAR: /* padded or not, by writer */
    case SKEP_TIMESTAMP_TZ:
      return false;
    case SKEP_DECIMAL: /* hashed as text, whose form differs between writers */
      return utf8_stream && is_java(who);
    case SKEP_TIMESTAMP: /* ORC-135: before in the writer's zone */
      return utf8_stream ? bloom_encoding == 1 : !lacks(who, ORC_135);
    default:
      return !(is_text && !utf8_stream && lacks(who, HIVE_12055)); /* before in the platform's character set */
  }
}

bool skep_orc_bloom_from_pb(skep_arena *arena, const Skep__Orc__Proto__BloomFilter *from, bool utf8_stream,
                            skep_orc_bloom *out) {
  memset(out, 0, sizeof *out);
  size_t n_words = utf8_stream ? from->utf8bitset.len / 8 : from->n_bitset;
  if (n_words == 0 || n_words > UINT32_MAX / 64 || from->num_hash_functions == 0 || from->num_hash_functions > 255)
    return false;
  if (utf8_stream && from->utf8bitset.len % 8 != 0) return false;
  uint64_t *words = skep_arena_alloc(arena, n_words * sizeof *words);
  if (words == NULL) return false;
  for (size_t i = 0; i < n_words; i++)
    words[i] = utf8_stream ? skep_load_le64(from->utf8bitset.data + 8 * i) : from->bitset[i];
  *out = (skep_orc_bloom){
      .n_hashes = from->num_hash_functions, .n_words = (uint32_t)n_words, .words = words, .utf8 = utf8_stream};
  return true;
}

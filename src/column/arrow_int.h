/* What the Arrow files of this layer share: Arrow's format strings taken apart. */
#ifndef COLUMN_ARROW_INT_H
#define COLUMN_ARROW_INT_H

#include "column/arrow.h"

/* How a foreign array keeps its values. */
typedef enum arrow_layout {
  ARROW_BOOL,
  ARROW_INT, /* width 1, 2, 4, 8; also dates in days */
  ARROW_UINT,
  ARROW_FLOAT,
  ARROW_DOUBLE,
  ARROW_DECIMAL, /* width 4, 8, 16 */
  ARROW_DATE_MS,
  ARROW_TIME,  /* timestamps, `per_second` units */
  ARROW_BYTES, /* offsets of `width` 4 or 8 */
  ARROW_VIEW,
  ARROW_FIXED,      /* `width` bytes each */
  ARROW_LIST,       /* offsets of `width` 4 or 8 */
  ARROW_LIST_FIXED, /* `width` elements each */
  ARROW_MAP,
  ARROW_STRUCT,
  ARROW_UNION_DENSE,
  ARROW_UNION_SPARSE
} arrow_layout;

typedef struct arrow_format {
  arrow_layout layout;
  int64_t width;
  int64_t per_second; /* ARROW_TIME: 1, 1000, 1000000 or 1000000000 */
  int64_t n_buffers;
  skep_type like;       /* kind and parameters of the Hive type */
  int8_t child_of[128]; /* unions: child index by type id, -1 = none */
} arrow_format;

/* Takes the format string of a schema node apart (a dictionary's values, not its codes, where it has a dictionary).
 * SKEP_ERR_UNSUPPORTED names a format that has no Hive type, SKEP_ERR_CORRUPT one that is no format. */
SKEP_NODISCARD skep_status skep_arrow_format_parse(const struct ArrowSchema *schema, arrow_format *out, skep_err *err);

/* The child schema at a place in the Hive type: for maps key and value of the entries struct. */
const struct ArrowSchema *skep_arrow_child_schema(const struct ArrowSchema *schema, const arrow_format *format,
                                                  uint32_t i);

/* "field name" for messages, escaped; `out` of 100 bytes will do. */
const char *skep_arrow_field(const struct ArrowSchema *schema, char *out, size_t out_size);

/* A point in time as one number of units (per second: 1, 1000, 1000000 or 1000000000), cut off towards the past; false
 * when it does not fit. Negative seconds count from the next one up: the product alone may overflow where the sum fits.
 */
static inline bool skep_ts_to_units(skep_ts ts, int64_t units, int64_t *out) {
  int64_t seconds = ts.seconds, rest = ts.nanos / (1000000000 / units);
  if (seconds < 0) {
    seconds++;
    rest -= units;
  }
  return !__builtin_mul_overflow(seconds, units, out) && !__builtin_add_overflow(*out, rest, out);
}
static inline skep_ts skep_ts_from(int64_t value, int64_t units) {
  int64_t seconds = value / units, rest = value % units;
  if (rest < 0) {
    rest += units;
    seconds--;
  }
  return (skep_ts){seconds, (int32_t)(rest * (1000000000 / units)), 0};
}

/* SKEP_ERR_RANGE: "timestamp 2262-04-12 00:00:00 does not fit 64-bit nanoseconds". */
skep_status skep_arrow_ts_range(const skep_ctx *ctx, skep_ts ts, int64_t units, skep_err *err);

/* One export in progress. */
typedef struct arrow_exporter {
  const skep_forms *forms;
  skep_utf8_mode utf8;
  bool replaced; /* U+FFFD was put in */
  skep_err *err;
} arrow_exporter;

/* Brings one node (children only where a union needs it) into a form that Arrow has too: values as the schema says, STR
 * or DICT with its strings as `utf8` asks, unions without NULLs of their own. */
SKEP_NODISCARD skep_status skep_arrow_convert(arrow_exporter *x, skep_vec *vec);

/* A range of a foreign array on its way into a vector, whose entries vec->length .. + count - 1 it becomes. Validity is
 * written already; vec->length is raised by the caller. */
typedef struct arrow_source {
  const struct ArrowSchema *schema;
  const struct ArrowArray *array;
  const arrow_format *format;
  int64_t first; /* counted in the buffers: the array's offset is in it */
  int64_t count;
} arrow_source;

/* Whether entry i of an array (counted in the buffers) is valid by the array's own bitmap. */
bool skep_arrow_is_valid(const struct ArrowArray *array, int64_t i);

/* The bytes of one entry (counted in the buffers) of a string-like array, checked. */
SKEP_NODISCARD skep_status skep_arrow_value_bytes(const arrow_format *format, const struct ArrowArray *array, int64_t i,
                                                  skep_bytes *out, skep_err *err);

/* Values of every layout without children. */
SKEP_NODISCARD skep_status skep_arrow_import_values(skep_vec *vec, const arrow_source *from, skep_err *err);

/* "an Arrow array ...": the one place where broken foreign arrays are reported. */
skep_status skep_arrow_broken(skep_err *err, const char *format, ...) SKEP_PRINTF(2, 3);

#endif

/* Values as text: what Hive prints, the lossless `copy` form, JSON.
 *
 * Source: HiveQL results as HiveServer2 hands them out (DECIMAL with all digits of its scale, Java's float and double
 * text, timestamps without trailing zeros, CHAR padded to its length, nested values as Hive's JSON). */
#ifndef COLUMN_TEXT_H
#define COLUMN_TEXT_H

#include "column/vec.h"

typedef enum skep_text_style {
  SKEP_TEXT_HIVE, /* as Hive prints: binary as raw bytes, nothing escaped at top level */
  SKEP_TEXT_COPY, /* lossless: NULL as \N; backslash, tab, LF, CR, NUL escaped; binary as upper-case hex at top level */
  SKEP_TEXT_JSON /* one JSON value: decimals as strings, binary as array of bytes, map as [{"key":..,"value":..}], union
                    as
                    {"tag":..,"value":..}, NaN and infinities as strings, invalid UTF-8 as U+FFFD */
} skep_text_style;

typedef struct skep_text {
  skep_text_style style;
  const char *null_text; /* SKEP_TEXT_HIVE: top-level NULL, normally "NULL" */
  skep_status utf8_fail; /* SKEP_TEXT_JSON: SKEP_OK = replace invalid UTF-8, else fail with this status */
  bool replaced_utf8;    /* set when a replacement happened */
  bool replace_utf8;     /* the other styles: invalid UTF-8 in strings (and binary inside nested values) as U+FFFD, as
                            HiveServer2     hands them out, for whom strings are Java's; else bytes pass through */
} skep_text;

/* Appends entry i of a vector (any form). Buffer failures stay in `out`; the returned status is about the value. */
SKEP_NODISCARD skep_status skep_text_value(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out,
                                           skep_err *err);

/* Appends a JSON string literal of these bytes (quotes included). */
skep_status skep_text_json_string(skep_text *text, skep_bytes bytes, skep_buf *out, skep_err *err);

/* Building blocks, also for partition directory names. */
void skep_text_f64(double v, skep_buf *out); /* Java's Double.toString */
void skep_text_f32(float v, skep_buf *out);  /* Java's Float.toString */
void skep_text_decimal(skep_i128 unscaled, unsigned scale, bool trim,
                       skep_buf *out);            /* trim: trailing fraction zeros */
void skep_text_date(int64_t days, skep_buf *out); /* yyyy-MM-dd, proleptic */
void skep_text_ts(skep_ts ts, skep_buf *out);     /* yyyy-MM-dd HH:mm:ss[.f] without trailing zeros */

/* Reading the same texts (literals, partition values). Whole input must match; false when it does not or is out of
 * range. */
bool skep_parse_i64(skep_bytes text, int64_t *out);
bool skep_parse_f64(skep_bytes text, double *out); /* also NaN, Infinity, -Infinity; no locale */
bool skep_parse_decimal(skep_bytes text, unsigned scale, skep_i128 *out,
                        bool *exact); /* rounds half up when not exact */
bool skep_parse_date(skep_bytes text, int64_t *days);
bool skep_parse_ts(skep_bytes text, skep_ts *out); /* date alone is midnight; 'T' or blank; up to 9 digits */

/* A decimal number -> the nearest binary one with `mantissa_bits` (53 or 24), ties to even; overflow gives infinity.
 * NaN and infinities as Java spells them. */
bool skep_parse_binary(skep_bytes text, unsigned mantissa_bits, double *out);

/* Without blanks and control characters at both ends, as Java trims. */
skep_bytes skep_text_trim(skep_bytes text);
skep_bytes skep_text_cut(skep_bytes text, uint32_t max);  /* the first `max` code points */
bool skep_text_equals(skep_bytes text, const char *word); /* ASCII case ignored; `word` in lower case */

/* Hive's casts of strings: blanks around are ignored; an integer's fraction is cut off; a date may be followed by
 * anything but a digit; a timestamp that cannot be read in whole is its leading date; "Z" and " UTC" behind a time are
 * ignored. */
bool skep_text_cast_i64(skep_bytes text, int64_t min, int64_t max, int64_t *out);
bool skep_text_cast_date(skep_bytes text, int64_t *days);
bool skep_text_cast_ts(skep_bytes text, skep_ts *out);

/* Appends the typed value of a text to a vector of a primitive type (Arrow forms), as Hive casts a partition value or
 * literal; SKEP_ERR_RANGE when it is none. */
SKEP_NODISCARD skep_status skep_vec_append_text(skep_vec *vec, skep_bytes text, skep_err *err);

#endif

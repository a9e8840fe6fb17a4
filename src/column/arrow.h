/* The Arrow C data and stream doors, both ways. */
#ifndef COLUMN_ARROW_H
#define COLUMN_ARROW_H

#include "column/vec.h"
#include "skep/arrow_abi.h"

typedef enum skep_utf8_mode {
  SKEP_UTF8_REPLACE, /* invalid sequences become U+FFFD; said once through the log */
  SKEP_UTF8_FAIL,    /* SKEP_ERR_RANGE naming the column and row */
  SKEP_UTF8_AS_IS    /* passed through (the consumer checks) */
} skep_utf8_mode;

/* What is exported may outlive the context and the vector: schemas, arrays and children moved out of them keep a copy
 * of ctx->allocator, never ctx itself.
 *
 * Schema of a type: struct<...> becomes "+s", timestamps as `forms` says (SKEP_FORM_TS is exported as microseconds),
 * boolean, intN, floats, decimal128, utf8 (string, char, varchar), binary, date32, list, map, struct, dense union.
 * Everything is nullable except map keys. Timestamps with local time zone carry the zone "UTC". */
SKEP_NODISCARD skep_status skep_arrow_export_schema(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                                                    struct ArrowSchema *out, skep_err *err);

/* Moves a vector's buffers into an ArrowArray (zero copy where forms allow; lent buffers are copied) and leaves the
 * vector empty, ready to be filled again. Dictionaries are exported as Arrow dictionaries only when `forms` keeps them,
 * and are expanded otherwise. Where `forms` keeps dictionaries the schema of every string-like column has one, so a
 * vector that came as plain strings is exported with codes 0, 1, 2 ... into itself: all batches of a stream agree. NULL
 * unions become a NULL of their first child. On failure the vector is emptied too, and *out is released (release NULL).
 *
 * - SKEP_ERR_RANGE: a timestamp that does not fit the unit, or (SKEP_UTF8_FAIL) bytes that are no UTF-8, named with
 *   column and row
 * - SKEP_ERR_LIMIT: strings of more than 2 GiB after conversion */
SKEP_NODISCARD skep_status skep_arrow_export_vec(skep_vec *vec, const skep_forms *forms, skep_utf8_mode utf8,
                                                 struct ArrowArray *out, skep_err *err);

/* The same, but says nothing in the log: sets *replaced when U+FFFD was put in, and leaves it alone otherwise. For
 * callers that export many batches and want to say it once. */
SKEP_NODISCARD skep_status skep_arrow_export_quietly(skep_vec *vec, const skep_forms *forms, skep_utf8_mode utf8,
                                                     bool *replaced, struct ArrowArray *out, skep_err *err);
/* What such a caller says then. */
void skep_arrow_say_replaced(const skep_ctx *ctx);

/* The type of a foreign schema, in our arena. SKEP_ERR_UNSUPPORTED names the format string that has no Hive type. */
SKEP_NODISCARD skep_status skep_arrow_import_type(skep_arena *arena, const struct ArrowSchema *schema,
                                                  const skep_type **out, skep_err *err);

/* Copies a foreign array into an initialised vector of the imported type. Lengths, offsets and codes are validated
 * first. The array is borrowed and not released. */
SKEP_NODISCARD skep_status skep_arrow_import_vec(skep_vec *vec, const struct ArrowSchema *schema,
                                                 const struct ArrowArray *array, skep_err *err);

/* A pull source of batches for skep_arrow_stream: fills root (reset; in Arrow's forms with nothing lost, as skep_forms
 * zero-initialised has them) or returns SKEP_END. */
typedef struct skep_batch_source {
  skep_status (*next)(void *self, skep_batch *batch, skep_err *err);
  void (*release)(void *self);
  void *self;
} skep_batch_source;

/* What the calls of an ArrowArrayStream return for a status, 0 for SKEP_OK and SKEP_END. Arrow's C++ library (and so
 * pyarrow) tells apart ENOMEM, ENOSYS (not implemented), EINVAL and ERANGE (both: invalid); all else is an I/O error.
 */
int skep_arrow_errno(skep_status status);

/* An ArrowArrayStream over a source (moved in, also on failure). forms: of the arrays. type and ctx must outlive the
 * stream; `release` is the last thing that it does with them. */
SKEP_NODISCARD skep_status skep_arrow_stream(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                                             skep_utf8_mode utf8, skep_batch_source source,
                                             struct ArrowArrayStream *out, skep_err *err);

#endif

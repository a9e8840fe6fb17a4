/* Vectors: one column's buffers in Arrow layout, and batches of them.
 *
 * A vector says its logical type and its physical form. Producers (the ORC decoders) write into the vector's buffers,
 * which the vector owns, or which somebody lent (Arrow memory, another engine's vector): a lent buffer is never grown
 * or freed; when it is too small the producer gets SKEP_ERR_LIMIT. Only fixed-width buffers can be lent; string bytes
 * always go to the vector's own heap or stay in a dictionary.
 *
 * Validity is a bitmap, least significant bit first, 1 = valid, or absent (has_nulls false) when no value is NULL.
 * Values below a NULL are unspecified but initialised (0 where the producer wrote nothing); NULL list and map entries
 * are empty ranges; a NULL struct's children are NULL too. */
#ifndef COLUMN_VEC_H
#define COLUMN_VEC_H

#include "base/bytes.h"
#include "column/type.h"

typedef enum skep_form {
  SKEP_FORM_NONE,
  SKEP_FORM_BOOL_BITS,  /* 1 bit each, LSB first (Arrow) */
  SKEP_FORM_BOOL_BYTES, /* 1 byte, 0 or 1 (DuckDB) */
  SKEP_FORM_I8,
  SKEP_FORM_I16, /* also decimals up to 4 digits, unscaled */
  SKEP_FORM_I32, /* int, date (days since 1970-01-01, proleptic Gregorian), decimals up to 9 digits */
  SKEP_FORM_I64, /* bigint, decimals up to 18 digits */
  SKEP_FORM_F32,
  SKEP_FORM_F64,
  SKEP_FORM_I128,  /* decimals, unscaled, two's complement little-endian, 16 bytes */
  SKEP_FORM_TS,    /* skep_ts: whole range, nine digits */
  SKEP_FORM_TS_US, /* int64 microseconds since 1970-01-01; nanoseconds are cut off towards the past */
  SKEP_FORM_TS_NS, /* int64 nanoseconds; a value that does not fit is SKEP_ERR_RANGE and named */
  SKEP_FORM_STR,   /* int32 offsets[length + 1] into the heap */
  SKEP_FORM_VIEW,  /* skep_view[length]: 16 bytes, short strings inside */
  SKEP_FORM_DICT,  /* int32 codes[length] into dict; codes below NULLs are 0 */
  SKEP_FORM_LIST, /* int32 offsets[length + 1] into children[0] (list), or children[0] keys and children[1] values (map)
                   */
  SKEP_FORM_STRUCT, /* children of the same length */
  SKEP_FORM_UNION   /* dense: int8 tags[length], int32 offsets[length] into children[tag], ascending in each child;
                       validity as   usual, and a NULL has tag 0, offset 0 and no entry in a child */
} skep_form;

/* A point in time: seconds since 1970-01-01 00:00:00 (wall clock read as UTC, or an instant), nanos 0..999999999. */
typedef struct skep_ts {
  int64_t seconds;
  int32_t nanos;
  int32_t zero;
} skep_ts;

typedef __int128 skep_i128;

/* Up to 12 bytes inline (zero padded), else 4 bytes of prefix and a pointer into a heap that outlives the view. */
typedef union skep_view {
  struct {
    uint32_t length;
    char bytes[12];
  } inlined;
  struct {
    uint32_t length;
    char prefix[4];
    const uint8_t *at;
  } far;
} skep_view;

/* The view of `bytes` (at most UINT32_MAX of them), which must outlive it when they do not fit inside. */
static inline skep_view skep_view_of(skep_bytes bytes) {
  skep_view view = {.inlined = {(uint32_t)bytes.left, {0}}};
  if (bytes.left > sizeof view.inlined.bytes) {
    memcpy(view.far.prefix, bytes.at, sizeof view.far.prefix);
    view.far.at = bytes.at;
  } else if (bytes.left != 0) {
    memcpy(view.inlined.bytes, bytes.at, bytes.left);
  }
  return view;
}

/* An immutable dictionary of byte strings, shared by reference count. */
typedef struct skep_dict {
  uint32_t references;      /* atomic: __atomic builtins only */
  uint32_t utf8;            /* atomic; whether all is UTF-8, as the Arrow door found: 0 not looked at, 1 yes, 2 no */
  skep_allocator allocator; /* a copy: exported to Arrow, a dictionary may outlive its context */
  uint32_t count;
  const uint32_t *offsets; /* count + 1 */
  const uint8_t *bytes;
} skep_dict;

/* Allocates a dictionary with room for `count` offsets and `n_bytes` bytes, reference count 1; the caller fills it
 * through the two pointers before sharing it. One allocation, freed by the last unref. */
SKEP_NODISCARD skep_status skep_dict_new(const skep_ctx *ctx, uint32_t count, size_t n_bytes, skep_dict **out,
                                         uint32_t **offsets, uint8_t **bytes, skep_err *err);
skep_dict *skep_dict_ref(skep_dict *dict);
void skep_dict_unref(skep_dict *dict); /* accepts NULL */

/* A buffer: owned by the vector unless lent. Owned ones come from the context's allocator. Capacity is readable and
 * writable in whole; producers may use it as scratch, so owned buffers carry SKEP_VEC_SLACK extra bytes at the end. */
typedef struct skep_vbuf {
  void *data;
  size_t capacity; /* bytes, slack not counted */
  bool lent;
} skep_vbuf;

enum { SKEP_VEC_SLACK = 64 };

typedef struct skep_vec skep_vec;
struct skep_vec {
  const skep_ctx *ctx;
  const skep_type *type; /* borrowed: must outlive the vector */
  skep_form form;
  int64_t length;
  bool has_nulls;     /* false: validity content is meaningless */
  int64_t null_count; /* exact when has_nulls */
  skep_vbuf validity;
  skep_vbuf values;  /* fixed-width values, codes, views, union tags, bits */
  skep_vbuf offsets; /* strings, lists, maps: length + 1; unions: length */
  skep_vbuf heap;    /* string bytes */
  size_t heap_size;  /* bytes used */
  skep_dict *dict;   /* SKEP_FORM_DICT, one reference held; else NULL */
  uint32_t n_children;
  skep_vec *children; /* owned array */
};

/* How a consumer wants vectors; zero-initialise for Arrow's forms with nothing lost. */
typedef struct skep_forms {
  skep_form boolean;      /* 0 = SKEP_FORM_BOOL_BITS, or SKEP_FORM_BOOL_BYTES */
  skep_form timestamp;    /* 0 = SKEP_FORM_TS, or SKEP_FORM_TS_US, SKEP_FORM_TS_NS */
  skep_form string;       /* 0 = SKEP_FORM_STR, or SKEP_FORM_VIEW; also for values whose dictionary is not kept */
  bool keep_dictionaries; /* string, char, varchar, binary columns that are dictionary encoded come as SKEP_FORM_DICT */
  bool narrow_decimals;   /* the smallest of I16/I32/I64/I128 that holds the precision, else always I128 */
} skep_forms;

/* The form that `forms` asks for at a type (never SKEP_FORM_DICT). */
skep_form skep_form_of(const skep_type *type, const skep_forms *forms);
size_t skep_form_width(skep_form form); /* bytes of one entry of `values`; 0 for bits and for forms without values */

/* A vector tree for a type, with nothing allocated but the nodes. */
SKEP_NODISCARD skep_status skep_vec_init(skep_vec *vec, const skep_ctx *ctx, const skep_type *type,
                                         const skep_forms *forms, skep_err *err);
void skep_vec_fini(skep_vec *vec); /* safe on a zeroed vector and twice; lent buffers are left alone */

/* Forgets content, keeps memory: length 0, no nulls, heap empty, dictionary dropped, in the whole tree. */
void skep_vec_reset(skep_vec *vec);

/* Room for `length` entries in this node's own buffers (not its children's): values, offsets and - when with_validity -
 * the bitmap. Content up to vec->length is kept, new memory is zeroed. SKEP_ERR_LIMIT beyond
 * ctx->limits.max_batch_bytes or a lent buffer. */
SKEP_NODISCARD skep_status skep_vec_reserve(skep_vec *vec, int64_t length, bool with_validity, skep_err *err);
/* The same for a producer that will write all entries, those below NULLs too: new values and offsets are not zeroed. */
SKEP_NODISCARD skep_status skep_vec_reserve_unset(skep_vec *vec, int64_t length, bool with_validity, skep_err *err);
/* Total, not extra. In view form the views of entries below vec->length follow when the heap moves. */
SKEP_NODISCARD skep_status skep_vec_reserve_heap(skep_vec *vec, size_t n_bytes, skep_err *err);

/* Makes entry validity real: allocates the bitmap and sets it to all valid for vec->length entries if has_nulls was
 * false. */
SKEP_NODISCARD skep_status skep_vec_need_validity(skep_vec *vec, skep_err *err);

static inline bool skep_vec_is_valid(const skep_vec *vec, int64_t i) {
  return !vec->has_nulls || (((const uint8_t *)vec->validity.data)[i >> 3] >> (i & 7) & 1);
}

/* The bytes of entry i of a string-like vector in any form (STR, VIEW, DICT); the entry must be valid. */
skep_bytes skep_vec_bytes(const skep_vec *vec, int64_t i);

/* Keeps the entries listed in `rows` (strictly ascending positions), in place, through the whole tree. Strings and
 * nested children are compacted as well; the heap of views stays as it is. A struct without children keeps only its
 * length. SKEP_ERR_NOMEM leaves a vector that must be reset. */
SKEP_NODISCARD skep_status skep_vec_select(skep_vec *vec, const int32_t *rows, int64_t n_rows, skep_err *err);

/* The same rows of several vectors of one length, which lie next to each other. */
SKEP_NODISCARD skep_status skep_vec_select_columns(skep_vec *columns, uint32_t n_columns, const int32_t *rows,
                                                   int64_t n_rows, skep_err *err);

/* Sets `length` entries of a vector (whole tree, any form) to NULL. */
SKEP_NODISCARD skep_status skep_vec_set_null(skep_vec *vec, int64_t length, skep_err *err);

/* Appends `count` entries of `from` starting at `first` to `to`: same type, same forms (DICT is expanded when the
 * dictionaries differ; an empty `to` takes over the dictionary). Used where rows of several sources meet (merging,
 * tests). `to` must be another vector; on failure it must be reset. */
SKEP_NODISCARD skep_status skep_vec_append(skep_vec *to, const skep_vec *from, int64_t first, int64_t count,
                                           skep_err *err);

/* Replaces SKEP_FORM_DICT by plain strings in the form asked for (STR or VIEW), in place, whole tree. */
SKEP_NODISCARD skep_status skep_vec_flatten(skep_vec *vec, skep_form string_form, skep_err *err);

/* Equal-length columns: a root vector (a struct for every table; an ORC file may have another root). */
typedef struct skep_batch {
  skep_vec root;
  int64_t first_row; /* number of the first row in its file, when it comes from one; rows are consecutive then */
} skep_batch;

#endif

/* Column readers: the streams of one column of the file -> a vector of the wanted type. Inside orc only.
 *
 * A tree of them mirrors the target type. It is built once a reader and started once a stripe; then next, skip and seek
 * may be called in any order. `rows` handed to a child are entries of the parent: where the parent is NULL the child
 * stores nothing at all, not even a presence bit. */
#ifndef ORC_COLUMN_H
#define ORC_COLUMN_H

#include "orc/convert.h"
#include "orc/rle.h"
#include "orc/stripe_source.h"
#include "orc/timezone.h"

typedef struct skep_orc_column skep_orc_column;

/* What all columns of a reader share. */
typedef struct skep_orc_column_env {
  const skep_ctx *ctx;
  skep_arena *arena; /* lives as long as the reader: nodes of the tree */
  skep_orc_access *access;
  skep_orc_stripe_source *source;
  const skep_orc_mapping *mapping;
  skep_forms forms;
  bool hybrid; /* days and seconds are in the hybrid calendar */
  /* of the stripe that was started */
  const skep_orc_stripe_dir *dir;
  const skep_timezone *zone; /* NULL: UTC */
} skep_orc_column_env;

/* Which entries of the parent exist. */
typedef struct skep_orc_rows {
  int64_t n;
  const uint8_t *validity; /* NULL: all */
  int64_t n_valid;
} skep_orc_rows;

typedef struct skep_orc_positions {
  const uint64_t *at;
  uint32_t left;
} skep_orc_positions;

typedef struct skep_orc_column_vtab {
  skep_status (*start)(skep_orc_column *c, skep_err *err); /* optional */
  /* n_values packed values into vec, which has validity set and length n; spreads them. */
  skep_status (*next)(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err);
  skep_status (*skip)(skep_orc_column *c, uint64_t n_values, skep_err *err);
  skep_status (*seek)(skep_orc_column *c, skep_orc_positions *at, skep_err *err);
} skep_orc_column_vtab;

enum {
  SKEP_ORC_STREAM_PRESENT,
  SKEP_ORC_STREAM_FIRST,
  SKEP_ORC_STREAM_SECOND,
  SKEP_ORC_STREAM_BLOB,
  SKEP_ORC_N_STREAMS
};

enum { SKEP_ORC_N_SCRATCH = 3 };

/* A dictionary entry of at most 32 bytes, padded. */
typedef struct skep_orc_short_entry {
  uint8_t bytes[32];
  uint32_t length;
} skep_orc_short_entry;

struct skep_orc_column {
  const skep_orc_column_vtab *vt; /* NULL: missing in the file, all NULL */
  skep_orc_column_env *env;
  const skep_type *target, *file;
  bool converts;
  skep_vec from; /* values before conversion */
  uint32_t n_children;
  skep_orc_column *children;

  uint32_t encoding;
  bool v2, is_dictionary; /* of the encoding */
  bool has_present;
  bool has_stream[SKEP_ORC_N_STREAMS]; /* in this stripe */
  skep_orc_stream stream[SKEP_ORC_N_STREAMS];
  skep_rle_bit present;
  /* decoders, by kind */
  skep_rle_int *ints[2]; /* over FIRST and SECOND */
  skep_rle_byte bytes;
  skep_rle_bit bits;
  skep_dict *dict;                     /* of the stripe, loaded when first needed */
  uint32_t longest_entry;              /* of the dictionary */
  skep_orc_short_entry *short_entries; /* by code, or NULL */
  bool is_decimal64, own_scale;
  /* row index of the stripe; loaded when first needed */
  bool index_loaded;
  uint32_t n_groups;
  const skep_orc_row_group *groups;
  void *scratch[SKEP_ORC_N_SCRATCH];
  size_t scratch_size[SKEP_ORC_N_SCRATCH];
};

/* Builds the tree for env->mapping->target. */
SKEP_NODISCARD skep_status skep_orc_column_build(skep_orc_column_env *env, const skep_type *target,
                                                 skep_orc_column *out, skep_err *err);
void skep_orc_column_free(skep_orc_column *c); /* what the node owns; safe on a zeroed one */

/* Before skep_orc_stripe_source_plan: names the streams. After it: start. */
SKEP_NODISCARD skep_status skep_orc_column_start(skep_orc_column *c, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_column_next(skep_orc_column *c, skep_vec *vec, const skep_orc_rows *rows,
                                                skep_err *err);
SKEP_NODISCARD skep_status skep_orc_column_skip(skep_orc_column *c, uint64_t n, skep_err *err);
/* Loads the row indexes of the whole subtree; *usable false when a column has none for `group`. */
SKEP_NODISCARD skep_status skep_orc_column_load_index(skep_orc_column *c, skep_arena *arena, uint32_t group,
                                                      bool *usable, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_column_seek(skep_orc_column *c, uint32_t group, skep_err *err);

/* For the kinds. */
void skep_orc_column_drop_dictionary(skep_orc_column *c);
SKEP_NODISCARD skep_status skep_orc_column_scratch(skep_orc_column *c, int which, size_t n, size_t width, void **out,
                                                   skep_err *err);
/* SKEP_ERR_CORRUPT when the rest of a stream cannot unfold to n bytes, so that a false length allocates nothing. */
SKEP_NODISCARD skep_status skep_orc_column_check_bytes(const skep_orc_stream *s, uint64_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_seek_stream(skep_orc_stream *s, skep_orc_positions *at, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_seek_ints(skep_rle_int *r, skep_orc_positions *at, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_seek_bytes(skep_rle_byte *r, skep_orc_positions *at, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_seek_bits(skep_rle_bit *r, skep_orc_positions *at, skep_err *err);
static inline const uint8_t *skep_orc_validity(const skep_vec *vec) {
  return vec->has_nulls ? vec->validity.data : NULL;
}

extern const skep_orc_column_vtab skep_orc_column_boolean, skep_orc_column_tinyint, skep_orc_column_integer,
    skep_orc_column_float, skep_orc_column_date, skep_orc_column_timestamp, skep_orc_column_decimal,
    skep_orc_column_string, skep_orc_column_struct, skep_orc_column_list, skep_orc_column_union;

#endif

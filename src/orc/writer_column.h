/* Column writers: the entries of a vector -> the streams, row index and statistics of one column. Inside orc only.
 *
 * A tree of them mirrors the type. Entries of a parent that are NULL do not exist for its children: they get the list
 * of those that do. */
#ifndef ORC_WRITER_COLUMN_H
#define ORC_WRITER_COLUMN_H

#include "orc/bloom.h"
#include "orc/encode.h"
#include "orc/stats_write.h"
#include "orc/writer_dict.h"

typedef struct skep_orc_wcolumn skep_orc_wcolumn;

/* What all columns of a writer share. */
typedef struct skep_orc_wenv {
  const skep_ctx *ctx;
  skep_orc_compressor *codec; /* NULL: not compressed */
  size_t block_size;
  uint32_t stride; /* 0: no row index */
  double dictionary_threshold, bloom_fpp;
  bool pad_char;
  bool hybrid; /* dates and timestamps are stored in the hybrid calendar */
  skep_buf scratch, scratch2;
  skep_buf padded; /* CHAR values of the block at hand, with their blanks */
} skep_orc_wenv;

/* Entries of a vector: a range, or (at != NULL) a list, ascending. */
typedef struct skep_orc_entries {
  const int32_t *at;
  int64_t first, n;
} skep_orc_entries;

static inline int64_t skep_orc_entry(const skep_orc_entries *e, int64_t i) {
  return e->at != NULL ? e->at[i] : e->first + i;
}
static inline skep_orc_entries skep_orc_entries_part(const skep_orc_entries *e, int64_t from, int64_t n) {
  return (skep_orc_entries){e->at != NULL ? e->at + from : NULL, e->first + from, n};
}

typedef struct skep_orc_wcolumn_vtab {
  /* Entries that are not NULL: into the streams and c->group. */
  skep_status (*write)(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *valid, skep_err *err);
  uint64_t *(*position)(skep_orc_wcolumn *c, uint64_t *at);      /* NULL: nothing but presence */
  skep_status (*end_group)(skep_orc_wcolumn *c, skep_err *err);  /* optional */
  skep_status (*end_stripe)(skep_orc_wcolumn *c, skep_err *err); /* optional: runs that wait go into their streams */
} skep_orc_wcolumn_vtab;

enum {
  SKEP_ORC_OUT_PRESENT,
  SKEP_ORC_OUT_DATA,
  SKEP_ORC_OUT_LENGTH,
  SKEP_ORC_OUT_DICTIONARY,
  SKEP_ORC_OUT_SECONDARY,
  SKEP_ORC_N_OUTS
};

/* A row group that has begun. */
typedef struct skep_orc_wgroup {
  uint64_t present[4], data[6];
  uint8_t n_present, n_data;
  size_t first_code; /* dictionaries: codes before the group; its position is known when the stripe ends */
  size_t stats_end;  /* in c->group_stats, once it has ended */
} skep_orc_wgroup;

struct skep_orc_wcolumn {
  const skep_orc_wcolumn_vtab *vt;
  skep_orc_wenv *env;
  const skep_type *type;
  uint32_t n_children;
  skep_orc_wcolumn *children;

  bool uses[SKEP_ORC_N_OUTS]; /* streams of this kind of column; for strings: of the encoding in use */
  skep_orc_out outs[SKEP_ORC_N_OUTS];
  skep_bit_encoder present;
  bool has_present; /* a NULL came in this stripe */
  skep_int_encoder *ints[2];
  skep_byte_encoder bytes;
  skep_bit_encoder bits;

  /* strings */
  bool is_dictionary; /* the stripe gathers codes */
  bool decided;       /* is_dictionary stays as it is for the rest of the file */
  skep_orc_wdict dict;
  int32_t *codes;
  size_t n_codes, codes_capacity;
  uint32_t dictionary_size; /* of the stripe that ended */
  skep_dict *from;          /* dictionary of the vectors, one reference, and our codes of its entries (-1: not asked) */
  int32_t *from_codes;

  skep_orc_tally group, stripe, file;
  skep_orc_bloom_build bloom;

  skep_orc_wgroup *groups;
  size_t n_groups, groups_capacity;
  skep_buf group_stats; /* ColumnStatistics of the groups that ended, one behind the other */
  skep_buf blooms;      /* their BloomFilterIndex */

  int32_t *valid, *inner; /* lists of entries, reused */
  size_t valid_capacity, inner_capacity;
};

SKEP_NODISCARD skep_status skep_orc_wcolumn_init(skep_orc_wcolumn *c, skep_orc_wenv *env, const skep_type *type,
                                                 const bool *has_bloom, skep_err *err); /* has_bloom: by column id */
void skep_orc_wcolumn_fini(skep_orc_wcolumn *c);                                        /* safe on a zeroed one */

SKEP_NODISCARD skep_status skep_orc_wcolumn_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e,
                                                  skep_err *err);
/* Whole subtree. A stripe begins with begin_group (also when there is no row index) and ends with end_group,
 * end_stripe; then the streams are whole, until clear_stripe. */
SKEP_NODISCARD skep_status skep_orc_wcolumn_begin_group(skep_orc_wcolumn *c, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_wcolumn_end_group(skep_orc_wcolumn *c, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_wcolumn_end_stripe(skep_orc_wcolumn *c, skep_err *err);
void skep_orc_wcolumn_clear_stripe(skep_orc_wcolumn *c);
uint64_t skep_orc_wcolumn_memory(const skep_orc_wcolumn *c);

/* This node only, of a stripe that ended: is there such a stream; the encoding's number; the RowIndex message. */
bool skep_orc_wcolumn_has_out(const skep_orc_wcolumn *c, unsigned out);
uint32_t skep_orc_wcolumn_encoding(const skep_orc_wcolumn *c);
void skep_orc_wcolumn_write_index(const skep_orc_wcolumn *c, skep_buf *message);

extern const skep_orc_wcolumn_vtab skep_orc_wcolumn_boolean, skep_orc_wcolumn_tinyint, skep_orc_wcolumn_integer,
    skep_orc_wcolumn_float, skep_orc_wcolumn_timestamp, skep_orc_wcolumn_decimal, skep_orc_wcolumn_binary,
    skep_orc_wcolumn_string, skep_orc_wcolumn_struct, skep_orc_wcolumn_list, skep_orc_wcolumn_union;

enum { SKEP_ORC_BLOCK = 1024 }; /* values that leaves handle at once, on the stack */

#endif

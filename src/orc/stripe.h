/* What a stripe footer says, looked up by column and stream kind; row indexes and bloom filters of a stripe. Inside orc
 * only. */
#ifndef ORC_STRIPE_H
#define ORC_STRIPE_H

#include "orc/reader.h"

/* Stream kinds as in the stripe footer. */
enum {
  SKEP_ORC_PRESENT = 0,
  SKEP_ORC_DATA = 1,
  SKEP_ORC_LENGTH = 2,
  SKEP_ORC_DICTIONARY_DATA = 3,
  SKEP_ORC_DICTIONARY_COUNT = 4,
  SKEP_ORC_SECONDARY = 5,
  SKEP_ORC_ROW_INDEX = 6,
  SKEP_ORC_BLOOM_FILTER = 7,
  SKEP_ORC_BLOOM_FILTER_UTF8 = 8,
  SKEP_ORC_LOOKED_UP_KINDS = 9
};

/* Encodings as in the stripe footer. */
enum { SKEP_ORC_DIRECT = 0, SKEP_ORC_DICTIONARY = 1, SKEP_ORC_DIRECT_V2 = 2, SKEP_ORC_DICTIONARY_V2 = 3 };

/* How the parts of a file are reached. One thread at a time. */
typedef struct skep_orc_access {
  const skep_ctx *ctx;
  skep_file *file;
  const skep_orc_tail *tail;
  skep_orc_decompressor *codec; /* NULL: uncompressed */
  skep_buf raw, section;        /* room for one section */
  uint64_t bytes_read;
} skep_orc_access;

SKEP_NODISCARD skep_status skep_orc_access_init(skep_orc_access *a, const skep_ctx *ctx, skep_file *file,
                                                const skep_orc_tail *tail, skep_err *err);
void skep_orc_access_fini(skep_orc_access *a); /* safe on a zeroed one */
/* Exactly `length` bytes of the file into out; counted. */
SKEP_NODISCARD skep_status skep_orc_access_read(skep_orc_access *a, uint64_t offset, void *out, size_t length,
                                                skep_err *err);

typedef struct skep_orc_stripe_dir {
  uint32_t number;
  const skep_orc_stripe *stripe;
  skep_orc_stripe_info info;
  uint32_t n_encodings;                       /* columns the footer has an encoding for */
  const uint32_t *bloom_encodings;            /* by column id */
  const skep_orc_stream_info *const *streams; /* [column * SKEP_ORC_LOOKED_UP_KINDS + kind], NULL: none */
  uint8_t *index_bytes;                       /* the whole index section when it is small, in the arena; else NULL */
} skep_orc_stripe_dir;

/* Reads and checks a stripe footer: streams lie one behind the other inside the stripe, none is there twice. Lives in
 * arena. */
SKEP_NODISCARD skep_status skep_orc_stripe_dir_read(skep_orc_access *a, skep_arena *arena, uint32_t number,
                                                    skep_orc_stripe_dir *out, skep_err *err);

static inline const skep_orc_stream_info *skep_orc_stripe_stream(const skep_orc_stripe_dir *dir, uint32_t column,
                                                                 uint32_t kind) {
  return dir->streams[(size_t)column * SKEP_ORC_LOOKED_UP_KINDS + kind];
}

/* Number of row groups of a stripe, 0 when the file has no index. */
uint64_t skep_orc_stripe_groups(const skep_orc_tail *tail, const skep_orc_stripe *stripe);

/* A column's row index. *n_groups 0 when the stripe has none for it. */
SKEP_NODISCARD skep_status skep_orc_stripe_row_index(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir,
                                                     uint32_t column, uint32_t *n_groups,
                                                     const skep_orc_row_group **groups, skep_err *err);
/* A column's bloom filters; *n_groups 0 when there are none that can be trusted. */
SKEP_NODISCARD skep_status skep_orc_stripe_blooms(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir,
                                                  uint32_t column, uint32_t *n_groups, const skep_orc_bloom **blooms,
                                                  skep_err *err);

#endif

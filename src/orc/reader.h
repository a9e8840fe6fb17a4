/* Reading an ORC file: tail + target type + search argument -> batches; restartable at any row group.
 *
 * One reader is used by one thread; many readers may share a tail and a file. Only the streams of wanted columns are
 * read, neighbouring ranges in one call; memory is bounded by windows, not by the stripe. */
#ifndef ORC_READER_H
#define ORC_READER_H

#include "orc/evolution.h"
#include "orc/sarg.h"

typedef struct skep_orc_reader skep_orc_reader;

typedef struct skep_orc_reader_opts {
  const skep_orc_mapping *mapping; /* required; outlives the reader */
  skep_forms forms;
  skep_calendar unmarked_calendar;  /* of dates and timestamps in files that do not say (default: hybrid) */
  uint32_t first_stripe, n_stripes; /* n_stripes UINT32_MAX = to the last */
  const skep_pred *predicate;       /* bound; NULL = none. Skips stripes and row groups, filters nothing itself */
  int32_t predicate_child; /* -1: bound to the mapping's target; else to that child of it (ACID: the index of row) */
  const bool *skip_stripe; /* by stripe, or NULL: stripes that the caller knows to be unwanted */
} skep_orc_reader_opts;

#define SKEP_ORC_READER_OPTS_INIT \
  { .n_stripes = UINT32_MAX, .predicate_child = -1 }

/* file and tail are borrowed and must outlive the reader. */
SKEP_NODISCARD skep_status skep_orc_reader_open(const skep_ctx *ctx, skep_file *file, const skep_orc_tail *tail,
                                                const skep_orc_reader_opts *opts, skep_orc_reader **out, skep_err *err);
void skep_orc_reader_close(skep_orc_reader *reader); /* accepts NULL */

/* Fills `batch` (initialised with the mapping's target and the reader's forms; reset by this call) with up to max_rows
 * consecutive rows and sets first_row. A batch never spans skipped row groups or stripes. SKEP_END after the last.
 * Errors are sticky and say stripe and column. Rows below max_rows are normal. max_rows in 1..1048576. */
SKEP_NODISCARD skep_status skep_orc_reader_next(skep_orc_reader *reader, int64_t max_rows, skep_batch *batch,
                                                skep_err *err);

/* Goes to the row group that holds file row `row` (0-based); the next batch starts at exactly that row, or at the next
 * selected one after it. */
SKEP_NODISCARD skep_status skep_orc_reader_seek(skep_orc_reader *reader, uint64_t row, skep_err *err);

/* Rows that the search argument lets through, and totals, for progress and tests. */
typedef struct skep_orc_reader_counts {
  uint64_t stripes_read, stripes_skipped, groups_read, groups_skipped, bytes_read;
} skep_orc_reader_counts;
skep_orc_reader_counts skep_orc_reader_stats(const skep_orc_reader *reader);

/* What a stripe footer says, for inspection. Lives in `arena`. */
typedef struct skep_orc_stream_info {
  uint32_t column;
  uint32_t kind; /* number in the stripe footer; skep_orc_stream_kind_name */
  uint64_t offset, length;
} skep_orc_stream_info;
typedef struct skep_orc_stripe_info {
  const char *writer_timezone; /* or NULL */
  uint32_t n_streams;
  const skep_orc_stream_info *streams;
  const uint32_t *encodings;        /* by column id */
  const uint32_t *dictionary_sizes; /* by column id */
} skep_orc_stripe_info;
SKEP_NODISCARD skep_status skep_orc_stripe_info_read(skep_arena *arena, skep_file *file, const skep_orc_tail *tail,
                                                     uint32_t stripe, skep_orc_stripe_info *out, skep_err *err);

/* The row index of one column in one stripe, for inspection. */
typedef struct skep_orc_row_group {
  skep_orc_stats stats;
  uint32_t n_positions;
  const uint64_t *positions;
} skep_orc_row_group;
SKEP_NODISCARD skep_status skep_orc_row_index_read(skep_arena *arena, skep_file *file, const skep_orc_tail *tail,
                                                   uint32_t stripe, uint32_t column, uint32_t *n_groups,
                                                   const skep_orc_row_group **groups, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_bloom_read(skep_arena *arena, skep_file *file, const skep_orc_tail *tail,
                                               uint32_t stripe, uint32_t column, uint32_t *n_groups,
                                               const skep_orc_bloom **blooms, skep_err *err);

const char *skep_orc_stream_kind_name(uint32_t kind);
const char *skep_orc_encoding_name(uint32_t encoding);

#endif

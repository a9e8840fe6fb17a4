/* Writing an ORC file: batches -> stripes -> footer, as Hive 4 would write it (file version 0.12, UTC timestamps).
 *
 * One writer is used by one thread. Rows are gathered, encoded and compressed, in memory and written a stripe at a
 * time, so that memory follows opts.stripe_bytes (a share of it where writers share a skep_orc_write_memory), not the
 * file. The file is only ever appended to; the caller syncs and closes it. Errors are sticky and name the column.
 *
 * Source: ORC Specification v1; ORC Java's writer for what the specification leaves open (src/orc/README.md,
 * "Writing"). */
#ifndef ORC_WRITER_H
#define ORC_WRITER_H

#include "column/calendar.h"
#include "column/vec.h"
#include "io/fs.h"
#include "orc/codec.h"

typedef struct skep_orc_writer skep_orc_writer;

/* Memory that many open writers share: a writer's stripes shrink with the share that is left for it. Set max_bytes,
 * keep the rest zero; it outlives its writers and may be shared by threads. */
typedef struct skep_orc_write_memory {
  uint64_t max_bytes;
  uint64_t wanted_bytes;   /* atomic (__atomic builtins only): the sum of all open writers' stripe_bytes */
  uint64_t *written_bytes; /* or NULL; atomic: what went into files so far is added to it */
} skep_orc_write_memory;

typedef struct skep_orc_writer_opts {
  skep_orc_codec codec;             /* NONE, ZLIB, SNAPPY, LZ4, ZSTD */
  int level;                        /* 0: the codec's default; zlib 1..12, zstd 1..22 */
  uint32_t block_size;              /* bytes of a compression chunk, 64 to 2^23 - 1 */
  uint64_t stripe_bytes;            /* a stripe ends when so much memory is used for it */
  uint32_t row_index_stride;        /* rows of a row group; 0: no row index and no bloom filters */
  double dictionary_threshold;      /* strings get a dictionary when different / all is at most this; 0: never */
  const char *const *bloom_columns; /* paths as "a", "row.a.b", ignoring ASCII case: the column and all below it */
  uint32_t n_bloom_columns;
  double bloom_fpp;              /* above 0, below 1 */
  skep_calendar calendar;        /* that dates and timestamps before 1582-10-15 are stored in and the footer names */
  bool pad_char;                 /* CHAR values are padded with blanks to their length, as tables store them */
  uint64_t padding_block_bytes;  /* stripes that would cross a multiple of it start there instead, when at most a
                                    twentieth of a stripe is lost; 0: no padding */
  const char *software_version;  /* footer text; NULL: this library's */
  skep_orc_write_memory *memory; /* or NULL: stripe_bytes is not shared */
  struct skep_orc_compressor *compressor; /* borrowed, of this codec and level, for many writers of one thread; NULL:
                                             the writer has its own */

  /* Called when a stripe was written: it ends before row `end_row` of the file (the rows given to _add so far that it
   * holds). May be called inside _add, _intermediate_footer and _finish. A failure sticks. */
  skep_status (*on_stripe)(void *self, uint64_t end_row, skep_err *err);
  /* Called before each footer, after the last stripe: the time for skep_orc_writer_set_metadata. */
  skep_status (*on_footer)(void *self, skep_orc_writer *writer, skep_err *err);
  void *self;
} skep_orc_writer_opts;

/* Hive's defaults (ORC 1.x). */
#define SKEP_ORC_WRITER_OPTS_INIT                                                                                    \
  {                                                                                                                  \
    .codec = SKEP_ORC_ZLIB, .block_size = 256 * 1024, .stripe_bytes = UINT64_C(64) << 20, .row_index_stride = 10000, \
    .dictionary_threshold = 0.8, .bloom_fpp = 0.01, .calendar = SKEP_CALENDAR_HYBRID                                 \
  }

/* file: new and empty, borrowed until _close; type: copied. Nothing is written yet but the file's magic.
 * SKEP_ERR_ARGUMENT names an option or bloom column that is wrong. */
SKEP_NODISCARD skep_status skep_orc_writer_open(const skep_ctx *ctx, skep_file *file, const skep_type *type,
                                                const skep_orc_writer_opts *opts, skep_orc_writer **out, skep_err *err);

/* Adds `count` rows of `root` from row `first` on. root: of the writer's type, any forms; the root entries must not be
 * NULL where the type is a struct, as rows of tables never are. Values are stored as they are: VARCHAR is not cut, CHAR
 * only padded (opts.pad_char). SKEP_ERR_ARGUMENT names a column whose type is another. */
SKEP_NODISCARD skep_status skep_orc_writer_add(skep_orc_writer *writer, const skep_vec *root, int64_t first,
                                               int64_t count, skep_err *err);
/* The same for `count` entries at the positions `rows`, which ascend. */
SKEP_NODISCARD skep_status skep_orc_writer_add_rows(skep_orc_writer *writer, const skep_vec *root, const int32_t *rows,
                                                    int64_t count, skep_err *err);

/* An item of user metadata for every footer from now on; replaces one of that name. Copied; kept in order of names. */
SKEP_NODISCARD skep_status skep_orc_writer_set_metadata(skep_orc_writer *writer, const char *name, skep_bytes value,
                                                        skep_err *err);

/* Ends the stripe and writes a footer, so that the file's first *length bytes are a whole ORC file; then rows may be
 * added again, and the footer stays behind as dead bytes. Nothing is written, and the length given again, when no row
 * came since the last footer. Source: ORC Java WriterImpl.writeIntermediateFooter. */
SKEP_NODISCARD skep_status skep_orc_writer_intermediate_footer(skep_orc_writer *writer, uint64_t *length,
                                                               skep_err *err);

/* Ends the file; *length is its size. Afterwards only _close may be called. The caller syncs the file. */
SKEP_NODISCARD skep_status skep_orc_writer_finish(skep_orc_writer *writer, uint64_t *length, skep_err *err);

/* Frees the writer; without _finish before, the file is left as a torso, which the caller removes. Accepts NULL. */
void skep_orc_writer_close(skep_orc_writer *writer);

uint64_t skep_orc_writer_rows(const skep_orc_writer *writer);         /* added so far */
uint64_t skep_orc_writer_memory_bytes(const skep_orc_writer *writer); /* held for the stripe being gathered */

#endif

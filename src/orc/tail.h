/* The tail of an ORC file: postscript, footer, metadata; immutable and shared once read.
 *
 * Source: ORC Specification v1, "File Tail". Deviations seen in real files: docs/deviations.md. */
#ifndef ORC_TAIL_H
#define ORC_TAIL_H

#include "column/calendar.h"
#include "column/type.h"
#include "io/fs.h"
#include "orc/codec.h"
#include "orc/stats.h"

typedef struct skep_orc_stripe {
  uint64_t offset; /* of the index streams; data and footer follow */
  uint64_t index_length, data_length, footer_length;
  uint64_t n_rows;
  uint64_t first_row; /* rows in the stripes before */
} skep_orc_stripe;

typedef struct skep_orc_metadata_item {
  const char *name; /* NUL-terminated */
  skep_bytes value;
} skep_orc_metadata_item;

typedef enum skep_orc_file_calendar {
  SKEP_ORC_CALENDAR_UNKNOWN,
  SKEP_ORC_CALENDAR_HYBRID,
  SKEP_ORC_CALENDAR_PROLEPTIC
} skep_orc_file_calendar;

typedef struct skep_orc_tail {
  uint32_t references; /* atomic: __atomic builtins only */
  const skep_ctx *ctx;
  skep_arena arena;
  uint64_t file_length; /* logical length the tail was read for */
  uint64_t tail_length; /* bytes from the metadata section to the end */
  skep_orc_codec codec;
  uint64_t block_size;                   /* 0 never: defaults to 262144 */
  uint32_t version_major, version_minor; /* 0.11, 0.12; UNSTABLE-PRE-2.0 is 1.9999 */
  uint32_t writer;              /* 0 ORC Java, 1 ORC C++, 2 Presto, 3 Go, 4 Trino, 5 CUDF, ...; UINT32_MAX none given */
  uint32_t writer_version;      /* 0 original, 1 HIVE-8732, ... as in the postscript */
  const char *software_version; /* or NULL */
  skep_orc_file_calendar calendar;
  uint32_t row_index_stride; /* 0: no index */
  uint64_t content_length, header_length, n_rows;
  const skep_type *type;                /* node id = ORC column id */
  bool *is_decimal_without_precision;   /* by column id: Hive 0.11 decimals, whose values carry their own scale */
  bool *is_encrypted;                   /* by column id: only a masked or missing variant can be read without a key */
  const char *const *column_attributes; /* by column id: "k=v,k=v" or NULL (Iceberg ids and the like) */
  uint32_t n_stripes;
  const skep_orc_stripe *stripes;
  uint32_t n_metadata;
  const skep_orc_metadata_item *metadata;
  const skep_orc_stats *file_stats; /* by column id; NULL when absent */
  /* by stripe, then column id; NULL when absent or unreadable (then skipped, not an error: ORC-1361) */
  const skep_orc_stats *const *stripe_stats;
} skep_orc_tail;

/* Reads the tail of a file, or of its first `length` bytes (a flushed length). One read of 16 KiB when that is enough.
 * A file of 0 bytes is SKEP_ERR_CORRUPT ("empty file").
 *
 * SKEP_ERR_CORRUPT      sizes or fields contradict each other or the file size
 * SKEP_ERR_UNSUPPORTED  valid, but of a later version, an unknown codec, or with a kind of type that Skep does not read
 * SKEP_ERR_LIMIT        a section is larger than ctx->limits.max_tail_bytes */
SKEP_NODISCARD skep_status skep_orc_tail_read(const skep_ctx *ctx, skep_file *file, uint64_t length,
                                              skep_orc_tail **out, skep_err *err);
skep_orc_tail *skep_orc_tail_ref(skep_orc_tail *tail);
void skep_orc_tail_unref(skep_orc_tail *tail); /* accepts NULL */

const skep_orc_metadata_item *skep_orc_tail_metadata(const skep_orc_tail *tail, const char *name); /* NULL: none */

/* "ORC_14", "HIVE_8732", "C++ ORC 6": the names orc-tools prints. */
void skep_orc_writer_version_name(const skep_orc_tail *tail, skep_buf *out);

#endif

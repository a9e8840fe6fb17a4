/* The writer's struct, shared by writer.c (rows, stripes' ends) and writer_file.c (bytes of the file). Inside orc only.
 */
#ifndef ORC_WRITER_INT_H
#define ORC_WRITER_INT_H

#include "orc/tail.h"
#include "orc/writer.h"
#include "orc/writer_column.h"

typedef struct skep_orc_writer_item {
  char *name;
  uint8_t *value;
  size_t size;
} skep_orc_writer_item;

struct skep_orc_writer {
  const skep_ctx *ctx;
  skep_file *file;
  skep_orc_writer_opts opts;
  skep_arena arena; /* the type */
  const skep_type *type;
  skep_orc_compressor *own_codec; /* NULL: borrowed, or none */
  skep_orc_wenv env;
  skep_orc_wcolumn root;
  skep_status status; /* sticky */
  skep_err err;
  bool finished;

  uint64_t n_rows;         /* added */
  uint64_t stripe_rows;    /* of them in the stripe being gathered */
  uint32_t group_rows;     /* of them in the row group being gathered */
  uint32_t unchecked_rows; /* since memory was looked at */
  bool group_is_open;

  uint64_t length; /* bytes of the file so far, with those that wait to be written */
  skep_buf pending;
  skep_orc_stripe *stripes;
  size_t n_stripes, stripes_capacity;
  skep_buf stripe_stats; /* Metadata message: statistics of each stripe */
  bool has_footer;       /* since the last footer nothing came */

  skep_orc_writer_item *items; /* by name */
  size_t n_items, items_capacity;
  skep_buf message, nested, section; /* room for what is written next */
};

/* Whose rules ours follow: readers judge statistics by them. */
enum { SKEP_ORC_WRITER_JAVA = 0, SKEP_ORC_WRITER_VERSION = 9 /* ORC-14 */ };

/* Writes the stripe that was gathered and ended; and adds it to w->stripes and w->stripe_stats. */
SKEP_NODISCARD skep_status skep_orc_writer_put_stripe(skep_orc_writer *w, skep_err *err);
/* Metadata, footer, postscript. */
SKEP_NODISCARD skep_status skep_orc_writer_put_tail(skep_orc_writer *w, skep_err *err);
/* The stripe's statistics (those of each column's `stripe`) to w->stripe_stats. */
SKEP_NODISCARD skep_status skep_orc_writer_put_stripe_stats(skep_orc_writer *w, skep_err *err);
/* Zeros up to the next block, when a stripe of so many bytes would not fit what is left of this one and little is lost.
 */
SKEP_NODISCARD skep_status skep_orc_writer_pad(skep_orc_writer *w, uint64_t size, skep_err *err);
/* A failure sticks. */
skep_status skep_orc_writer_keep(skep_orc_writer *w, skep_status status, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_writer_append(skep_orc_writer *w, const void *bytes, size_t size, skep_err *err);

#endif

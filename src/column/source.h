/* A source: rows that can be read again and again, by several threads at a time. The door between what has rows (a
 * table at a snapshot) and what wants them (the engine).
 *
 * A source is planned already: opening readers is cheap, and every reader of one run takes a share of the rows. */
#ifndef COLUMN_SOURCE_H
#define COLUMN_SOURCE_H

#include "column/vec.h"

typedef struct skep_source skep_source;
typedef struct skep_source_run skep_source_run;
typedef struct skep_source_reader skep_source_reader;

typedef struct skep_source_vtab {
  const char *name; /* for messages */
  /* Starts one pass over all rows. columns: positions in source->type, in the order wanted; a run with no columns only
   * counts rows. A pass is independent of others that run at the same time. */
  skep_status (*run)(skep_source *source, const uint32_t *columns, uint32_t n_columns, skep_source_run **out,
                     skep_err *err);
  void (*run_free)(skep_source_run *run); /* accepts NULL; no reader may be left */
  /* A reader for one thread. Together the readers of a run deliver every row once. With one reader the order of rows is
   * the source's own, and the same each time. */
  skep_status (*open)(skep_source_run *run, skep_source_reader **out, skep_err *err);
  /* The next 1..max_rows rows: a batch borrowed until the next call on this reader, with the columns asked for as the
   * children of its root; strings as views or dictionaries, booleans as bytes, timestamps as skep_ts, decimals narrow.
   * SKEP_END (sticky) after the last. */
  skep_status (*next)(skep_source_reader *reader, int64_t max_rows, const skep_batch **out, skep_err *err);
  void (*close)(skep_source_reader *reader); /* accepts NULL */
  void (*destroy)(skep_source *source);
} skep_source_vtab;

/* First member of every implementation. */
struct skep_source {
  const skep_source_vtab *vt;
  const skep_type *type;   /* a struct: all columns a run may ask for; borrowed from the source */
  uint64_t estimated_rows; /* for join orders; 0: not known */
  uint32_t max_threads;    /* readers that make sense at a time, 1 or more */
};

static inline void skep_source_free(skep_source *source) {
  if (source != NULL) source->vt->destroy(source);
}

#endif

/* The delete events of all inputs into a file a writer id, sorted as delete files are: by row id, and the events of one
 * row newest first. */
#include <inttypes.h>
#include <stdio.h>

#include "compact/compact_int.h"

enum { EVENTS_AT_ONCE = 4096 };

typedef skep_compact_event event;

typedef struct merger {
  skep_compact_run_state *run;
  const skep_cancel *cancel;
  skep_compact_counts *counts;
  skep_compact_output *out;
  int32_t out_writer;
  event *pending; /* EVENTS_AT_ONCE */
  size_t n_pending;
  event last; /* handed to the output */
  bool has_last;
} merger;

static skep_status flush(merger *s, skep_err *err) {
  static const uint8_t nothing[EVENTS_AT_ONCE / 8];
  int64_t write_ids[EVENTS_AT_ONCE], row_ids[EVENTS_AT_ONCE], currents[EVENTS_AT_ONCE];
  int32_t buckets[EVENTS_AT_ONCE];
  size_t n = s->n_pending;
  const skep_type *row_type = s->run->job->row;
  if (n == 0) return SKEP_OK;
  for (size_t i = 0; i < n; i++) {
    write_ids[i] = s->pending[i].write_id;
    buckets[i] = s->pending[i].bucket;
    row_ids[i] = s->pending[i].row_id;
    currents[i] = s->pending[i].current;
  }
  /* Rows of delete events are NULL: nothing below them is ever looked at. */
  const skep_vec row = {.type = row_type,
                        .form = SKEP_FORM_STRUCT,
                        .length = (int64_t)n,
                        .has_nulls = true,
                        .null_count = (int64_t)n,
                        .n_children = row_type->n_children,
                        .validity = {.data = (void *)(uintptr_t)nothing, .lent = true}};
  const skep_compact_rows rows = {.n = (int64_t)n,
                                  .write_ids = write_ids,
                                  .buckets = buckets,
                                  .row_ids = row_ids,
                                  .currents = currents,
                                  .row = &row};
  SKEP_TRY(skep_compact_output_add(s->out, &rows, 0, (int64_t)n, err));
  s->n_pending = 0;
  return skep_compact_pace_add(&s->run->pace, 0, 0, skep_compact_output_new_bytes(s->out), s->cancel, err);
}

static skep_status end_file(merger *s, skep_err *err) {
  if (s->out == NULL) return SKEP_OK;
  skep_status status = flush(s, err);
  if (status == SKEP_OK) status = skep_compact_output_finish(s->out, s->counts, err);
  skep_compact_output_free(s->out);
  s->out = NULL;
  return status;
}

static skep_status start_file(merger *s, int32_t writer, skep_err *err) {
  char name[32];
  const char *path;
  SKEP_TRY(end_file(s, err));
  snprintf(name, sizeof name, "bucket_%05" PRId32, writer);
  SKEP_TRY(skep_compact_path(s->run->arena, s->run->delete_dir, name, &path, err));
  s->out_writer = writer;
  return skep_compact_output_create(s->run, s->run->job->fs, path, SKEP_COMPACT_DELETES, &s->out, err);
}

/* Takes the next event in order. One transaction's second event for a row says nothing new. */
static skep_status put(void *self, const event *e, skep_err *err) {
  merger *s = self;
  if (s->has_last && s->last.write_id == e->write_id && s->last.bucket == e->bucket && s->last.row_id == e->row_id &&
      s->last.current == e->current)
    return SKEP_OK;
  if (s->out == NULL || s->out_writer != e->writer) SKEP_TRY(start_file(s, e->writer, err));
  s->pending[s->n_pending++] = s->last = *e;
  s->has_last = true;
  return s->n_pending == EVENTS_AT_ONCE ? flush(s, err) : SKEP_OK;
}

skep_status skep_compact_merge_deletes(skep_compact_run_state *run, const skep_cancel *cancel,
                                       skep_compact_counts *counts, skep_err *err) {
  merger m = {.run = run, .cancel = cancel, .counts = counts};
  skep_compact_event_sort how = {.dir = run->delete_dir,
                                 .by_writer = true,
                                 .dropped_write_id = -1,
                                 .cancel = cancel,
                                 .counts = counts,
                                 .sink = put,
                                 .self = &m};
  /* Where insert deltas of the same single write id are merged as well, their deleted rows are left out there: Hive
   * passes over a delete delta of the row's own write id that names no statement. */
  if (run->choice.has_inserts && run->choice.min_write_id == run->choice.max_write_id)
    how.dropped_write_id = run->choice.min_write_id;
  m.pending = skep_alloc(run->ctx, EVENTS_AT_ONCE * sizeof *m.pending);
  if (m.pending == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "room for delete events");
  skep_status status = skep_compact_sort_events(run, &how, err);
  if (status == SKEP_OK) status = end_file(&m, err);
  skep_compact_output_free(m.out);
  skep_release(run->ctx, m.pending);
  return status;
}

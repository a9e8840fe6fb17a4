/* A reading as an ArrowArrayStream, over the ordered parallel scan: threads decode and turn batches into arrays,
 * get_next hands out the next one. */
#include <string.h>

#include "api/ordered.h"
#include "api/reading.h"

typedef struct stream {
  skep_reading *reading;
  uint32_t first, n, n_threads;
  skep_ordered *ordered; /* made by the first get_next: a stream that is only asked for its schema starts no thread */
  bool said_replaced;    /* atomic: invalid UTF-8 is told once a stream */
  skep_err err;          /* of the last call that failed; "" when none has */
} stream;

/* Any thread. */
static skep_status to_arrow(void *self, skep_batch *batch, void *item, skep_err *err) {
  stream *s = self;
  struct ArrowArray *array = item;
  if (array->release != NULL) array->release(array);
  memset(array, 0, sizeof *array);
  bool replaced = false;
  skep_status status =
      skep_arrow_export_quietly(&batch->root, &s->reading->forms, s->reading->utf8, &replaced, array, err);
  if (replaced && !__atomic_exchange_n(&s->said_replaced, true, __ATOMIC_RELAXED))
    skep_arrow_say_replaced(&s->reading->ctx);
  return status;
}

static void array_fini(void *self, void *item) {
  (void)self;
  struct ArrowArray *array = item;
  if (array->release != NULL) array->release(array);
}

static skep_status begin(stream *s, skep_err *err) {
  skep_reading *r = s->reading;
  skep_ordered_opts opts = {.n_threads = s->n_threads,
                            .batch_rows = r->read.batch_rows,
                            .forms = r->forms,
                            .item_size = sizeof(struct ArrowArray),
                            .transform = to_arrow,
                            .item_fini = array_fini,
                            .self = s};
  return skep_ordered_open(&r->ctx, r->cache, r->splits + s->first, s->n, &opts, &s->ordered, err);
}

static int stream_get_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  stream *s = self->private_data;
  memset(out, 0, sizeof *out);
  s->err.text[0] = '\0';
  skep_status status = s->ordered == NULL ? begin(s, &s->err) : SKEP_OK;
  if (status != SKEP_OK) return skep_arrow_errno(status);
  void *item;
  status = skep_ordered_next(s->ordered, &item, &s->err);
  if (status == SKEP_END) return 0; /* a released array is the end */
  if (status != SKEP_OK) return skep_arrow_errno(status);
  *out = *(struct ArrowArray *)item;
  ((struct ArrowArray *)item)->release = NULL; /* moved */
  return 0;
}

static int stream_get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  stream *s = self->private_data;
  memset(out, 0, sizeof *out);
  s->err.text[0] = '\0';
  return skep_arrow_errno(
      skep_arrow_export_schema(&s->reading->ctx, s->reading->type, &s->reading->forms, out, &s->err));
}

static const char *stream_get_last_error(struct ArrowArrayStream *self) {
  stream *s = self->private_data;
  return s->err.text[0] != '\0' ? s->err.text : NULL;
}

static void stream_release(struct ArrowArrayStream *self) {
  stream *s = self->private_data;
  skep_reading *r = s->reading;
  skep_ordered_close(s->ordered);
  skep_release(&r->ctx, s);
  skep_reading_unref(r);
  self->release = NULL;
  self->private_data = NULL;
}

skep_status skep_reading_stream(skep_reading *reading, uint32_t first, uint32_t n, uint32_t n_threads,
                                struct ArrowArrayStream *out, skep_err *err) {
  stream *s = skep_alloc_zero(&reading->ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a stream");
  s->reading = skep_reading_ref(reading);
  s->first = first;
  s->n = n;
  s->n_threads = n_threads;
  *out = (struct ArrowArrayStream){.get_schema = stream_get_schema,
                                   .get_next = stream_get_next,
                                   .get_last_error = stream_get_last_error,
                                   .release = stream_release,
                                   .private_data = s};
  return SKEP_OK;
}

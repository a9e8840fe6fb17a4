/* An ArrowArrayStream over a source of batches. Errors are sticky: a consumer that asks again gets the same one. */
#include <errno.h>

#include "column/arrow_int.h"

typedef struct stream {
  skep_allocator allocator;
  const skep_ctx *ctx;
  const skep_type *type;
  skep_forms forms;
  skep_utf8_mode utf8;
  skep_batch_source source;
  skep_batch batch;
  bool said_replaced;
  skep_status status; /* SKEP_OK, SKEP_END or the first error of get_next */
  skep_err err;
} stream;

int skep_arrow_errno(skep_status st) {
  switch (st) {
    case SKEP_OK:
    case SKEP_END:
      return 0;
    case SKEP_ERR_NOMEM:
      return ENOMEM;
    case SKEP_ERR_ARGUMENT:
      return EINVAL;
    case SKEP_ERR_RANGE:
      return ERANGE;
    case SKEP_ERR_UNSUPPORTED:
      return ENOSYS;
    case SKEP_ERR_NOT_FOUND:
      return ENOENT;
    case SKEP_ERR_CANCELLED:
      return ECANCELED;
    default:
      return EIO;
  }
}

static int stream_get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  stream *s = self->private_data;
  skep_err err = {0};
  skep_status st = skep_arrow_export_schema(s->ctx, s->type, &s->forms, out, &err);
  if (st != SKEP_OK && s->status == SKEP_OK) s->err = err;
  return skep_arrow_errno(st);
}

static skep_status next_array(stream *s, struct ArrowArray *out) {
  skep_vec_reset(&s->batch.root);
  SKEP_TRY(s->source.next(s->source.self, &s->batch, &s->err));
  bool replaced = false;
  skep_status st = skep_arrow_export_quietly(&s->batch.root, &s->forms, s->utf8, &replaced, out, &s->err);
  if (replaced && !s->said_replaced) {
    skep_arrow_say_replaced(s->ctx);
    s->said_replaced = true;
  }
  return st;
}

static int stream_get_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  stream *s = self->private_data;
  *out = (struct ArrowArray){0};
  if (s->status == SKEP_OK) s->status = next_array(s, out);
  return skep_arrow_errno(s->status);
}

static const char *stream_get_last_error(struct ArrowArrayStream *self) {
  stream *s = self->private_data;
  return s->err.text[0] == '\0' ? NULL : s->err.text;
}

static void release_source(skep_batch_source *source) {
  if (source->release != NULL) source->release(source->self);
  *source = (skep_batch_source){0};
}

static void stream_release(struct ArrowArrayStream *self) {
  stream *s = self->private_data;
  skep_allocator allocator = s->allocator;
  skep_batch_source source = s->source;
  skep_vec_fini(&s->batch.root);
  allocator.release(allocator.self, s);
  self->release = NULL;
  release_source(&source); /* the last: ctx may be the source's own */
}

skep_status skep_arrow_stream(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms, skep_utf8_mode utf8,
                              skep_batch_source source, struct ArrowArrayStream *out, skep_err *err) {
  const skep_forms plain = {.keep_dictionaries = forms->keep_dictionaries};
  *out = (struct ArrowArrayStream){0};
  stream *s = skep_alloc_zero(ctx, 1, sizeof *s);
  skep_status st = s == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "no memory for an Arrow stream")
                             : skep_vec_init(&s->batch.root, ctx, type, &plain, err);
  if (st != SKEP_OK) {
    skep_release(ctx, s);
    release_source(&source);
    return st;
  }
  s->allocator = ctx->allocator;
  s->ctx = ctx;
  s->type = type;
  s->forms = *forms;
  s->utf8 = utf8;
  s->source = source;
  *out = (struct ArrowArrayStream){.get_schema = stream_get_schema,
                                   .get_next = stream_get_next,
                                   .get_last_error = stream_get_last_error,
                                   .release = stream_release,
                                   .private_data = s};
  return SKEP_OK;
}

/* See memory_source.h. Batches are kept as they came, in the forms that sources deliver; the readers of a run take
 * pieces of them, the next one each. */
#include "column/memory_source.h"

#include <string.h>

enum { PIECE_ROWS = 8192, MAX_TYPE_BYTES = 1 << 26 };

static const skep_forms source_forms = {
    .boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .narrow_decimals = true};

typedef struct memory_batch {
  skep_vec rows;
  uint64_t first_piece;
} memory_batch;

typedef struct memory_source {
  skep_source source;
  const skep_ctx *ctx;
  skep_arena arena; /* of the type */
  memory_batch *batches;
  size_t n, capacity;
  uint64_t n_pieces;
} memory_source;

struct skep_source_run {
  const memory_source *source;
  uint32_t *columns;
  uint32_t n_columns;
  uint64_t next_piece; /* atomic */
};

struct skep_source_reader {
  skep_source_run *run;
  const skep_vec *from; /* the batch that is being delivered; rows [at, end) are left */
  int64_t at, end;
  skep_type type;
  const skep_type **types;
  skep_batch batch;
};

/* ---- reading ---- */

static skep_status run(skep_source *source, const uint32_t *columns, uint32_t n_columns, skep_source_run **out,
                       skep_err *err) {
  const memory_source *m = (const memory_source *)source;
  skep_source_run *r = skep_alloc_zero(m->ctx, 1, sizeof *r);
  if (r != NULL) r->columns = skep_alloc_zero(m->ctx, (size_t)n_columns + 1, sizeof *r->columns);
  if (r == NULL || r->columns == NULL) {
    skep_release(m->ctx, r);
    return skep_fail(err, SKEP_ERR_NOMEM, "no memory to read rows in memory");
  }
  r->source = m;
  r->n_columns = n_columns;
  if (n_columns != 0) memcpy(r->columns, columns, n_columns * sizeof *columns);
  *out = r;
  return SKEP_OK;
}

static void run_free(skep_source_run *r) {
  if (r == NULL) return;
  skep_release(r->source->ctx, r->columns);
  skep_release(r->source->ctx, r);
}

static void reader_close(skep_source_reader *r) {
  if (r == NULL) return;
  const skep_ctx *ctx = r->run->source->ctx;
  skep_vec_fini(&r->batch.root);
  skep_release(ctx, r->types);
  skep_release(ctx, r);
}

static skep_status reader_open(skep_source_run *of, skep_source_reader **out, skep_err *err) {
  const skep_ctx *ctx = of->source->ctx;
  skep_source_reader *r = skep_alloc_zero(ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory to read rows in memory");
  r->run = of;
  r->types = skep_alloc_zero(ctx, (size_t)of->n_columns + 1, sizeof *r->types);
  skep_status status = r->types != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "no memory to read rows in memory");
  if (status == SKEP_OK) {
    for (uint32_t i = 0; i < of->n_columns; i++) r->types[i] = of->source->source.type->children[of->columns[i]];
    r->type = (skep_type){.kind = SKEP_STRUCT, .n_children = of->n_columns, .children = r->types};
    status = skep_vec_init(&r->batch.root, ctx, &r->type, &source_forms, err);
  }
  if (status != SKEP_OK) {
    reader_close(r);
    return status;
  }
  *out = r;
  return SKEP_OK;
}

/* The next piece for this reader; false: there is none. */
static bool take_piece(skep_source_reader *r) {
  const memory_source *m = r->run->source;
  uint64_t piece = __atomic_fetch_add(&r->run->next_piece, 1, __ATOMIC_RELAXED);
  size_t low = 0, high = m->n; /* the last batch whose first piece is not above */
  if (piece >= m->n_pieces) return false;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (m->batches[middle].first_piece <= piece) {
      low = middle;
    } else {
      high = middle;
    }
  }
  r->from = &m->batches[low].rows;
  r->at = (int64_t)(piece - m->batches[low].first_piece) * PIECE_ROWS;
  r->end = r->from->length - r->at > PIECE_ROWS ? r->at + PIECE_ROWS : r->from->length;
  return true;
}

static skep_status next(skep_source_reader *r, int64_t max_rows, const skep_batch **out, skep_err *err) {
  if (r->at == r->end && !take_piece(r)) return SKEP_END;
  int64_t n = r->end - r->at < max_rows ? r->end - r->at : max_rows;
  skep_vec_reset(&r->batch.root);
  for (uint32_t i = 0; i < r->run->n_columns; i++) {
    const skep_vec *column = &r->from->children[r->run->columns[i]];
    SKEP_TRY(skep_vec_append(&r->batch.root.children[i], column, r->at, n, err));
  }
  r->batch.root.length = n;
  r->at += n;
  *out = &r->batch;
  return SKEP_OK;
}

static void destroy(skep_source *source) {
  memory_source *m = (memory_source *)source;
  for (size_t i = 0; i < m->n; i++) skep_vec_fini(&m->batches[i].rows);
  skep_release(m->ctx, m->batches);
  skep_arena_fini(&m->arena);
  skep_release(m->ctx, m);
}

static const skep_source_vtab vtab = {.name = "rows in memory",
                                      .run = run,
                                      .run_free = run_free,
                                      .open = reader_open,
                                      .next = next,
                                      .close = reader_close,
                                      .destroy = destroy};

/* ---- filling ---- */

/* Hive's names have no upper case; and a name is one column's. */
static skep_status lower_names(memory_source *m, const skep_type *type, skep_err *err) {
  char quoted[200];
  if (type->kind != SKEP_STRUCT) return skep_fail(err, SKEP_ERR_ARGUMENT, "rows need a struct's schema");
  if (type->n_children == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "rows without columns");
  const char **names = skep_arena_zero(&m->arena, (size_t)type->n_children + 1, sizeof *names);
  if (names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a schema");
  for (uint32_t i = 0; i < type->n_children; i++) {
    char *name = skep_arena_strndup(&m->arena, type->names[i], strlen(type->names[i]));
    if (name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a schema");
    for (char *c = name; *c != '\0'; c++)
      if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    names[i] = name;
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(names[k], name) == 0)
        return skep_fail(err, SKEP_ERR_ARGUMENT, "two columns are called %s",
                         skep_quote(quoted, sizeof quoted, name, strlen(name)));
  }
  return skep_type_make(&m->arena, type, type->children, names, type->n_children, &m->source.type, err);
}

static skep_status add(memory_source *m, const struct ArrowSchema *schema, const struct ArrowArray *array,
                       skep_err *err) {
  void *grown = m->batches;
  SKEP_TRY(skep_grow(m->ctx, &grown, &m->capacity, m->n + 1, sizeof *m->batches, err));
  m->batches = grown;
  skep_vec *rows = &m->batches[m->n].rows;
  *rows = (skep_vec){0};
  skep_status status = skep_vec_init(rows, m->ctx, m->source.type, &source_forms, err);
  if (status == SKEP_OK) status = skep_arrow_import_vec(rows, schema, array, err);
  if (status == SKEP_OK && rows->has_nulls && rows->null_count != 0)
    status = skep_fail(err, SKEP_ERR_ARGUMENT, "a record batch with rows that are NULL as a whole");
  if (status != SKEP_OK) {
    skep_vec_fini(rows);
    return status;
  }
  m->batches[m->n++].first_piece = m->n_pieces;
  m->n_pieces += ((uint64_t)rows->length + PIECE_ROWS - 1) / PIECE_ROWS;
  m->source.estimated_rows += (uint64_t)rows->length;
  return SKEP_OK;
}

static skep_status stream_failed(struct ArrowArrayStream *stream, int code, skep_err *err) {
  char quoted[600];
  const char *text = stream->get_last_error != NULL ? stream->get_last_error(stream) : NULL;
  if (text == NULL) return skep_fail(err, SKEP_ERR_IO, "the Arrow stream failed with error %d", code);
  return skep_fail(err, SKEP_ERR_IO, "the Arrow stream failed: %s",
                   skep_quote(quoted, sizeof quoted, text, strlen(text)));
}

static skep_status fill(memory_source *m, struct ArrowArrayStream *stream, const struct ArrowSchema *schema,
                        skep_err *err) {
  const skep_type *type;
  SKEP_TRY(skep_arrow_import_type(&m->arena, schema, &type, err));
  SKEP_TRY(lower_names(m, type, err));
  for (;;) {
    struct ArrowArray array = {0};
    int code = stream->get_next(stream, &array);
    if (code != 0) return stream_failed(stream, code, err);
    if (array.release == NULL) return SKEP_OK;
    skep_status status = array.length == 0 ? SKEP_OK : add(m, schema, &array, err);
    array.release(&array);
    if (status != SKEP_OK) return status;
  }
}

skep_status skep_memory_source_new(const skep_ctx *ctx, struct ArrowArrayStream *stream, skep_source **out,
                                   skep_err *err) {
  *out = NULL;
  memory_source *m = skep_alloc_zero(ctx, 1, sizeof *m);
  if (m == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for rows");
  m->source = (skep_source){.vt = &vtab, .max_threads = 64};
  m->ctx = ctx;
  skep_arena_init(&m->arena, ctx, MAX_TYPE_BYTES);
  struct ArrowSchema schema = {0};
  int code = stream->get_schema(stream, &schema);
  skep_status status = code == 0 ? fill(m, stream, &schema, err) : stream_failed(stream, code, err);
  if (schema.release != NULL) schema.release(&schema);
  if (status != SKEP_OK) {
    destroy(&m->source);
    return status;
  }
  *out = &m->source;
  return SKEP_OK;
}

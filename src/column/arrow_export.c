/* Vectors as Arrow arrays. Buffers move where the form is Arrow's already; where it is not (arrow_convert.c), the
 * vector is first brought to it. The array owns what it shows through its private data. Source: Apache Arrow, "The
 * Arrow C data interface" and "Arrow Columnar Format" (format 1.0). */
#include "column/arrow_int.h"
#include "column/vec_int.h"

/* What empty buffers point at: consumers want no NULL there, and the offsets of an empty array are one 0. */
static const uint64_t zeroes[8];

enum { MAX_BUFFERS = 3 };

/* One block per array: this, the pointers to the children, the children. */
typedef struct array_node {
  skep_allocator allocator; /* a copy: the array may outlive the context */
  const void *buffers[MAX_BUFFERS];
  void *owned[MAX_BUFFERS]; /* the buffers that are released with the array */
  skep_dict *dict;          /* one reference: its bytes are shown by `dictionary` */
  struct ArrowArray dictionary;
  struct ArrowArray *children[];
} array_node;

static void release_array(struct ArrowArray *array) {
  array_node *node = array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
  }
  if (node->dictionary.release != NULL) node->dictionary.release(&node->dictionary);
  skep_allocator allocator = node->allocator;
  for (int i = 0; i < MAX_BUFFERS; i++) allocator.release(allocator.self, node->owned[i]);
  skep_dict_unref(node->dict);
  allocator.release(allocator.self, node);
  array->release = NULL;
}

static skep_status new_array(const skep_ctx *ctx, int64_t length, int n_buffers, uint32_t n_children,
                             struct ArrowArray *out, skep_err *err) {
  size_t child_size = sizeof(struct ArrowArray *) + sizeof(struct ArrowArray);
  array_node *node = skep_alloc_zero(ctx, 1, sizeof *node + n_children * child_size);
  if (node == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an Arrow array");
  struct ArrowArray *children = (struct ArrowArray *)(void *)(node->children + n_children);
  node->allocator = ctx->allocator;
  for (uint32_t i = 0; i < n_children; i++) node->children[i] = &children[i];
  *out = (struct ArrowArray){.length = length,
                             .n_buffers = n_buffers,
                             .n_children = n_children,
                             .buffers = node->buffers,
                             .children = n_children == 0 ? NULL : node->children,
                             .release = release_array,
                             .private_data = node};
  return SKEP_OK;
}

/* Makes `buf` (of which `used` bytes count) buffer `i` of the array: moved, or copied when it is lent. */
static skep_status give_buffer(const skep_ctx *ctx, skep_vbuf *buf, size_t used, struct ArrowArray *out, int i,
                               skep_err *err) {
  array_node *node = out->private_data;
  node->buffers[i] = zeroes;
  if (used == 0 || buf->data == NULL) return SKEP_OK;
  if (buf->lent) {
    node->owned[i] = skep_alloc(ctx, used);
    if (node->owned[i] == NULL)
      return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an Arrow buffer of %zu bytes", used);
    memcpy(node->owned[i], buf->data, used);
  } else {
    node->owned[i] = buf->data;
    *buf = (skep_vbuf){0};
  }
  node->buffers[i] = node->owned[i];
  return SKEP_OK;
}

static skep_status give_validity(skep_vec *vec, struct ArrowArray *out, skep_err *err) {
  if (!vec->has_nulls || vec->null_count == 0) return SKEP_OK;
  out->null_count = vec->null_count;
  return give_buffer(vec->ctx, &vec->validity, ((size_t)vec->length + 7) / 8, out, 0, err);
}

static skep_status give_values(skep_vec *vec, struct ArrowArray *out, int i, skep_err *err) {
  return give_buffer(vec->ctx, &vec->values, skep_vec_values_bytes(vec->form, vec->length), out, i, err);
}

static skep_status give_offsets(skep_vec *vec, struct ArrowArray *out, skep_err *err) {
  size_t used = vec->length == 0 ? 0 : skep_vec_offsets_bytes(vec->form, vec->length);
  return give_buffer(vec->ctx, &vec->offsets, used, out, 1, err);
}

static skep_status export_node(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out);

/* ---- strings and dictionaries ---- */

static skep_status export_strings(skep_vec *vec, struct ArrowArray *out, skep_err *err) {
  SKEP_TRY(new_array(vec->ctx, vec->length, 3, 0, out, err));
  SKEP_TRY(give_validity(vec, out, err));
  SKEP_TRY(give_offsets(vec, out, err));
  return give_buffer(vec->ctx, &vec->heap, vec->heap_size, out, 2, err);
}

/* The dictionary's own memory is shown, kept alive by a reference. */
static skep_status export_dict(const skep_ctx *ctx, skep_dict *dict, struct ArrowArray *out, skep_err *err) {
  SKEP_TRY(new_array(ctx, dict == NULL ? 0 : dict->count, 3, 0, out, err));
  array_node *node = out->private_data;
  node->buffers[1] = node->buffers[2] = zeroes;
  if (dict == NULL || dict->count == 0) return SKEP_OK;
  if (dict->offsets[dict->count] > INT32_MAX) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a dictionary of %u bytes, the limit is %d", dict->offsets[dict->count],
                     INT32_MAX);
  }
  node->dict = skep_dict_ref(dict);
  node->buffers[1] = dict->offsets;
  node->buffers[2] = dict->bytes;
  return SKEP_OK;
}

static skep_status export_codes(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  SKEP_TRY(new_array(vec->ctx, vec->length, 2, 0, out, x->err));
  array_node *node = out->private_data;
  out->dictionary = &node->dictionary;
  SKEP_TRY(give_validity(vec, out, x->err));
  SKEP_TRY(give_values(vec, out, 1, x->err));
  return export_dict(vec->ctx, vec->dict, &node->dictionary, x->err);
}

/* Plain strings where the schema promises a dictionary: they become the dictionary, with codes 0, 1, 2 ... */
static skep_status export_strings_as_dictionary(skep_vec *vec, struct ArrowArray *out, skep_err *err) {
  SKEP_TRY(new_array(vec->ctx, vec->length, 2, 0, out, err));
  array_node *node = out->private_data;
  out->dictionary = &node->dictionary;
  SKEP_TRY(give_validity(vec, out, err));
  node->buffers[1] = zeroes;
  if (vec->length != 0) {
    int32_t *codes = skep_alloc(vec->ctx, (size_t)vec->length * sizeof *codes);
    if (codes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for %lld codes", (long long)vec->length);
    for (int64_t i = 0; i < vec->length; i++) codes[i] = (int32_t)i;
    node->buffers[1] = node->owned[1] = codes;
  }
  vec->has_nulls = false; /* said by the codes; the dictionary's entries are all there */
  return export_strings(vec, &node->dictionary, err);
}

static skep_status export_bytes(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  if (x->forms->keep_dictionaries && vec->form == SKEP_FORM_DICT) return export_codes(x, vec, out);
  if (x->forms->keep_dictionaries) return export_strings_as_dictionary(vec, out, x->err);
  return export_strings(vec, out, x->err);
}

/* ---- nested types ---- */

static skep_status wrap_child(arrow_exporter *x, const skep_vec *vec, uint32_t i, skep_status st) {
  if (st == SKEP_OK) return st;
  char name[100];
  switch (vec->type->kind) {
    case SKEP_STRUCT:
      skep_quote(name, sizeof name, vec->type->names[i], strlen(vec->type->names[i]));
      return skep_wrap(x->err, st, "column %s", name);
    case SKEP_LIST:
      return skep_wrap(x->err, st, "element");
    case SKEP_MAP:
      return skep_wrap(x->err, st, i == 0 ? "key" : "value");
    default:
      return skep_wrap(x->err, st, "member %u", i);
  }
}

static skep_status export_children(arrow_exporter *x, skep_vec *vec, struct ArrowArray **children) {
  for (uint32_t i = 0; i < vec->n_children; i++) {
    SKEP_TRY(wrap_child(x, vec, i, export_node(x, &vec->children[i], children[i])));
  }
  return SKEP_OK;
}

static skep_status export_list(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  bool map = vec->type->kind == SKEP_MAP;
  int64_t n_inner = vec->children[0].length;
  SKEP_TRY(new_array(vec->ctx, vec->length, 2, 1, out, x->err));
  SKEP_TRY(give_validity(vec, out, x->err));
  SKEP_TRY(give_offsets(vec, out, x->err));
  if (!map) return export_children(x, vec, out->children);
  SKEP_TRY(new_array(vec->ctx, n_inner, 1, 2, out->children[0], x->err));
  return export_children(x, vec, out->children[0]->children);
}

static skep_status export_struct(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  SKEP_TRY(new_array(vec->ctx, vec->length, 1, vec->n_children, out, x->err));
  SKEP_TRY(give_validity(vec, out, x->err));
  return export_children(x, vec, out->children);
}

static skep_status export_union(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  SKEP_TRY(new_array(vec->ctx, vec->length, 2, vec->n_children, out, x->err));
  SKEP_TRY(give_values(vec, out, 0, x->err));
  SKEP_TRY(give_offsets(vec, out, x->err));
  return export_children(x, vec, out->children);
}

static skep_status export_fixed(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  SKEP_TRY(new_array(vec->ctx, vec->length, 2, 0, out, x->err));
  SKEP_TRY(give_validity(vec, out, x->err));
  return give_values(vec, out, 1, x->err);
}

/* On failure `out` is valid and may be released, or has no release function. */
static skep_status export_node(arrow_exporter *x, skep_vec *vec, struct ArrowArray *out) {
  SKEP_TRY(skep_arrow_convert(x, vec));
  switch (vec->form) {
    case SKEP_FORM_LIST:
      return export_list(x, vec, out);
    case SKEP_FORM_STRUCT:
      return export_struct(x, vec, out);
    case SKEP_FORM_UNION:
      return export_union(x, vec, out);
    case SKEP_FORM_STR:
    case SKEP_FORM_DICT:
      return export_bytes(x, vec, out);
    default:
      return export_fixed(x, vec, out);
  }
}

/* ---- doors ---- */

/* Conversions change forms in place; what a vector is filled with next has the form it had. */
static void save_forms(const skep_vec *vec, skep_form *forms, size_t *n) {
  forms[(*n)++] = vec->form;
  for (uint32_t i = 0; i < vec->n_children; i++) save_forms(&vec->children[i], forms, n);
}
static void restore_forms(skep_vec *vec, const skep_form *forms, size_t *n) {
  vec->form = forms[(*n)++];
  for (uint32_t i = 0; i < vec->n_children; i++) restore_forms(&vec->children[i], forms, n);
}

skep_status skep_arrow_export_quietly(skep_vec *vec, const skep_forms *forms, skep_utf8_mode utf8, bool *replaced,
                                      struct ArrowArray *out, skep_err *err) {
  *out = (struct ArrowArray){0};
  size_t n_nodes = (size_t)vec->type->max_id - vec->type->id + 1, n = 0;
  skep_form *saved = skep_alloc_zero(vec->ctx, n_nodes, sizeof *saved);
  if (saved == NULL) {
    skep_vec_reset(vec);
    return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an Arrow array");
  }
  save_forms(vec, saved, &n);
  arrow_exporter x = {.forms = forms, .utf8 = utf8, .err = err};
  skep_status st = export_node(&x, vec, out);
  if (st != SKEP_OK && out->release != NULL) out->release(out);
  n = 0;
  restore_forms(vec, saved, &n);
  skep_release(vec->ctx, saved);
  skep_vec_reset(vec);
  if (x.replaced) *replaced = true;
  return st;
}

skep_status skep_arrow_export_vec(skep_vec *vec, const skep_forms *forms, skep_utf8_mode utf8, struct ArrowArray *out,
                                  skep_err *err) {
  bool replaced = false;
  const skep_ctx *ctx = vec->ctx;
  skep_status st = skep_arrow_export_quietly(vec, forms, utf8, &replaced, out, err);
  if (replaced) skep_arrow_say_replaced(ctx);
  return st;
}

/* Hive types as Arrow schemas.
 * Source: Apache Arrow, "The Arrow C data interface" (format 1.0). */
#include <stdio.h>

#include "column/arrow_int.h"

/* One block per node: this, the pointers to the children, the children, the two strings. */
typedef struct schema_node {
  skep_allocator allocator; /* a copy: the schema may outlive the context */
  struct ArrowSchema dictionary;
  struct ArrowSchema *children[];
} schema_node;

static void release_schema(struct ArrowSchema *schema) {
  schema_node *node = schema->private_data;
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
  }
  if (node->dictionary.release != NULL) node->dictionary.release(&node->dictionary);
  skep_allocator allocator = node->allocator;
  allocator.release(allocator.self, node);
  schema->release = NULL;
}

static skep_status new_schema(const skep_ctx *ctx, const char *format, const char *name, uint32_t n_children,
                              struct ArrowSchema *out, skep_err *err) {
  size_t format_size = strlen(format) + 1, name_size = strlen(name) + 1;
  size_t child_size = sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema);
  schema_node *node = skep_alloc_zero(ctx, 1, sizeof *node + n_children * child_size + format_size + name_size);
  if (node == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an Arrow schema");
  struct ArrowSchema *children = (struct ArrowSchema *)(void *)(node->children + n_children);
  char *strings = (char *)(children + n_children);
  node->allocator = ctx->allocator;
  for (uint32_t i = 0; i < n_children; i++) node->children[i] = &children[i];
  memcpy(strings, format, format_size);
  memcpy(strings + format_size, name, name_size);
  *out = (struct ArrowSchema){.format = strings,
                              .name = strings + format_size,
                              .flags = ARROW_FLAG_NULLABLE,
                              .n_children = n_children,
                              .children = n_children == 0 ? NULL : node->children,
                              .release = release_schema,
                              .private_data = node};
  return SKEP_OK;
}

enum { FORMAT_SIZE = 640 }; /* "+ud:" and 127 numbers */

static void union_format(uint32_t n, char *out) {
  size_t at = (size_t)snprintf(out, FORMAT_SIZE, "+ud:");
  for (uint32_t i = 0; i < n; i++) at += (size_t)snprintf(out + at, FORMAT_SIZE - at, i == 0 ? "%u" : ",%u", i);
}

static void format_of(const skep_type *type, const skep_forms *forms, char *out) {
  static const char *const fixed[SKEP_KIND_COUNT] = {
      [SKEP_BOOLEAN] = "b", [SKEP_TINYINT] = "c", [SKEP_SMALLINT] = "s", [SKEP_INT] = "i",  [SKEP_BIGINT] = "l",
      [SKEP_FLOAT] = "f",   [SKEP_DOUBLE] = "g",  [SKEP_STRING] = "u",   [SKEP_CHAR] = "u", [SKEP_VARCHAR] = "u",
      [SKEP_BINARY] = "z",  [SKEP_DATE] = "tdD",  [SKEP_LIST] = "+l",    [SKEP_MAP] = "+m", [SKEP_STRUCT] = "+s",
  };
  char unit = forms->timestamp == SKEP_FORM_TS_NS ? 'n' : 'u';
  if (type->kind == SKEP_DECIMAL) {
    snprintf(out, FORMAT_SIZE, "d:%u,%u", type->precision, type->scale);
  } else if (type->kind == SKEP_TIMESTAMP) {
    snprintf(out, FORMAT_SIZE, "ts%c:", unit);
  } else if (type->kind == SKEP_TIMESTAMP_TZ) {
    snprintf(out, FORMAT_SIZE, "ts%c:UTC", unit);
  } else if (type->kind == SKEP_UNION) {
    union_format(type->n_children, out);
  } else {
    snprintf(out, FORMAT_SIZE, "%s", fixed[type->kind]);
  }
}

static skep_status export_node(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms, const char *name,
                               struct ArrowSchema *out, skep_err *err);

/* Arrow's maps are lists of a struct of key and value; neither the struct nor the key is ever NULL. */
static skep_status export_map(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                              struct ArrowSchema *out, skep_err *err) {
  struct ArrowSchema *entries = out->children[0];
  SKEP_TRY(new_schema(ctx, "+s", "entries", 2, entries, err));
  entries->flags = 0;
  SKEP_TRY(export_node(ctx, type->children[0], forms, "key", entries->children[0], err));
  entries->children[0]->flags = 0;
  return export_node(ctx, type->children[1], forms, "value", entries->children[1], err);
}

static skep_status export_children(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                                   struct ArrowSchema *out, skep_err *err) {
  if (type->kind == SKEP_MAP) return export_map(ctx, type, forms, out, err);
  for (uint32_t i = 0; i < type->n_children; i++) {
    char number[16];
    snprintf(number, sizeof number, "%u", i);
    const char *name = type->kind == SKEP_STRUCT ? type->names[i] : type->kind == SKEP_LIST ? "item" : number;
    SKEP_TRY(export_node(ctx, type->children[i], forms, name, out->children[i], err));
  }
  return SKEP_OK;
}

/* On failure `out` is valid and may be released, or has no release function. */
static skep_status export_node(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms, const char *name,
                               struct ArrowSchema *out, skep_err *err) {
  char format[FORMAT_SIZE];
  format_of(type, forms, format);
  if (skep_kind_is_bytes(type->kind) && forms->keep_dictionaries) {
    SKEP_TRY(new_schema(ctx, "i", name, 0, out, err));
    schema_node *node = out->private_data;
    SKEP_TRY(new_schema(ctx, format, "", 0, &node->dictionary, err));
    out->dictionary = &node->dictionary;
    return SKEP_OK;
  }
  SKEP_TRY(new_schema(ctx, format, name, type->kind == SKEP_MAP ? 1 : type->n_children, out, err));
  return export_children(ctx, type, forms, out, err);
}

skep_status skep_arrow_export_schema(const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                                     struct ArrowSchema *out, skep_err *err) {
  *out = (struct ArrowSchema){0};
  skep_status st = export_node(ctx, type, forms, "", out, err);
  if (st != SKEP_OK && out->release != NULL) out->release(out);
  return st;
}

/* The footer's flat list of types -> a type tree. Source: ORC Specification v1, "Type Information". */
#include "orc/types_read.h"

typedef Skep__Orc__Proto__Type pb_type;

/* Kind numbers of the footer, in order. */
static const skep_kind KINDS[] = {SKEP_BOOLEAN, SKEP_TINYINT, SKEP_SMALLINT, SKEP_INT,         SKEP_BIGINT,
                                  SKEP_FLOAT,   SKEP_DOUBLE,  SKEP_STRING,   SKEP_BINARY,      SKEP_TIMESTAMP,
                                  SKEP_LIST,    SKEP_MAP,     SKEP_STRUCT,   SKEP_UNION,       SKEP_DECIMAL,
                                  SKEP_DATE,    SKEP_VARCHAR, SKEP_CHAR,     SKEP_TIMESTAMP_TZ};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0], GEOMETRY = 19, GEOGRAPHY = 20 };
enum { MAX_UNION = 127, MAX_CHAR = 255, MAX_VARCHAR = 65535, MAX_DIGITS = 38 };
/* Decimals of Hive 0.11 and 0.12 have no precision and carry a scale with every value; all of them are shown with this
 * one. */
enum { UNBOUNDED_SCALE = 18 };

typedef struct builder {
  skep_orc_tail *tail;
  const Skep__Orc__Proto__Footer *footer;
  skep_type *nodes;
  uint32_t next; /* id that the next node in pre-order must have */
} builder;

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "type tree"); }

static skep_status read_decimal(builder *b, uint32_t id, const pb_type *from, skep_type *node, skep_err *err) {
  if (!from->has_precision || from->precision == 0) {
    b->tail->is_decimal_without_precision[id] = true;
    node->precision = MAX_DIGITS;
    node->scale = UNBOUNDED_SCALE;
    return SKEP_OK;
  }
  if (from->precision > MAX_DIGITS || from->scale > from->precision)
    return skep_fail(err, SKEP_ERR_CORRUPT, "type %u: decimal(%u,%u)", id, from->precision, from->scale);
  node->precision = (uint16_t)from->precision;
  node->scale = (uint16_t)from->scale;
  return SKEP_OK;
}

static void read_length(const pb_type *from, skep_type *node) {
  uint32_t most = node->kind == SKEP_CHAR ? MAX_CHAR : MAX_VARCHAR;
  node->length = !from->has_maximum_length || from->maximum_length == 0 || from->maximum_length > most
                     ? most
                     : from->maximum_length;
}

static skep_status check_children(uint32_t id, const pb_type *from, skep_kind kind, skep_err *err) {
  size_t n = from->n_subtypes, least = 0, most = 0;
  if (kind == SKEP_LIST) least = most = 1;
  if (kind == SKEP_MAP) least = most = 2;
  if (kind == SKEP_UNION) least = 1, most = SIZE_MAX;
  if (kind == SKEP_STRUCT) most = SIZE_MAX;
  if (n < least || n > most)
    return skep_fail(err, SKEP_ERR_CORRUPT, "type %u: %s with %zu subtypes", id, skep_kind_name(kind), n);
  if (kind == SKEP_UNION && n > MAX_UNION)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "type %u: union of %zu types", id, n);
  if (kind == SKEP_STRUCT && from->n_field_names != n)
    return skep_fail(err, SKEP_ERR_CORRUPT, "type %u: %zu field names for %zu fields", id, from->n_field_names, n);
  return SKEP_OK;
}

static skep_status read_names(builder *b, uint32_t id, const pb_type *from, skep_type *node, skep_err *err) {
  const char **names = skep_arena_zero(&b->tail->arena, from->n_field_names, sizeof *names);
  if (names == NULL) return no_memory(err);
  for (size_t i = 0; i < from->n_field_names; i++) {
    ProtobufCBinaryData name = from->field_names[i];
    if (name.len > 0 && memchr(name.data, 0, name.len) != NULL)
      return skep_fail(err, SKEP_ERR_CORRUPT, "type %u: a field name holds a NUL", id);
    names[i] = skep_arena_strndup(&b->tail->arena, name.len == 0 ? "" : (const char *)name.data, name.len);
    if (names[i] == NULL) return no_memory(err);
  }
  node->names = names;
  return SKEP_OK;
}

static skep_status read_attributes(builder *b, uint32_t id, const pb_type *from, skep_err *err) {
  if (from->n_attributes == 0) return SKEP_OK;
  skep_buf text;
  skep_buf_init(&text, b->tail->ctx, 1 << 20);
  for (size_t i = 0; i < from->n_attributes; i++) {
    const Skep__Orc__Proto__StringPair *pair = from->attributes[i];
    if (i > 0) skep_buf_byte(&text, ',');
    skep_buf_add(&text, pair->key.data, pair->key.len);
    skep_buf_byte(&text, '=');
    skep_buf_add(&text, pair->value.data, pair->value.len);
  }
  skep_status st = skep_buf_check(&text, "type attributes", err);
  if (st == SKEP_OK) {
    char *copy = skep_buf_copy(&text, &b->tail->arena);
    if (copy == NULL) st = no_memory(err);
    ((const char **)b->tail->column_attributes)[id] = copy;
  }
  skep_buf_fini(&text);
  return st;
}

static skep_status read_node(builder *b, uint32_t id, unsigned depth, skep_err *err);

static skep_status read_children(builder *b, const pb_type *from, skep_type *node, unsigned depth, skep_err *err) {
  if (from->n_subtypes == 0) return SKEP_OK;
  const skep_type **children = skep_arena_zero(&b->tail->arena, from->n_subtypes, sizeof *children);
  if (children == NULL) return no_memory(err);
  for (size_t i = 0; i < from->n_subtypes; i++) {
    if (from->subtypes[i] != b->next)
      return skep_fail(err, SKEP_ERR_CORRUPT, "type %u: subtype %zu is type %u where pre-order has %u", node->id, i,
                       from->subtypes[i], b->next);
    children[i] = &b->nodes[b->next];
    SKEP_TRY(read_node(b, b->next, depth + 1, err));
  }
  node->children = children;
  node->n_children = (uint32_t)from->n_subtypes;
  return SKEP_OK;
}

static skep_status read_node(builder *b, uint32_t id, unsigned depth, skep_err *err) {
  if (id >= b->footer->n_types)
    return skep_fail(err, SKEP_ERR_CORRUPT, "type %u of %zu is missing", id, b->footer->n_types);
  if (depth > b->tail->ctx->limits.max_type_depth)
    return skep_fail(err, SKEP_ERR_LIMIT, "types are nested deeper than %u", b->tail->ctx->limits.max_type_depth);
  const pb_type *from = b->footer->types[id];
  skep_type *node = &b->nodes[id];
  if (from->kind >= N_KINDS)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "column %u has type kind %u%s, which Skep does not read", id,
                     from->kind,
                     from->kind == GEOMETRY    ? " (geometry)"
                     : from->kind == GEOGRAPHY ? " (geography)"
                                               : "");
  node->kind = KINDS[from->kind];
  node->id = b->next++;
  SKEP_TRY(check_children(id, from, node->kind, err));
  if (node->kind == SKEP_DECIMAL) SKEP_TRY(read_decimal(b, id, from, node, err));
  if (node->kind == SKEP_CHAR || node->kind == SKEP_VARCHAR) read_length(from, node);
  if (node->kind == SKEP_STRUCT) SKEP_TRY(read_names(b, id, from, node, err));
  SKEP_TRY(read_attributes(b, id, from, err));
  SKEP_TRY(read_children(b, from, node, depth, err));
  node->max_id = b->next - 1;
  return SKEP_OK;
}

skep_status skep_orc_types_read(skep_orc_tail *tail, const Skep__Orc__Proto__Footer *footer, skep_err *err) {
  size_t n = footer->n_types;
  if (n == 0) return skep_fail(err, SKEP_ERR_CORRUPT, "footer has no types");
  if (n > tail->ctx->limits.max_types)
    return skep_fail(err, SKEP_ERR_LIMIT, "%zu types, the limit is %u", n, tail->ctx->limits.max_types);
  builder b = {.tail = tail, .footer = footer, .nodes = skep_arena_zero(&tail->arena, n, sizeof *b.nodes)};
  tail->is_decimal_without_precision = skep_arena_zero(&tail->arena, n, sizeof(bool));
  tail->is_encrypted = skep_arena_zero(&tail->arena, n, sizeof(bool));
  tail->column_attributes = skep_arena_zero(&tail->arena, n, sizeof(char *));
  if (b.nodes == NULL || tail->is_decimal_without_precision == NULL || tail->is_encrypted == NULL ||
      tail->column_attributes == NULL)
    return no_memory(err);
  SKEP_TRY(read_node(&b, 0, 0, err));
  if (b.next != n) return skep_fail(err, SKEP_ERR_CORRUPT, "%zu types, the tree of type 0 has %u", n, b.next);
  tail->type = &b.nodes[0];
  return SKEP_OK;
}

/* The type tree itself: building, copying, comparing and looking things up. Reading and writing type strings is in
 * type_parse.c and type_print.c. */
#include "column/type.h"

enum { MAX_UNION_CHILDREN = 127 };

static const char *const kind_names[SKEP_KIND_COUNT] = {
    [SKEP_BOOLEAN] = "boolean",
    [SKEP_TINYINT] = "tinyint",
    [SKEP_SMALLINT] = "smallint",
    [SKEP_INT] = "int",
    [SKEP_BIGINT] = "bigint",
    [SKEP_FLOAT] = "float",
    [SKEP_DOUBLE] = "double",
    [SKEP_DECIMAL] = "decimal",
    [SKEP_STRING] = "string",
    [SKEP_CHAR] = "char",
    [SKEP_VARCHAR] = "varchar",
    [SKEP_BINARY] = "binary",
    [SKEP_DATE] = "date",
    [SKEP_TIMESTAMP] = "timestamp",
    [SKEP_TIMESTAMP_TZ] = "timestamp with local time zone",
    [SKEP_LIST] = "array",
    [SKEP_MAP] = "map",
    [SKEP_STRUCT] = "struct",
    [SKEP_UNION] = "uniontype",
};

const char *skep_kind_name(skep_kind kind) { return (unsigned)kind < SKEP_KIND_COUNT ? kind_names[kind] : "unknown"; }

/* What a copy in progress carries: where nodes go, the next pre-order number, how deep it may still go. */
typedef struct copier {
  skep_arena *arena;
  uint32_t next_id;
  skep_err *err;
} copier;

static skep_status out_of_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a type"); }

static skep_status copy_names(skep_arena *arena, const char *const *names, uint32_t n, const char *const **out,
                              skep_err *err) {
  const char **copy = skep_arena_zero(arena, n, sizeof *copy);
  if (copy == NULL) return out_of_memory(err);
  for (uint32_t i = 0; i < n; i++) {
    copy[i] = skep_arena_strndup(arena, names[i], strlen(names[i]));
    if (copy[i] == NULL) return out_of_memory(err);
  }
  *out = copy;
  return SKEP_OK;
}

/* Copies one node over the given children (whose own children are copied in turn), numbering in pre-order. */
static skep_status copy_node(copier *c, const skep_type *like, const skep_type *const *children,
                             const char *const *names, uint32_t n_children, uint32_t depth, const skep_type **out) {
  const skep_limits *limits = &c->arena->ctx->limits;
  if (depth > limits->max_type_depth) {
    return skep_fail(c->err, SKEP_ERR_LIMIT, "a type is nested deeper than %u levels", limits->max_type_depth);
  }
  if (c->next_id >= limits->max_types) {
    return skep_fail(c->err, SKEP_ERR_LIMIT, "a type has more than %u nodes", limits->max_types);
  }
  skep_type *node = skep_arena_zero(c->arena, 1, sizeof *node);
  if (node == NULL) return out_of_memory(c->err);
  node->kind = like->kind;
  node->precision = like->precision;
  node->scale = like->scale;
  node->length = like->length;
  node->id = c->next_id++;
  if (n_children != 0) {
    const skep_type **copies = skep_arena_zero(c->arena, n_children, sizeof *copies);
    if (copies == NULL) return out_of_memory(c->err);
    for (uint32_t i = 0; i < n_children; i++) {
      const skep_type *child = children[i];
      SKEP_TRY(copy_node(c, child, child->children, child->names, child->n_children, depth + 1, &copies[i]));
    }
    node->children = copies;
    node->n_children = n_children;
  }
  if (like->kind == SKEP_STRUCT && n_children != 0) {
    SKEP_TRY(copy_names(c->arena, names, n_children, &node->names, c->err));
  }
  node->max_id = c->next_id - 1;
  *out = node;
  return SKEP_OK;
}

/* Whether the parameters and the number of children are possible for the kind. */
static skep_status check_node(const skep_type *like, const char *const *names, uint32_t n_children, skep_err *err) {
  uint32_t least = 0, most = 0;
  switch (like->kind) {
    case SKEP_DECIMAL:
      if (like->precision < 1 || like->precision > 38 || like->scale > like->precision) {
        return skep_fail(err, SKEP_ERR_ARGUMENT, "decimal(%u,%u): precision is 1 to 38, scale 0 to precision",
                         like->precision, like->scale);
      }
      break;
    case SKEP_CHAR:
    case SKEP_VARCHAR: {
      uint32_t longest = like->kind == SKEP_CHAR ? 255 : 65535;
      if (like->length < 1 || like->length > longest) {
        return skep_fail(err, SKEP_ERR_ARGUMENT, "%s(%u): length is 1 to %u", skep_kind_name(like->kind), like->length,
                         longest);
      }
      break;
    }
    case SKEP_LIST:
      least = most = 1;
      break;
    case SKEP_MAP:
      least = most = 2;
      break;
    case SKEP_UNION:
      least = 1;
      most = MAX_UNION_CHILDREN;
      break;
    case SKEP_STRUCT:
      most = UINT32_MAX;
      if (names == NULL && n_children != 0) {
        return skep_fail(err, SKEP_ERR_ARGUMENT, "a struct needs %u field names", n_children);
      }
      break;
    default:
      if ((unsigned)like->kind >= SKEP_KIND_COUNT) {
        return skep_fail(err, SKEP_ERR_ARGUMENT, "%u is no kind of type", (unsigned)like->kind);
      }
      break;
  }
  if (n_children < least || n_children > most) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s cannot have %u children", skep_kind_name(like->kind), n_children);
  }
  return SKEP_OK;
}

skep_status skep_type_make(skep_arena *arena, const skep_type *like, const skep_type *const *children,
                           const char *const *names, uint32_t n_children, const skep_type **out, skep_err *err) {
  *out = NULL;
  SKEP_TRY(check_node(like, names, n_children, err));
  copier c = {arena, 0, err};
  return copy_node(&c, like, children, names, n_children, 1, out);
}

skep_status skep_type_copy(skep_arena *arena, const skep_type *type, const skep_type **out, skep_err *err) {
  *out = NULL;
  copier c = {arena, 0, err};
  return copy_node(&c, type, type->children, type->names, type->n_children, 1, out);
}

bool skep_type_equal(const skep_type *a, const skep_type *b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->n_children != b->n_children || a->precision != b->precision || a->scale != b->scale ||
      a->length != b->length) {
    return false;
  }
  for (uint32_t i = 0; i < a->n_children; i++) {
    if (a->kind == SKEP_STRUCT && strcmp(a->names[i], b->names[i]) != 0) return false;
    if (!skep_type_equal(a->children[i], b->children[i])) return false;
  }
  return true;
}

static uint8_t ascii_lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c; }

static bool same_ignoring_case(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (ascii_lower((uint8_t)a[i]) != ascii_lower((uint8_t)b[i])) return false;
  }
  return true;
}

int64_t skep_type_child(const skep_type *type, const char *name, size_t length, bool ignore_case) {
  if (type->kind != SKEP_STRUCT) return -1;
  for (uint32_t i = 0; i < type->n_children; i++) {
    const char *field = type->names[i];
    if (strlen(field) != length) continue;
    if (ignore_case ? same_ignoring_case(field, name, length) : memcmp(field, name, length) == 0) return i;
  }
  return -1;
}

const skep_type *skep_type_by_id(const skep_type *root, uint32_t id) {
  const skep_type *node = root;
  if (id < root->id || id > root->max_id) return NULL;
  while (node->id != id) {
    uint32_t low = 0, high = node->n_children; /* the last child whose id is not above the one sought */
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (node->children[middle]->id <= id) {
        low = middle;
      } else {
        high = middle;
      }
    }
    node = node->children[low];
  }
  return node;
}

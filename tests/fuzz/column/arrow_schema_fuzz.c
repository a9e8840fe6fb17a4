/* A foreign Arrow schema: a tree of nodes made from the input, one line a node ("children format"), in pre-order. What
 * becomes a type can be exported, and the exported schema gives the type again. */
#include "column/arrow.h"
#include "fuzz/fuzz.h"

enum { MAX_NODES = 64, MAX_CHILDREN = 8 };

typedef struct node {
  struct ArrowSchema schema;
  struct ArrowSchema *children[MAX_CHILDREN];
  char format[64];
} node;

typedef struct tree {
  node nodes[MAX_NODES];
  size_t n_nodes;
  const uint8_t *at;
  size_t left;
} tree;

static void not_released(struct ArrowSchema *schema) { schema->release = NULL; }

/* The first byte is the number of children ('d': one that is the dictionary), the rest of the line the format. */
static struct ArrowSchema *grow(tree *t) {
  if (t->n_nodes == MAX_NODES || t->left == 0) return NULL;
  node *n = &t->nodes[t->n_nodes++];
  uint8_t first = *t->at;
  size_t length = 0;
  t->at++;
  t->left--;
  while (t->left != 0 && *t->at != '\n') {
    if (length + 1 < sizeof n->format) n->format[length++] = (char)*t->at;
    t->at++;
    t->left--;
  }
  if (t->left != 0) {
    t->at++;
    t->left--;
  }
  n->schema = (struct ArrowSchema){.format = n->format, .release = not_released, .children = n->children};
  if (first == 'd') n->schema.dictionary = grow(t);
  int64_t n_children = first >= '0' && first < '0' + MAX_CHILDREN ? first - '0' : 0;
  n->schema.n_children = n_children;
  for (int64_t i = 0; i < n_children; i++) n->children[i] = grow(t);
  return &n->schema;
}

static void check_export(const skep_ctx *ctx, skep_arena *arena, const skep_type *type) {
  static const skep_forms forms = {.keep_dictionaries = true};
  skep_err err = {0};
  struct ArrowSchema schema;
  const skep_type *again;
  FUZZ_CHECK(skep_arrow_export_schema(ctx, type, &forms, &schema, &err) == SKEP_OK);
  FUZZ_CHECK(skep_arrow_import_type(arena, &schema, &again, &err) == SKEP_OK);
  schema.release(&schema);
  FUZZ_CHECK(again->max_id == type->max_id && again->kind == type->kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 24);
  tree *t = calloc(1, sizeof *t);
  if (t == NULL) return 0;
  t->at = data;
  t->left = size;
  struct ArrowSchema *root = grow(t);
  const skep_type *type;
  skep_status st = skep_arrow_import_type(&arena, root, &type, &err);
  FUZZ_CHECK((st == SKEP_OK) == (type != NULL));
  if (st == SKEP_OK) check_export(&ctx, &arena, type);
  free(t);
  skep_arena_fini(&arena);
  return 0;
}

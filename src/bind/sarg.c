/* Search arguments: conjuncts of WHERE that a table's scan can use are given to it as text; conjuncts over partition
 * columns alone prune partitions. The SQL keeps every filter, so what is pushed only has to be implied by WHERE. */
#include <string.h>

#include "bind/bind_int.h"
#include "column/text.h"

/* What is collected for one table reference. */
typedef struct sarg_texts {
  skep_buf data, keys;
} sarg_texts;

/* A table below `from` whose rows a condition on the result may drop early: not on the NULL-giving side of an outer
 * join. */
static bool is_reachable(const skep_brel *from, const skep_brel *rel) {
  if (from == NULL) return false;
  if (from == rel) return true;
  if (from->kind == SKEP_BREL_LATERAL) return is_reachable(from->left, rel);
  if (from->kind != SKEP_BREL_JOIN) return false;
  bool left = from->join != SKEP_BJOIN_RIGHT && from->join != SKEP_BJOIN_FULL;
  bool right = from->join == SKEP_BJOIN_INNER || from->join == SKEP_BJOIN_RIGHT;
  return (left && is_reachable(from->left, rel)) || (right && is_reachable(from->right, rel));
}

/* A sub query that lets conditions on its columns through: every row of it stands for itself. */
static bool is_transparent(const skep_bq *q) {
  if (q->kind != SKEP_BQ_SELECT || q->grouped || q->has_limit || q->qualify != NULL) return false;
  for (uint32_t i = 0; i < q->n_outputs; i++) {
    if (q->outputs[i]->has_window) return false;
  }
  return true;
}

/* The table's column that `bx` is in the end, through sub queries that pass it on; NULL: none, or out of reach. */
static const skep_bx *table_column(const skep_bx *bx, const skep_brel *from) {
  for (uint32_t depth = 0; depth < 64 && bx->op == SKEP_BX_COLUMN && is_reachable(from, bx->rel); depth++) {
    const skep_brel *rel = bx->rel;
    if (rel->kind == SKEP_BREL_TABLE && rel->has_sample_rows && bx->position < rel->n_data)
      return NULL; /* the first rows are taken before the filter; of the partitions that it leaves, as in Hive */
    if (rel->kind == SKEP_BREL_TABLE) return bx->position < rel->n_visible ? bx : NULL;
    if (rel->kind != SKEP_BREL_QUERY || !is_transparent(rel->query)) return NULL;
    bx = rel->query->outputs[bx->position];
    from = rel->query->from;
  }
  return NULL;
}

/* Literals whose text reads back to just this value under the column's own type. */
static bool print_literal(const skep_bx *bx, skep_buf *out) {
  if (bx->op != SKEP_BX_CONST || bx->value.is_null) return false;
  switch ((int)bx->type->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      return skep_buf_printf(out, "%lld", (long long)bx->value.i64);
    case SKEP_DECIMAL:
      skep_text_decimal(bx->value.decimal, bx->type->scale, false, out);
      return true;
    case SKEP_DATE:
      skep_buf_text(out, "DATE '");
      skep_text_date(bx->value.i64, out);
      return skep_buf_byte(out, '\'');
    case SKEP_BOOLEAN:
      return skep_buf_text(out, bx->value.i64 != 0 ? "TRUE" : "FALSE");
    case SKEP_TIMESTAMP:
      skep_buf_text(out, "TIMESTAMP '");
      skep_text_ts(bx->value.ts, out);
      return skep_buf_byte(out, '\'');
    case SKEP_STRING:
      skep_buf_byte(out, '\'');
      for (size_t i = 0; i < bx->value.bytes.left; i++) {
        uint8_t c = bx->value.bytes.at[i];
        if (c == 0) return false;
        if (c == '\'' || c == '\\') skep_buf_byte(out, '\\');
        skep_buf_byte(out, c);
      }
      return skep_buf_byte(out, '\'');
    default:
      return false;
  }
}

static void print_column(const skep_bx *column, skep_buf *out) {
  skep_buf_quoted(out, '`', column->rel->names[column->position]);
}

static const char *flipped(const char *op) {
  if (strcmp(op, "<") == 0) return ">";
  if (strcmp(op, ">") == 0) return "<";
  if (strcmp(op, "<=") == 0) return ">=";
  if (strcmp(op, ">=") == 0) return "<=";
  return op;
}

static bool is_comparison(const char *op) {
  static const char *const ops[] = {"=", "<", "<=", ">", ">="};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(op, ops[i]) == 0) return true;
  }
  return false;
}

static bool types_agree(const skep_bx *column, const skep_bx *value) {
  const skep_type *c = column->type, *v = value->type;
  if (skep_rule_is_integer(c)) return skep_rule_is_integer(v);
  if (c->kind == SKEP_DECIMAL) return v->kind == SKEP_DECIMAL || skep_rule_is_integer(v);
  if (c->kind == SKEP_VARCHAR) return v->kind == SKEP_STRING;
  return c->kind == v->kind &&
         (c->kind == SKEP_DATE || c->kind == SKEP_TIMESTAMP || c->kind == SKEP_STRING || c->kind == SKEP_BOOLEAN);
}

/* A widening of the column that does not change how it compares with a constant of the wider type. */
static const skep_bx *peel(const skep_bx *bx) {
  if (bx->op != SKEP_BX_CAST) return bx;
  const skep_bx *inner = bx->args[0];
  bool integers =
      skep_rule_is_integer(inner->type) && skep_rule_is_integer(bx->type) && inner->type->kind < bx->type->kind;
  bool decimals = inner->type->kind == SKEP_DECIMAL && bx->type->kind == SKEP_DECIMAL &&
                  bx->type->scale >= inner->type->scale &&
                  bx->type->precision - bx->type->scale >= inner->type->precision - inner->type->scale;
  bool strings = inner->type->kind == SKEP_VARCHAR && bx->type->kind == SKEP_STRING;
  return integers || decimals || strings ? inner : bx;
}

static bool is_key(const skep_bx *column) { return column->position >= column->rel->n_data; }

static bool print_conjunct(const skep_bx *bx, const skep_brel *from, skep_buf *out, const skep_bx **column);

/* Both sides about one table, and both about data or both about partitions. */
static bool print_either(const skep_bx *bx, const skep_brel *from, skep_buf *out, const skep_bx **column) {
  const skep_bx *left = NULL, *right = NULL;
  uint32_t depth = 0;
  for (const skep_bx *at = bx; at->op == SKEP_BX_CALL && at->fn == bx->fn; at = at->args[0]) {
    if (++depth > 50) return false; /* predicates bound their depth */
  }
  skep_buf_byte(out, '(');
  if (!print_conjunct(bx->args[0], from, out, &left)) return false;
  skep_buf_text(out, " OR ");
  if (!print_conjunct(bx->args[1], from, out, &right)) return false;
  *column = left;
  return left->rel == right->rel && is_key(left) == is_key(right) && skep_buf_byte(out, ')');
}

/* Appends `bx` as predicate text when the scan can test it. *column: the table column that it is about. */
static bool print_conjunct(const skep_bx *bx, const skep_brel *from, skep_buf *out, const skep_bx **column) {
  if (bx->op == SKEP_BX_COLUMN && bx->type->kind == SKEP_BOOLEAN) {
    *column = table_column(bx, from);
    if (*column == NULL) return false;
    print_column(*column, out);
    return skep_buf_text(out, " = TRUE");
  }
  if (bx->op == SKEP_BX_IN && !bx->negated) {
    *column = table_column(peel(bx->args[0]), from);
    if (*column == NULL || bx->n_args > 1000 || bx->n_args < 2) return false;
    print_column(*column, out);
    skep_buf_text(out, " IN (");
    for (uint32_t i = 1; i < bx->n_args; i++) {
      if (i != 1) skep_buf_text(out, ", ");
      if (!types_agree(*column, bx->args[i]) || !print_literal(bx->args[i], out)) return false;
    }
    return skep_buf_byte(out, ')');
  }
  if (bx->op != SKEP_BX_CALL || bx->fn->rule != SKEP_FR_OPERATOR) return false;
  if (strcmp(bx->fn->name, "or") == 0) return print_either(bx, from, out, column);
  if (strcmp(bx->fn->name, "is null") == 0 || strcmp(bx->fn->name, "is not null") == 0) {
    *column = table_column(bx->args[0], from);
    if (*column == NULL || skep_rule_is_nested((*column)->type)) return false;
    print_column(*column, out);
    return skep_buf_text(out, bx->fn->name[3] == 'n' && bx->fn->name[4] == 'o' ? " IS NOT NULL" : " IS NULL");
  }
  if (!is_comparison(bx->fn->name)) return false;
  const skep_bx *left = peel(bx->args[0]), *right = peel(bx->args[1]);
  bool swap = left->op == SKEP_BX_CONST;
  *column = table_column(swap ? right : left, from);
  const skep_bx *value = swap ? left : right;
  if (*column == NULL || value->op != SKEP_BX_CONST || !types_agree(*column, value)) return false;
  print_column(*column, out);
  skep_buf_printf(out, " %s ", swap ? flipped(bx->fn->name) : bx->fn->name);
  return print_literal(value, out);
}

static void add_conjunct(binding *b, const skep_bx *bx, const skep_brel *from, sarg_texts *texts) {
  if (bx == NULL) return;
  if (bx->op == SKEP_BX_CALL && strcmp(bx->fn->name, "and") == 0) {
    for (; bx->op == SKEP_BX_CALL && strcmp(bx->fn->name, "and") == 0; bx = bx->args[0]) {
      add_conjunct(b, bx->args[1], from, texts);
    }
  }
  skep_buf one;
  skep_buf_init(&one, b->arena->ctx, 1 << 16);
  const skep_bx *column = NULL;
  if (print_conjunct(bx, from, &one, &column) && one.status == SKEP_OK) {
    const skep_brel *rel = column->rel;
    sarg_texts *mine = &texts[rel->table];
    skep_buf *text = is_key(column) ? &mine->keys : &mine->data;
    if (text->size != 0) skep_buf_text(text, " AND ");
    skep_buf_add(text, one.data, one.size);
  }
  skep_buf_fini(&one);
}

static void keep_text(binding *b, const char **place, skep_buf *text) {
  if (text->status != SKEP_OK || text->size == 0) return; /* too long or no memory: the scan reads more, no harm */
  if (*place != NULL) {                                   /* what an inner block has found before */
    skep_buf_text(text, " AND ");
    skep_buf_text(text, *place);
    if (text->status != SKEP_OK) return;
  }
  const char *copy = skep_buf_copy(text, b->arena);
  if (copy != NULL) *place = copy;
}

/* A join's own condition drops rows of an input whose rows come out only with a match. */
static void add_joins(binding *b, const skep_brel *rel, sarg_texts *texts) {
  if (rel == NULL) return;
  if (rel->kind == SKEP_BREL_LATERAL) add_joins(b, rel->left, texts);
  if (rel->kind != SKEP_BREL_JOIN) return;
  add_joins(b, rel->left, texts);
  add_joins(b, rel->right, texts);
  skep_bjoin join = rel->join;
  bool left = join == SKEP_BJOIN_INNER || join == SKEP_BJOIN_SEMI || join == SKEP_BJOIN_RIGHT;
  bool right =
      join == SKEP_BJOIN_INNER || join == SKEP_BJOIN_SEMI || join == SKEP_BJOIN_LEFT || join == SKEP_BJOIN_ANTI;
  if (left) add_conjunct(b, rel->on, rel->left, texts);
  if (right) add_conjunct(b, rel->on, rel->right, texts);
}

skep_status skep_bind_sargs(binding *b, skep_bq *block) {
  if (b->n_tables == 0) return SKEP_OK;
  sarg_texts *texts = skep_arena_zero(b->arena, b->n_tables, sizeof *texts);
  if (texts == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < b->n_tables; i++) {
    skep_buf_init(&texts[i].data, b->arena->ctx, 1 << 18);
    skep_buf_init(&texts[i].keys, b->arena->ctx, 1 << 18);
  }
  add_conjunct(b, block->where, block->from, texts);
  add_joins(b, block->from, texts);
  for (uint32_t i = 0; i < b->n_tables; i++) {
    keep_text(b, &b->tables[i].predicate, &texts[i].data);
    keep_text(b, &b->tables[i].partition_predicate, &texts[i].keys);
    skep_buf_fini(&texts[i].data);
    skep_buf_fini(&texts[i].keys);
  }
  return SKEP_OK;
}

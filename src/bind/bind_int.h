/* The binder's inside: the state of one binding, scopes, and the doors between its files.
 *
 * bind.c        entries, outputs, INSERT's casts
 * bind_query.c  blocks: SELECT, set operations, VALUES, WITH, GROUP BY, ORDER BY
 * bind_from.c   relations and name resolution
 * bind_expr.c   expressions; bind_const.c literals and folding; bind_call.c functions;
 *               bind_aggregate.c those over groups; bind_window.c what stands behind OVER */
#ifndef BIND_BIND_INT_H
#define BIND_BIND_INT_H

#include "bind/bind.h"
#include "bind/functions.h"
#include "bind/type_rules.h"
#include "hiveql/ast.h"

/* Some of Hive's functions are printed with an operand twice (nullif, greatest, CASE x WHEN): nested they double. */
enum { SKEP_BIND_MAX_WEIGHT = 500000 };
enum { SKEP_BIND_MAX_DEPTH = 600, SKEP_BIND_MAX_RELATIONS = 10000 };

typedef struct cte_env { /* WITH queries in sight, innermost first */
  const struct cte_env *outer;
  const char *name;
  uint32_t id;
  const skep_bq *query;
  const char *const *names;
} cte_env;

typedef struct using_column { /* a column of JOIN ... USING: one name for two columns */
  const char *name;
  skep_bx *value;
} using_column;

typedef struct scope {
  struct scope *parent;
  const cte_env *ctes;
  const skep_brel **rels;
  uint32_t n_rels, rels_capacity;
  using_column *usings;
  uint32_t n_usings, usings_capacity;
  /* Select aliases, where they can be seen (HAVING, QUALIFY, ORDER BY). */
  const char *const *alias_names;
  skep_bx *const *alias_values;
  uint32_t n_aliases;
  const skep_select *select; /* for its WINDOW clause; or NULL */
  const struct skep_bq *block;
  bool aggregates, windows; /* allowed here */
  bool in_select;           /* the select list is being bound */
  const bool *derived;      /* of the outputs: called as the column that they CAST; ORDER BY means the column itself */
  bool grouped_seen;        /* an aggregate was bound */
  bool window_seen;
  bool correlated; /* something resolved in an outer scope */
} scope;

typedef struct binding {
  const skep_binder *binder;
  skep_arena *arena;
  skep_err *err;
  uint32_t next_rel, next_cte, depth;
  skep_bound_table *tables;
  const skep_brel **table_rels;
  uint32_t n_tables, tables_capacity;
  uint32_t in_view; /* names are those of a view's text: not traced */
} binding;

/* ---- helpers ---- */
skep_status skep_bind_nomem(binding *b);
/* "SemanticException [Error N]: Line L:C text"; code 0: no number; a position without line: no place. */
skep_status skep_bind_fail(binding *b, skep_pos pos, int code, const char *format, ...) SKEP_PRINTF(4, 5);
/* See skep_binder.trace. */
skep_status skep_bind_traced_name(binding *b, skep_pos pos, const char *qualifier, const char *name, bool is_star);
skep_status skep_bind_unsupported(binding *b, skep_pos pos, const char *what);
/* What Hive would call this expression in a message: its root token. Escaped into out. */
const char *skep_bind_label(const skep_expr *expr, char *out, size_t size);
const char *skep_bx_label(const skep_bx *bx, char *out, size_t size); /* the same of a bound expression */
void *skep_bind_grow(skep_arena *arena, void *items, uint32_t n, uint32_t *capacity, size_t size);
const char *skep_bind_type_text(binding *b, const skep_type *type); /* Hive's name; "" when memory is out */

/* ---- nodes: NULL when memory is out ---- */
skep_bx *skep_bx_new(binding *b, skep_bx_op op, const skep_type *type, skep_pos pos, uint32_t n_args);
skep_bx *skep_bx_call(binding *b, const skep_function *fn, const skep_type *type, skep_pos pos, skep_bx *const *args,
                      uint32_t n);
skep_bx *skep_bx_operator(binding *b, const char *name, const skep_type *type, skep_pos pos, skep_bx *left,
                          skep_bx *right); /* right may be NULL */
void skep_bx_mark(skep_bx *bx);            /* has_ flags from the arguments */
bool skep_bx_equal(const skep_bx *a, const skep_bx *b);
skep_bx *skep_bx_column(binding *b, const skep_brel *rel, uint32_t position, skep_pos pos);

/* ---- constants ---- */
SKEP_NODISCARD skep_status skep_bind_literal(binding *b, const skep_expr *expr, skep_bx **out);
skep_bx *skep_bx_null(binding *b, const skep_type *type);
skep_bx *skep_bx_int(binding *b, const skep_type *type, int64_t value);
skep_bx *skep_bx_bool(binding *b, bool value);
skep_bx *skep_bx_text(binding *b, const char *bytes, size_t length);
/* The folded value of a cast of a constant, or NULL when it is left to run time (no failure). */
skep_bx *skep_bx_fold_cast(binding *b, const skep_bx *value, const skep_type *to);
/* Digits of a number constant: integers as DECIMAL arithmetic sees them (1 -> (1,0)). */
void skep_bx_digits(const skep_bx *bx, unsigned *precision, unsigned *scale);
/* Exact conversion to a column's type for comparisons; NULL when there is none. */
skep_bx *skep_bx_retype(binding *b, const skep_bx *value, const skep_type *to);
/* Folds integer arithmetic on constants; NULL when there is nothing to fold. */
skep_bx *skep_bx_fold_arith(binding *b, skep_arith op, const skep_bx *left, const skep_bx *right,
                            const skep_type *type);
skep_bx *skep_bx_fold_negate(binding *b, const skep_bx *value);

/* ---- expressions ---- */
SKEP_NODISCARD skep_status skep_bind_expression(binding *b, scope *s, const skep_expr *expr, skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_boolean(binding *b, scope *s, const skep_expr *expr, skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_call(binding *b, scope *s, const skep_expr *expr, skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_window(binding *b, scope *s, skep_pos pos, const skep_window *over,
                                            skep_bwindow *w);
/* Where the NULLs of an ORDER BY go: as it says, else behind in ascending order (hive.default.nulls.last). */
static inline bool skep_bind_nulls_first(const binding *b, const skep_order_item *item) {
  if (item->nulls != SKEP_NULLS_DEFAULT) return item->nulls == SKEP_NULLS_FIRST;
  return item->descending != b->binder->nulls_first;
}
/* Implicit conversion; always possible (rules were asked before). */
SKEP_NODISCARD skep_status skep_bind_convert(binding *b, skep_bx *value, const skep_type *to, skep_bx **out);
/* CAST as written, with Hive's refusals. */
SKEP_NODISCARD skep_status skep_bind_cast(binding *b, skep_bx *value, const skep_type *to, skep_pos pos, skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_compare(binding *b, skep_binary_op op, skep_bx *left, skep_bx *right, skep_pos pos,
                                             skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_arith(binding *b, skep_arith op, skep_bx *left, skep_bx *right, skep_pos pos,
                                           skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_to_boolean(binding *b, skep_bx *value, skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_common(binding *b, skep_bx **args, uint32_t n, skep_pos pos, const char *what,
                                            const skep_type **type);

/* In CASE, IF and COALESCE beside a DECIMAL that is no constant: integer constants count their own digits. */
SKEP_NODISCARD skep_status skep_bind_narrow(binding *b, skep_bx **args, uint32_t n);

/* ---- relations and names ---- */
SKEP_NODISCARD skep_status skep_bind_from(binding *b, scope *s, const skep_from *from, const skep_brel **out);
SKEP_NODISCARD skep_status skep_bind_name(binding *b, scope *s, const skep_expr *expr, skep_bx **out);
SKEP_NODISCARD skep_status skep_bind_field(binding *b, skep_bx *base, const char *name, skep_pos pos, skep_bx **out);
SKEP_NODISCARD skep_status skep_scope_add(binding *b, scope *s, const skep_brel *rel, skep_pos pos);
/* A relation over a bound query; names NULL: the query's own. */
SKEP_NODISCARD skep_status skep_bind_query_rel(binding *b, const skep_bq *query, const char *alias,
                                               const char *const *names, skep_brel **out);
/* udtf(args) per row of `left` (NULL: one row); names: given or NULL for the function's own. */
SKEP_NODISCARD skep_status skep_bind_lateral(binding *b, scope *s, const skep_brel *left, const skep_expr *call,
                                             const char *alias, skep_name_list names, bool outer, skep_brel **out);

/* ---- blocks ---- */
SKEP_NODISCARD skep_status skep_bind_block(binding *b, scope *parent, const cte_env *ctes, const skep_query *query,
                                           skep_bq **out);
SKEP_NODISCARD skep_status skep_bind_values(binding *b, scope *parent, const cte_env *ctes, const skep_values *values,
                                            skep_bq **out);
/* The same query with its outputs converted to these types. */
SKEP_NODISCARD skep_status skep_bind_convert_block(binding *b, skep_bq *query, const skep_type *const *types,
                                                   skep_bq **out);

/* Splits WHERE of a block into what its tables' scans can use (sarg.c). */
SKEP_NODISCARD skep_status skep_bind_sargs(binding *b, skep_bq *block);

#endif

/* What sys.transactions shows: every transaction that anything is known of, with what it has written. */
#ifndef TXN_VIEWS_H
#define TXN_VIEWS_H

#include "txn/progress.h"

/* One transaction and one of its components (a line of Hive's view sys.transactions), or one without any. Committed
 * ones too, as long as they have rows in TXNS; aborted ones that have none any more. */
typedef struct skep_txn_view_row {
  skep_txn_full_row txn;                    /* row.state 'c' as well */
  const char *meta;                         /* TXN_META_INFO of an aborted or committed one; or NULL */
  bool has_type;                            /* TXN_TYPE is not NULL */
  const char *database, *table, *partition; /* NULL: no component */
  char op;                                  /* 0: none */
  int64_t write_id;                         /* 0: none */
} skep_txn_view_row;

/* Ascending by transaction; everything lives in the arena. */
SKEP_NODISCARD skep_status skep_txn_view(skep_db *db, skep_arena *arena, skep_txn_view_row **out, size_t *n,
                                         skep_err *err);

const char *skep_txn_type_name(skep_txn_type type); /* "DEFAULT"; "UNKNOWN" for none of them */

#endif

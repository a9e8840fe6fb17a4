/* How far a table may be cleaned, and who holds it back.
 *
 * A transaction of Hive's holds back every table: nobody knows what it reads. One of Skep's says so itself:
 * skep_txn_begin and skep_txn_use_tables write the tables into its own row, in the database transaction of the snapshot
 * or of the first touch, and it holds back those only. Where that is kept: TXNS.TXN_META_INFO, which Hive uses for
 * aborted transactions only and overwrites when it aborts one: "skep:" and 8 letters for each table (a hash of its
 * name: two tables that share one are held back together), "*" for more than fit. (MIN_HISTORY_WRITE_ID would be the
 * natural place. But a Hive that does not use it never deletes its rows, and with one that is left it cannot delete the
 * row of TXNS.)
 *
 * So the cleaner of a table may go further than the oldest transaction: to one that has not touched the table yet, and
 * may still do so. skep_txn_cleaner_claim therefore publishes how far it goes, and the first touch of a transaction
 * that is older fails: "snapshot too old", SKEP_ERR_CONFLICT.
 *
 * Source of the rules for a cleaner: txn-protocol 2.3, 9.6. */
#ifndef TXN_WATERMARK_H
#define TXN_WATERMARK_H

#include "txn/txn.h"

/* An open transaction that keeps the horizon where it is: none of those above it counts. */
typedef struct skep_txn_holder {
  int64_t txn;
  skep_txn_type type;
  bool is_ours;                     /* it says which tables it uses; else it holds back all */
  bool is_everything;               /* it uses more tables than it can say, or is not ours */
  int64_t started_ms, heartbeat_ms; /* as in TXNS */
  int64_t age_ms, silent_ms;        /* since then, by the database's clock */
  const char *user, *host;
  const char *query; /* the query id (TXN_AGENT_INFO), or NULL */
} skep_txn_holder;

typedef struct skep_txn_horizon {
  /* Every transaction below is over for this table, and none below will begin to use it. A row of COMPACTION_QUEUE may
   * be cleaned when CQ_NEXT_TXN_ID <= min_txn: its compaction is seen by all (Hive's rule); what a drop removes when
   * CQ_NEXT_TXN_ID < min_txn. */
  int64_t min_txn;
  int64_t global_min_txn; /* what Hive's own cleaner would say: skep_txn_min_open */
  /* The oldest possible reader: hwm min_txn - 1. What no list of it chooses is of no use to anybody. `open` is empty
   * but for transactions that do not use this table. */
  skep_txn_ids txns;
  const char *valid_txns;
  skep_txn_ids write_ids;         /* of the table, for txns */
  const char *valid_write_ids;    /* "db.table:..." */
  const skep_txn_holder *holders; /* those who hold it back, the oldest first, at most SKEP_TXN_MAX_HOLDERS */
  uint32_t n_holders;             /* of those listed */
  uint64_t n_holding;             /* of all */
} skep_txn_horizon;

enum { SKEP_TXN_MAX_HOLDERS = 100 };

/* For looking only: nothing is promised beyond the moment. Everything in out lives in the arena. */
SKEP_NODISCARD skep_status skep_txn_cleaner_horizon(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                    const char *database, const char *table, skep_txn_horizon *out,
                                                    skep_err *err);
/* For removing: the same, but min_txn is not above up_to (0: no limit): who removes what a compaction has replaced asks
 * for CQ_NEXT_TXN_ID + 1, so that transactions which began after it are not kept out. And from now on no older
 * transaction can begin to use the table. Writes to the database only when there is an older one that could. Outside of
 * a database transaction. A cleaner asks for each table just before it removes, and does not use an answer that is
 * older. */
SKEP_NODISCARD skep_status skep_txn_cleaner_claim(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                  const char *database, const char *table, int64_t up_to,
                                                  skep_txn_horizon *out, skep_err *err);

/* "transaction 17 of ann at host7 (query skep_...), open for 3 hours, last heard of 2 s ago, may read any table": one
 * line about a holder. Failures stay in out. */
void skep_txn_holder_print(const skep_txn_holder *holder, skep_buf *out);

/* A transaction that was opened by skep_txn_open says here what it uses (a compaction: its table). Until it has called
 * this it holds back everything. n 0: it uses nothing yet. Joins the caller's write transaction; tables it said before
 * stay. SKEP_ERR_CONFLICT: snapshot too old; SKEP_ERR_ABORTED, SKEP_ERR_NOT_FOUND. */
SKEP_NODISCARD skep_status skep_txn_register(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n,
                                             skep_err *err);

#endif

/* A snapshot: which write ids of a table, and which transactions, a reader may see. Immutable once parsed.
 *
 * Source: Hive ValidReaderWriteIdList, ValidReadTxnList, and their spellings in 1.2, 2.3, 3.1 and 4.0. */
#ifndef ACID_SNAPSHOT_H
#define ACID_SNAPSHOT_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum skep_hive_version { SKEP_HIVE_4, SKEP_HIVE_3, SKEP_HIVE_2, SKEP_HIVE_1 } skep_hive_version;

/* One list of ids: valid(i) = i <= hwm and i is neither open nor aborted. Hive 1.2 and 2.3 list exceptions without
 * saying which they are: those below a known min_open are aborted, the others count as open. */
typedef struct skep_id_list {
  int64_t high_watermark;
  int64_t min_open; /* INT64_MAX: nothing open */
  uint32_t n_open, n_aborted;
  const int64_t *open, *aborted; /* ascending, without repetition, in one of the two at most */
} skep_id_list;

typedef struct skep_snapshot {
  bool everything;         /* no list at all: everything on disk counts as committed (must be asked for) */
  bool has_write_ids;      /* write_ids given */
  bool has_txns;           /* txns given: they decide over _v; without it _v directories count as committed */
  bool write_ids_are_txns; /* ACID v1: only a transaction list; write ids are transaction ids; originals have plain
                              buckets */
  bool for_compactor;      /* a range counts when all of it is up to the high watermark, else not at all
                              (ValidCompactorWriteIdList); set by the caller, never by parsing */
  const char *table;       /* "db.t" as in the list, or NULL */
  skep_id_list write_ids;
  skep_id_list txns;
} skep_snapshot;

typedef enum skep_range { SKEP_RANGE_NONE, SKEP_RANGE_SOME, SKEP_RANGE_ALL } skep_range;

/* The list that write ids are looked up in, or NULL when every write id is valid. */
const skep_id_list *skep_snapshot_write_id_list(const skep_snapshot *s);

/* write_ids: Hive's text "[txn$]db.t:hwm:minOpen:open:aborted" or NULL; txns: a transaction list in the spelling of
 * `hive`, or NULL. Both NULL: everything. A table name may hold ':' and '$'; trailing parts may be missing; runs may be
 * written a-b. SKEP_ERR_ARGUMENT names the part that is wrong; SKEP_ERR_LIMIT: more than 4 million ids. */
SKEP_NODISCARD skep_status skep_snapshot_parse(skep_arena *arena, const char *write_ids, const char *txns,
                                               skep_hive_version hive, skep_snapshot *out, skep_err *err);
/* Canonical texts (Hive 4 spelling) that parse back to the same; for splits. */
void skep_snapshot_print(const skep_snapshot *snapshot, skep_buf *write_ids, skep_buf *txns);

bool skep_snapshot_write_id_valid(const skep_snapshot *s, int64_t write_id); /* 0 (originals) always */
bool skep_snapshot_write_id_aborted(const skep_snapshot *s, int64_t write_id);
/* min <= max, both inclusive. How much of the range is valid, or aborted (ids above the high watermark never are). */
skep_range skep_snapshot_range_valid(const skep_snapshot *s, int64_t min, int64_t max);
skep_range skep_snapshot_range_aborted(const skep_snapshot *s, int64_t min, int64_t max);
bool skep_snapshot_txn_valid(const skep_snapshot *s, int64_t txn); /* 0 always */
bool skep_snapshot_txn_aborted(const skep_snapshot *s, int64_t txn);

#endif

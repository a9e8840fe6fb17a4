/* The numbers that a metastore gives out: locks, requests of compactions, write ids, transactions, and the ids of its
 * catalog's rows (skep_db_next_ids in db.h). Each stands in a row of its own, or in a sequence, and is above all that
 * were given out. Where it is not (a row was restored, or changed by hand), what is given out next is there already: it
 * is refused (skep_counter_taken) until `skep metastore reseed`.
 *
 * Source: txn-protocol 1.5, 2, 3, 7, 9: which rows bear a number. */
#ifndef DB_COUNTERS_H
#define DB_COUNTERS_H

#include "db/schema.h"

/* A line for each that is behind its rows, *n_behind their number. Reads only; joins the caller's transaction. What the
 * database lacks is passed over. */
SKEP_NODISCARD skep_status skep_counters_check(skep_db *db, skep_schema_visitor *visit, void *self, uint64_t *n_behind,
                                               skep_err *err);
/* Sets them right, with a line for each. Inside the caller's write transaction. */
SKEP_NODISCARD skep_status skep_counters_raise(skep_db *db, skep_schema_visitor *visit, void *self, skep_err *err);

/* The number that `counter` gave is there: SKEP_ERR_CORRUPT with what to do. */
skep_status skep_counter_taken(const char *counter, int64_t number, skep_err *err);

#endif

/* sys.transactions, sys.locks and sys.compactions: what SHOW TRANSACTIONS, LOCKS and COMPACTIONS say, as tables that a
 * SELECT can read. Columns are those of Hive's views of the same names (hive-schema-4.0.0.hive.sql, compactions as in
 * 4.1.0's), more of ours after them; times are text, UTC, to the millisecond (Hive's views of 4.0 take milliseconds for
 * seconds). They exist without a database `sys`. */
#ifndef SQL_SYS_VIEWS_H
#define SQL_SYS_VIEWS_H

#include "bind/bind.h"
#include "sql/session_int.h"

/* Whether db.name is one of them. */
bool skep_sys_view_is(const char *db, const char *name);

/* It as a table for the binder: its rows are read now, in the database transaction of the statement. */
SKEP_NODISCARD skep_status skep_sys_view_table(skep_session *session, skep_arena *arena, const char *name,
                                               skep_bind_table *out, skep_err *err);

#endif

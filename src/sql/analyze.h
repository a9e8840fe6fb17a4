/* Statistics that are computed again: after a major compaction (Hive's StatsUpdater). */
#ifndef SQL_ANALYZE_H
#define SQL_ANALYZE_H

#include "sql/session.h"

/* ANALYZE TABLE db.table COMPUTE STATISTICS FOR COLUMNS of those columns that have statistics now, for the table or one
 * partition by its escaped name. Nothing is done when none has. Outside of a statement's database transaction. */
SKEP_NODISCARD skep_status skep_analyze_again(skep_session *session, const char *db, const char *table,
                                              const char *partition, skep_err *err);

#endif

/* Conflicts that letters alone do not decide: the files say which rows two transactions changed.
 *
 * With skep.conflict.granularity=row two transactions that updated or deleted in one partition conflict when a row is
 * among both their delete events (of delete_delta_<write id>: ours or Hive's, whoever wrote them). And whatever the
 * granularity: a transaction that left no trace in the database but its write id (TRUNCATE, DELETE without WHERE by
 * Hive) conflicts when it left a base or delete events where we changed rows.
 *
 * The directories of both are there: the other one committed while our transaction was open, and holds back the
 * cleaner. Where they are not, or only as a part of a compaction, it counts as a conflict. */
#ifndef SQL_CONFLICT_H
#define SQL_CONFLICT_H

#include "sql/session_int.h"

/* Whether transactions are compared row by row. */
bool skep_conflict_by_rows(const skep_session *session);

/* The commit of the session's transaction, with what needs judging judged: SKEP_ERR_CONFLICT, and aborted with reason
 * "write conflicts", when somebody was first. opts->by_rows, snapshot and pardoned are filled in here. Outside of a
 * database transaction: others go on while files are read. */
SKEP_NODISCARD skep_status skep_conflict_commit(skep_session *session, const skep_txn_commit_opts *opts, skep_err *err);

#endif

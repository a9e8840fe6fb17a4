/* The dispatcher: one statement's text to the function that runs it, and the frame around every statement. */
#ifndef SQL_STATEMENT_H
#define SQL_STATEMENT_H

#include "sql/session_int.h"

/* Substitutes variables, parses, refuses what an explicit transaction forbids (20007), runs, and ends the transaction
 * when the statement failed. */
SKEP_NODISCARD skep_status skep_statement_execute(skep_session *session, const char *text, size_t length,
                                                  skep_result **out, skep_err *err);

/* Runs a statement that is parsed: for those that hold another one. */
SKEP_NODISCARD skep_status skep_statement_dispatch(skep_session *session, const skep_statement *statement,
                                                   skep_result **out, skep_err *err);

/* Whether statements of this kind come to the point where locks are asked for. */
bool skep_statement_asks_for_locks(skep_statement_kind kind);

#endif

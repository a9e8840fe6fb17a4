/* Rows that the program gives a session to read, under a name: FROM name, without a database, hides a table of that
 * name (a WITH of the query hides both). They are the session's own: no view can be made of them. */
#ifndef SQL_GIVEN_H
#define SQL_GIVEN_H

#include "bind/bind.h"
#include "column/source.h"
#include "sql/session.h"

/* Makes a source readable. No result may be open.
 *
 * name    made lower case
 * source  the session's on SKEP_OK, else still the caller's
 *
 * SKEP_ERR_ARGUMENT: no name; SKEP_ERR_EXISTS: given already; SKEP_ERR_NOT_FOUND: there is no engine */
SKEP_NODISCARD skep_status skep_given_add(skep_session *session, const char *name, skep_source *source, skep_err *err);
/* Frees it. No result may be open; an unknown name is ignored. */
void skep_given_remove(skep_session *session, const char *name);
/* Those that are left; before the engine closes. */
void skep_given_forget(skep_session *session);

/* A lower-case name as a table for the binder, or NULL. */
const skep_bind_table *skep_given_find(const skep_session *session, const char *name);

#endif

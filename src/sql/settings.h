/* Settings and variables of a session, for the dispatcher; SET and RESET are in session_int.h. */
#ifndef SQL_SETTINGS_H
#define SQL_SETTINGS_H

#include "sql/session_int.h"

/* A skep_variable_lookup (script.h) over a session. */
const char *skep_settings_variable(void *self, const char *space, const char *name);

#endif

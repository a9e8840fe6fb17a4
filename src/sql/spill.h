/* Where queries spill unless somebody says where: a directory of the warehouse that names the process, so that what a
 * killed one left can be told from what is in use. */
#ifndef SQL_SPILL_H
#define SQL_SPILL_H

#include "sql/session_int.h"

/* Appends the name of a new one, which no table can have: ".skep-spill-<host>-<pid namespace>-<pid>-<random>". */
void skep_spill_name(const skep_ctx *ctx, skep_buf *out);

/* Removes those of processes of this machine that are no more; best effort. */
void skep_spill_clean(skep_session *session);

#endif

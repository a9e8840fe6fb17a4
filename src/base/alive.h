/* Which process a statement or a compaction runs in, and whether it still does: a process of this machine that is no
 * more cannot end its transactions, and nobody has to wait until they time out. */
#ifndef BASE_ALIVE_H
#define BASE_ALIVE_H

#include <stdbool.h>
#include <stddef.h>

enum { SKEP_ALIVE_TAG_SIZE = 48 };

/* "@<machine>.<pid>.<start>", the end of a query id or of a worker's: machine is a hash of host name, boot id and pid
 * namespace, start the time at which the process began, in the kernel's ticks since boot. "" where that cannot be found
 * out. */
void skep_alive_tag(char out[SKEP_ALIVE_TAG_SIZE]);

/* Whether the query id ends with the tag of a process of this machine that has ended. Any doubt is a no. */
bool skep_alive_is_over(const char *query_id);

#endif

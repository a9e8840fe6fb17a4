/* The footer's flat list of types -> a type tree. Inside orc only. */
#ifndef ORC_TYPES_READ_H
#define ORC_TYPES_READ_H

#include "orc/tail.h"
#include "orc_proto.pb-c.h"

/* Sets tail->type and the flags that types carry (decimals without precision, attributes). Ids are checked to number
 * the tree in pre-order, so a type cannot contain itself. SKEP_ERR_CORRUPT, SKEP_ERR_UNSUPPORTED (kinds of later
 * versions), SKEP_ERR_LIMIT. */
SKEP_NODISCARD skep_status skep_orc_types_read(skep_orc_tail *tail, const Skep__Orc__Proto__Footer *footer,
                                               skep_err *err);

#endif

/* Stripes taken over from another file byte for byte: index, streams and stripe footer stay as they are, the tail is
 * new.
 *
 * A stripe means the same in another file when everything that its footer does not say agrees: types, codec, size of
 * row groups, calendar, versions; and the writer's blocks are not smaller than those of the stripe. Source: ORC
 * Specification v1: positions count inside streams, dictionaries belong to a stripe. */
#ifndef ORC_STRIPE_COPY_H
#define ORC_STRIPE_COPY_H

#include "orc/tail.h"
#include "orc/writer.h"

/* Whether stripes of the file may be taken over by the writer. NULL: yes; else why not, in words. What differs from
 * stripe to stripe is not looked at. */
const char *skep_orc_copy_obstacle(const skep_orc_writer *writer, const skep_orc_tail *tail);

/* Whether this stripe of such a file may be: it must have statistics, and the bloom filters that the writer makes. */
SKEP_NODISCARD skep_status skep_orc_may_copy_stripe(const skep_orc_writer *writer, skep_file *file,
                                                    const skep_orc_tail *tail, uint32_t stripe, bool *may,
                                                    skep_err *err);

/* Ends the stripe that is being gathered, if there is one, and appends this one; on_stripe is called for both. `room`
 * is memory to copy through, of any size from 1 on. SKEP_ERR_ARGUMENT where there is an obstacle. */
SKEP_NODISCARD skep_status skep_orc_writer_copy_stripe(skep_orc_writer *writer, skep_file *file,
                                                       const skep_orc_tail *tail, uint32_t stripe, void *room,
                                                       size_t room_bytes, skep_err *err);

/* Ends the stripe that is being gathered; nothing happens when there is none. */
SKEP_NODISCARD skep_status skep_orc_writer_end_stripe(skep_orc_writer *writer, skep_err *err);

#endif

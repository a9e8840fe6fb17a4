/* Statistics that were read, as if they had been gathered here: for stripes taken over from another file. Inside orc
 * only. */
#ifndef ORC_STATS_CARRY_H
#define ORC_STATS_CARRY_H

#include "orc/stats.h"
#include "orc/stats_write.h"

/* Whether `from` says how many values there are, without which nothing can be said of a whole. */
bool skep_orc_stats_can_carry(const skep_orc_stats *from);
/* Fills a tally. What `from` does not say is marked as lost, so that it is not said of the whole file either. */
SKEP_NODISCARD skep_status skep_orc_tally_carry(const skep_ctx *ctx, skep_orc_tally *t, const skep_type *type,
                                                const skep_orc_stats *from, skep_err *err);

#endif

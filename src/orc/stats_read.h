/* Statistics and bloom filters as they stand in the file -> the structs of stats.h. Inside orc only. */
#ifndef ORC_STATS_READ_H
#define ORC_STATS_READ_H

#include "orc/tail.h"
#include "orc_proto.pb-c.h"

/* What decides whether a writer's statistics can be trusted. */
typedef struct skep_orc_writer_facts {
  uint32_t writer; /* UINT32_MAX: none given (ORC Java before there were others) */
  uint32_t version;
  const char *software_version; /* or NULL */
} skep_orc_writer_facts;

skep_orc_writer_facts skep_orc_tail_writer(const skep_orc_tail *tail);

/* `from` may be NULL (nothing known). Bytes are copied into the arena. SKEP_ERR_NOMEM only. */
SKEP_NODISCARD skep_status skep_orc_stats_from_pb(skep_arena *arena, const skep_orc_writer_facts *who,
                                                  const skep_type *type, const Skep__Orc__Proto__ColumnStatistics *from,
                                                  skep_orc_stats *out, skep_err *err);

/* True when bloom filters of this stream kind and encoding of a column can be trusted. */
bool skep_orc_bloom_is_usable(const skep_orc_writer_facts *who, const skep_type *type, bool utf8_stream,
                              uint32_t bloom_encoding);

/* Words are copied into the arena; false (with out zeroed) when the filter is damaged or empty. */
bool skep_orc_bloom_from_pb(skep_arena *arena, const Skep__Orc__Proto__BloomFilter *from, bool utf8_stream,
                            skep_orc_bloom *out);

#endif

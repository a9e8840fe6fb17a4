/* A source over rows in memory: what a program hands in as Arrow arrays, to be read by queries. */
#ifndef COLUMN_MEMORY_SOURCE_H
#define COLUMN_MEMORY_SOURCE_H

#include "column/arrow.h"
#include "column/source.h"

/* Reads an Arrow stream whole. Column names become lower case, as Hive's are.
 *
 * stream  borrowed and not released; its schema must be a struct's
 * out     a new source (free with skep_source_free), which outlives the stream; ctx is borrowed until then
 *
 * SKEP_ERR_UNSUPPORTED: a type without a Hive type; SKEP_ERR_ARGUMENT: no column, or two of one name;
 * SKEP_ERR_CORRUPT: arrays that contradict their schema; SKEP_ERR_IO: the stream failed, with its own text */
SKEP_NODISCARD skep_status skep_memory_source_new(const skep_ctx *ctx, struct ArrowArrayStream *stream,
                                                  skep_source **out, skep_err *err);

#endif

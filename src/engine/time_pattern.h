/* Patterns of dates and times, as Java's DateTimeFormatter has them ("yyyy-MM-dd HH:mm:ss.SSS"): what Hive 4 formats
 * and parses with (hive.datetime.formatter=DATETIME), in English and UTC.
 *
 * Source: java.time.format.DateTimeFormatter, JDK 17. Zone letters print UTC; letters of other calendars (B, g, ...)
 * are not known here. */
#ifndef ENGINE_TIME_PATTERN_H
#define ENGINE_TIME_PATTERN_H

#include "base/buf.h"
#include "base/bytes.h"
#include "column/vec.h"

enum { SKEP_TIME_PATTERN_PARTS = 64 };

typedef struct skep_time_part {
  char letter; /* 0: literal text */
  uint32_t count;
  bool is_adjacent;   /* a number follows without anything between: it has its own width */
  skep_bytes literal; /* into the pattern's text, quotes resolved by being cut into several parts */
} skep_time_part;

typedef struct skep_time_pattern {
  uint32_t n_parts;
  skep_time_part parts[SKEP_TIME_PATTERN_PARTS];
} skep_time_pattern;

/* False: a letter without meaning, an open quote, or too many parts. The text is borrowed. */
bool skep_time_pattern_parse(skep_bytes text, skep_time_pattern *out);
void skep_time_pattern_print(const skep_time_pattern *pattern, skep_ts ts, skep_buf *out);
/* The whole text; year, month and day must be there. A day beyond the month's end is its last one. */
bool skep_time_pattern_read(const skep_time_pattern *pattern, skep_bytes text, skep_ts *out);

#endif

/* Options that several commands take, and their values. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include "acid/snapshot.h"
#include "cli/cli.h"
#include "cli/format.h"

/* Words given more than once, in order. Strings are borrowed (from argv or an arena). */
typedef struct skep_cli_words {
  uint32_t n;
  const char **items; /* room for argc of them */
} skep_cli_words;

/* "4", "4.0.1", "3.1", "3", "2.3.10", "1.2" ... */
bool skep_cli_parse_hive(const char *text, skep_hive_version *out);

/* The default format: table on a terminal, tsv2 elsewhere. */
skep_cli_format skep_cli_default_format(void);

/* Splits at commas outside back-quotes; pieces live in the arena. False when out of memory. */
bool skep_cli_split_commas(skep_arena *arena, const char *text, skep_cli_words *out, skep_err *err);

#endif

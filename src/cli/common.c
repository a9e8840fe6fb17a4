/* Values of shared options. */
#include "cli/common.h"

#include <string.h>
#include <unistd.h>

bool skep_cli_parse_hive(const char *text, skep_hive_version *out) {
  static const skep_hive_version versions[] = {SKEP_HIVE_1, SKEP_HIVE_2, SKEP_HIVE_3, SKEP_HIVE_4};
  if (text[0] < '1' || text[0] > '4' || (text[1] != '\0' && text[1] != '.')) return false;
  for (const char *at = text; *at != '\0'; at++) {
    if ((*at < '0' || *at > '9') && *at != '.') return false;
    if (*at == '.' && (at[1] < '0' || at[1] > '9')) return false;
  }
  *out = versions[text[0] - '1'];
  return true;
}

skep_cli_format skep_cli_default_format(void) { return isatty(STDOUT_FILENO) ? SKEP_CLI_TABLE : SKEP_CLI_TSV2; }

bool skep_cli_split_commas(skep_arena *arena, const char *text, skep_cli_words *out, skep_err *err) {
  size_t n = 1;
  for (const char *at = text; *at != '\0'; at++) n += *at == ',';
  const char **items = skep_arena_zero(arena, out->n + n, sizeof *items);
  if (items == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a list of names"), false;
  if (out->n > 0) memcpy(items, out->items, out->n * sizeof *items);
  out->items = items;
  bool quoted = false;
  for (const char *start = text, *at = text;; at++) {
    if (*at == '`') quoted = !quoted;
    if (*at != '\0' && (*at != ',' || quoted)) continue;
    const char *end = at;
    while (start < end && *start == ' ') start++;
    while (end > start && end[-1] == ' ') end--;
    items[out->n] = skep_arena_strndup(arena, start, (size_t)(end - start));
    if (items[out->n++] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a list of names"), false;
    if (*at == '\0') return true;
    start = at + 1;
  }
}

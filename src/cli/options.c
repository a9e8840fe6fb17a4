/* The option parser. Hand-made: getopt_long accepts abbreviations, reorders argv and prints its own messages. */
#include "cli/options.h"

#include <string.h>

enum { MAX_WORD = 40 };

/* Edit distance (insert, delete, replace, swap of neighbours), for short words; MAX_WORD when one is too long. */
static unsigned distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  if (n >= MAX_WORD || m >= MAX_WORD) return MAX_WORD;
  unsigned row[3][MAX_WORD + 1];
  for (size_t j = 0; j <= m; j++) row[0][j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
    now[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned best = before[j - 1] + (a[i - 1] != b[j - 1]);
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && older[j - 2] + 1 < best) {
        best = older[j - 2] + 1;
      }
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

const char *skep_cli_did_you_mean(const char *word, const char *const *first, size_t n, size_t stride) {
  const char *best = NULL;
  unsigned best_distance = strlen(word) < 4 ? 2 : 3; /* must be below this */
  for (size_t i = 0; i < n; i++) {
    const char *name = *(const char *const *)(const void *)((const char *)first + i * stride);
    if (strlen(name) == 1) continue;                                           /* letters are like every other letter */
    bool begins = strlen(word) >= 3 && strncmp(word, name, strlen(word)) == 0; /* an abbreviation */
    unsigned d = begins ? 1 : distance(word, name);
    if (d < best_distance) {
      best_distance = d;
      best = name;
    }
  }
  return best;
}

int skep_cli_dashes(const char *name) { return name[0] != '\0' && name[1] == '\0' ? 1 : 2; }

bool skep_cli_wrong_value(const skep_cli_option *option, const char *value, const char *want, skep_err *err) {
  char quoted[80];
  skep_quote(quoted, sizeof quoted, value, strlen(value));
  (void)skep_fail(err, SKEP_ERR_ARGUMENT, "%.*s%s takes %s, not \"%s\"", skep_cli_dashes(option->name), "--",
                  option->name, want, quoted);
  return false;
}

static const skep_cli_option *find(const skep_cli_args *args, const char *name, size_t length) {
  for (size_t i = 0; i < args->n_options; i++) {
    const skep_cli_option *o = &args->options[i];
    if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
  }
  return NULL;
}

static int unknown_option(const skep_cli_args *args, const char *word, size_t length, skep_err *err) {
  char quoted[80], plain[MAX_WORD] = "";
  size_t dashes = length > 1 && word[1] == '-' ? 2 : 1;
  if (length - dashes < sizeof plain) memcpy(plain, word + dashes, length - dashes);
  const char *like = args->n_options == 0
                         ? NULL
                         : skep_cli_did_you_mean(plain, &args->options[0].name, args->n_options, sizeof *args->options);
  skep_quote(quoted, sizeof quoted, word, length);
  for (size_t i = 0; i < args->n_foreign; i++) {
    const skep_cli_foreign *f = &args->foreign[i];
    if (strlen(f->word) != length || memcmp(f->word, word, length) != 0) continue;
    (void)skep_fail(err, SKEP_ERR_ARGUMENT, "unknown option %s: %s", quoted, f->hint);
    return SKEP_CLI_WRONG;
  }
  if (like != NULL) {
    (void)skep_fail(err, SKEP_ERR_ARGUMENT, "unknown option %s (did you mean --%s?)", quoted, like);
  } else {
    (void)skep_fail(err, SKEP_ERR_ARGUMENT, "unknown option %s", quoted);
  }
  return SKEP_CLI_WRONG;
}

int skep_cli_next_arg(skep_cli_args *args, const char **value, skep_err *err) {
  *value = NULL;
  if (args->at >= args->argc) return SKEP_CLI_DONE;
  const char *word = args->argv[args->at++];
  if (!args->only_operands && word[0] == '-' && word[1] == '-' && word[2] == '\0') {
    args->only_operands = true;
    return skep_cli_next_arg(args, value, err);
  }
  if (args->only_operands || word[0] != '-' || word[1] == '\0') {
    *value = word;
    return SKEP_CLI_OPERAND;
  }
  const char *equals = strchr(word, '=');
  size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
  size_t dashes = word[1] == '-' ? 2 : 1;
  const skep_cli_option *o = find(args, word + dashes, length - dashes);
  if (o != NULL && skep_cli_dashes(o->name) != (int)dashes) o = NULL;
  if (o == NULL) return unknown_option(args, word, length, err);
  if (o->value == NULL) {
    bool said;
    if (equals == NULL) return o->id;
    if (args->switches_say && skep_cli_parse_bool(equals + 1, &said)) {
      *value = said ? "true" : "false";
      return o->id;
    }
    (void)skep_fail(err, SKEP_ERR_ARGUMENT, "option %.*s%s takes no value", skep_cli_dashes(o->name), "--", o->name);
    return SKEP_CLI_WRONG;
  }
  if (equals != NULL) {
    *value = equals + 1;
  } else if (args->at < args->argc) {
    *value = args->argv[args->at++];
  } else {
    (void)skep_fail(err, SKEP_ERR_ARGUMENT, "option %.*s%s needs a value: %.*s%s %s", skep_cli_dashes(o->name), "--",
                    o->name, skep_cli_dashes(o->name), "--", o->name, o->value);
    return SKEP_CLI_WRONG;
  }
  return o->id;
}

bool skep_cli_parse_bool(const char *text, bool *out) {
  static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
  for (size_t i = 0; i < 4; i++) {
    if (strcmp(text, yes[i]) == 0) return *out = true, true;
    if (strcmp(text, no[i]) == 0) return *out = false, true;
  }
  return false;
}

bool skep_cli_parse_count(const char *text, uint64_t *out) {
  uint64_t v = 0;
  if (*text == '\0') return false;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9') return false;
    if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (unsigned)(*text - '0'), &v)) return false;
  }
  *out = v;
  return true;
}

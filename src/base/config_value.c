/* The spelling of values: booleans, integers, sizes and times. No locale, no libc number parsing. */
#include <string.h>

#include "base/config.h"

typedef struct span {
  const char *at;
  size_t length;
} span;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static span trim(const char *text, size_t length) {
  while (length > 0 && is_blank(text[0])) {
    text++;
    length--;
  }
  while (length > 0 && is_blank(text[length - 1])) length--;
  return (span){text, length};
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* True when `s` begins with the lower-case word `word`, in any case. */
static bool begins(span s, const char *word) {
  size_t n = strlen(word);
  if (s.length < n) return false;
  for (size_t i = 0; i < n; i++) {
    if (lower(s.at[i]) != word[i]) return false;
  }
  return true;
}

static bool equals(span s, const char *word) { return s.length == strlen(word) && begins(s, word); }

/* Splits "-12 kb" into its number and its trimmed unit. */
static bool split_number(const char *text, int64_t *number, span *unit) {
  span s = trim(text, strlen(text));
  size_t i = 0;
  bool negative = s.length > 0 && s.at[0] == '-';
  if (s.length > 0 && (s.at[0] == '-' || s.at[0] == '+')) i++;
  size_t first = i;
  int64_t value = 0;
  for (; i < s.length && s.at[i] >= '0' && s.at[i] <= '9'; i++) {
    int digit = s.at[i] - '0';
    if (__builtin_mul_overflow(value, 10, &value)) return false;
    if (__builtin_add_overflow(value, negative ? -digit : digit, &value)) return false;
  }
  if (i == first) return false;
  *number = value;
  *unit = trim(s.at + i, s.length - i);
  return true;
}

bool skep_parse_bool(const char *text, bool *out) {
  span s = trim(text, strlen(text));
  if (!equals(s, "true") && !equals(s, "false")) return false;
  *out = equals(s, "true");
  return true;
}

bool skep_parse_int(const char *text, int64_t *out) {
  int64_t number;
  span unit;
  if (!split_number(text, &number, &unit) || unit.length != 0) return false;
  *out = number;
  return true;
}

bool skep_parse_bytes(const char *text, uint64_t *out) {
  static const char letters[] = "kmgtpe";
  int64_t number;
  span unit;
  if (!split_number(text, &number, &unit) || number < 0) return false;
  unsigned shift = 0;
  if (unit.length != 0 && !equals(unit, "b") && !equals(unit, "bytes")) {
    const char *letter = strchr(letters, lower(unit.at[0])); /* never finds the NUL: blanks and digits are gone */
    bool known = unit.length == 1 || (unit.length == 2 && lower(unit.at[1]) == 'b');
    if (letter == NULL || *letter == '\0' || !known) return false;
    shift = 10 * (unsigned)(letter - letters + 1);
  }
  return !__builtin_mul_overflow((uint64_t)number, UINT64_C(1) << shift, out);
}

/* Nanoseconds in a unit; 0 when it is none. */
static int64_t unit_ns(span unit, int64_t bare_unit_ns) {
  static const struct {
    const char *exact, *prefix;
    int64_t ns;
  } units[] = {
      {"d", "day", INT64_C(86400000000000)},
      {"h", "hour", INT64_C(3600000000000)},
      {"m", "min", INT64_C(60000000000)},
      {"s", "sec", 1000000000},
      {"ms", "msec", 1000000},
      {"us", "usec", 1000},
      {"ns", "nsec", 1},
  };
  if (unit.length == 0 || equals(unit, "l")) return bare_unit_ns;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (equals(unit, units[i].exact) || begins(unit, units[i].prefix)) return units[i].ns;
  }
  return 0;
}

bool skep_parse_ms(const char *text, int64_t bare_unit_ns, int64_t *out) {
  int64_t number;
  span unit;
  if (!split_number(text, &number, &unit)) return false;
  int64_t ns = unit_ns(unit, bare_unit_ns);
  if (ns == 0) return false;
  if (ns >= 1000000) return !__builtin_mul_overflow(number, ns / 1000000, out);
  *out = number / (1000000 / ns);
  return true;
}

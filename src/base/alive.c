/* Processes that are no more: see alive.h. Everything is asked of /proc: without it nothing is known. */
#include "base/alive.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

static bool read_line(const char *path, char *out, size_t size) {
  FILE *f = fopen(path, "re");
  if (f == NULL) return false;
  bool done = fgets(out, (int)size, f) != NULL;
  fclose(f);
  return done;
}

/* False: not known. */
static bool machine(uint32_t *out) {
  char host[256] = "", boot[64];
  struct stat space;
  if (gethostname(host, sizeof host - 1) != 0 || stat("/proc/self/ns/pid", &space) != 0) return false;
  if (!read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot)) return false;
  uint64_t hash = skep_fnv_text(skep_fnv_text(SKEP_FNV_START, host), boot);
  hash = skep_fnv_bytes(hash, &space.st_ino, sizeof space.st_ino);
  *out = (uint32_t)(hash ^ hash >> 32);
  return true;
}

/* The number that text begins with; returns what follows, or NULL when there is none or it is too large. */
static const char *read_number(const char *at, unsigned base, uint64_t *out) {
  static const char digits[] = "0123456789abcdef";
  const char *begin = at, *digit;
  for (*out = 0; *at != '\0' && (digit = memchr(digits, *at, base)) != NULL; at++) {
    uint64_t value = (uint64_t)(digit - digits);
    if (*out > (UINT64_MAX - value) / base) return NULL;
    *out = *out * base + value;
  }
  return at > begin ? at : NULL;
}

typedef enum process_state { PROCESS_UNKNOWN, PROCESS_GONE, PROCESS_THERE } process_state;

/* A /proc that hides other users' processes (hidepid) shows none of theirs; signals know them all. */
static bool is_unknown_to_signals(const char *pid) {
  uint64_t number;
  const char *end = read_number(pid, 10, &number);
  if (end == NULL || *end != '\0' || number == 0 || number > INT32_MAX) return true;
  return kill((pid_t)number, 0) != 0 && errno == ESRCH;
}

/* Fields 3 and 22 of /proc/<pid>/stat; the name in field 2 may hold anything, brackets too. */
static process_state process(const char *pid, uint64_t *start) {
  char path[64], line[1024];
  struct stat there;
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  if (!read_line(path, line, sizeof line))
    return stat("/proc/self/stat", &there) == 0 && stat(path, &there) != 0 && is_unknown_to_signals(pid)
               ? PROCESS_GONE
               : PROCESS_UNKNOWN;
  const char *at = strrchr(line, ')');
  if (at == NULL || at[1] != ' ') return PROCESS_UNKNOWN;
  at += 2;
  if (*at == 'Z' || *at == 'X') return PROCESS_GONE; /* ended; nobody has asked how */
  for (int field = 3; field < 22; field++) {
    at = strchr(at, ' ');
    if (at == NULL) return PROCESS_UNKNOWN;
    at++;
  }
  return read_number(at, 10, start) != NULL ? PROCESS_THERE : PROCESS_UNKNOWN;
}

void skep_alive_tag(char out[SKEP_ALIVE_TAG_SIZE]) {
  uint32_t here;
  uint64_t start;
  char pid[24];
  out[0] = '\0';
  snprintf(pid, sizeof pid, "%lld", (long long)getpid());
  if (!machine(&here) || process(pid, &start) != PROCESS_THERE) return;
  snprintf(out, SKEP_ALIVE_TAG_SIZE, "@%08" PRIx32 ".%s.%" PRIu64, here, pid, start);
}

bool skep_alive_is_over(const char *query_id) {
  uint32_t here;
  uint64_t start, said;
  char pid[24];
  const char *at = strrchr(query_id, '@');
  if (at == NULL || !machine(&here)) return false;
  const char *end = read_number(at + 1, 16, &said);
  if (end != at + 9 || *end != '.' || said != here) return false;
  at = end + 1;
  size_t digits = strspn(at, "0123456789");
  if (digits == 0 || digits >= sizeof pid || at[digits] != '.') return false;
  memcpy(pid, at, digits);
  pid[digits] = '\0';
  at += digits + 1;
  end = read_number(at, 10, &said);
  if (end == NULL || *end != '\0') return false;
  process_state state = process(pid, &start);
  return state == PROCESS_GONE || (state == PROCESS_THERE && start != said);
}

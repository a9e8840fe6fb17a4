/* Finding and opening libduckdb, and filling the table of its functions. */
#include "engine/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C API grows within a minor version and its structs of strings, lists and hugeints are laid out as the header
 * says. */
#define WANTED_VERSION "v1.4."

skep_duckdb_api skep_duck;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;

/* "folder of the file `path`" + tail; false when it does not fit. */
static bool beside(const char *path, const char *tail, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  int n = slash == NULL ? -1 : snprintf(out, size, "%.*s%s", (int)(slash - path), path, tail);
  return n > 0 && (size_t)n < size;
}

static bool beside_program(char *out, size_t size) {
  char program[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) return false;
  program[n] = '\0';
  return beside(program, "/../lib/skep/libduckdb.so", out, size);
}

static bool beside_library(char *out, size_t size) {
  Dl_info info;
  if (dladdr(&skep_duck, &info) == 0 || info.dli_fname == NULL) return false;
  return beside(info.dli_fname, "/skep/libduckdb.so", out, size);
}

typedef struct attempt {
  void *library;
  char tried[700]; /* "path (why); path (why)" */
  size_t used;
} attempt;

/* Opens `path`; a file that is not there is passed over, unless it was asked for by name. */
static void try_open(attempt *a, const char *path, bool is_asked) {
  if (a->library != NULL || path == NULL || path[0] == '\0') return;
  if (!is_asked && strchr(path, '/') != NULL && access(path, F_OK) != 0) return;
  a->library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (a->library != NULL || a->used >= sizeof a->tried) return;
  const char *why = dlerror();
  char quoted[200], reason[300];
  int n = snprintf(a->tried + a->used, sizeof a->tried - a->used, "%s%s (%s)", a->used == 0 ? "" : "; ",
                   skep_quote(quoted, sizeof quoted, path, strlen(path)),
                   why == NULL ? "unknown" : skep_quote(reason, sizeof reason, why, strlen(why)));
  if (n > 0) a->used += (size_t)n;
}

static void search(attempt *a, const char *path) {
  char near_program[PATH_MAX + 64], near_library[PATH_MAX + 64];
  if (path == NULL) path = secure_getenv("SKEP_DUCKDB_LIBRARY");
  if (path != NULL && path[0] != '\0') {
    try_open(a, path, true);
    return;
  }
  if (beside_program(near_program, sizeof near_program)) try_open(a, near_program, false);
  if (beside_library(near_library, sizeof near_library)) try_open(a, near_library, false);
  try_open(a, SKEP_DUCKDB_INSTALL_PATH, false);
  try_open(a, SKEP_DUCKDB_BUILD_PATH, false);
  try_open(a, "libduckdb.so", true);
}

/* The table is filled whole or not at all. */
static skep_status resolve(void *library, skep_err *err) {
  static const struct {
    const char *name;
    size_t at;
  } names[] = {
#define SKEP_DUCKDB_NAME(name) {"duckdb_" #name, offsetof(skep_duckdb_api, name)},
      SKEP_DUCKDB_FUNCTIONS(SKEP_DUCKDB_NAME)
#undef SKEP_DUCKDB_NAME
  };
  skep_duckdb_api api;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    void *function = dlsym(library, names[i].name);
    if (function == NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "libduckdb has no function %s", names[i].name);
    memcpy((char *)&api + names[i].at, &function, sizeof function);
  }
  const char *version = api.library_version();
  if (strncmp(version, WANTED_VERSION, strlen(WANTED_VERSION)) != 0) {
    char quoted[64];
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "libduckdb is version %s, not " WANTED_VERSION "x",
                     skep_quote(quoted, sizeof quoted, version, strlen(version)));
  }
  skep_duck = api;
  return SKEP_OK;
}

static skep_status load_locked(const char *path, skep_err *err) {
  attempt a = {.library = NULL};
  if (is_loaded) return SKEP_OK;
  search(&a, path);
  if (a.library == NULL) return skep_fail(err, SKEP_ERR_NOT_FOUND, "cannot open DuckDB's library: %s", a.tried);
  skep_status status = resolve(a.library, err);
  is_loaded = status == SKEP_OK;
  if (status != SKEP_OK) dlclose(a.library);
  return status;
}

skep_status skep_duckdb_load(const char *path, skep_err *err) {
  pthread_mutex_lock(&load_lock);
  skep_status status = load_locked(path, err);
  pthread_mutex_unlock(&load_lock);
  return status;
}

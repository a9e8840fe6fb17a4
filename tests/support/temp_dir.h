/* A directory of its own for a test, removed with everything in it afterwards. */
#ifndef SUPPORT_TEMP_DIR_H
#define SUPPORT_TEMP_DIR_H

#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Where files are in memory, if there is such a place and room in it (a container may have 64 MB): for tests that
 * syncing is nothing to. */
static inline const char *temp_dir_memory(void) {
  struct statvfs room;
  bool fits = access("/dev/shm", W_OK) == 0 && statvfs("/dev/shm", &room) == 0 &&
              (uint64_t)room.f_bavail * room.f_frsize >= UINT64_C(1) << 30;
  return fits ? "/dev/shm" : "/tmp";
}

typedef struct temp_dir {
  char path[256];
} temp_dir;

/* Aborts when the system gives no directory: no test can go on. */
static inline void temp_dir_make(temp_dir *dir) {
  const char *parent = getenv("TMPDIR");
  int n = snprintf(dir->path, sizeof dir->path, "%s/skep-test-XXXXXX", parent == NULL ? "/tmp" : parent);
  if (n < 0 || (size_t)n >= sizeof dir->path || mkdtemp(dir->path) == NULL) abort();
}

static inline int temp_dir_remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
  (void)st;
  (void)type;
  (void)ftw;
  return remove(path);
}

static inline void temp_dir_remove_tree(const char *path) {
  nftw(path, temp_dir_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void temp_dir_remove(temp_dir *dir) {
  if (dir->path[0] != '\0') temp_dir_remove_tree(dir->path);
  dir->path[0] = '\0';
}

#endif

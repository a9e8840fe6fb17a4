/* Runs a fuzz target over files: replay_NAME [--bend] PATH...; directories are walked.
 *
 * --bend also tries every proper prefix and every change of one byte (each bit flipped, 00, ff) of files up to
 * BEND_MAX_BYTES. Exit status 77 when there was no file at all: ctest reports the test as skipped. */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

enum { BEND_MAX_BYTES = 2048, MAX_DEPTH = 8 };

/* A copy that ends where the bytes end, so that a sanitizer sees an overrun by one. */
static void run(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size == 0 ? 1 : size);
  if (copy == NULL) abort();
  if (size != 0) memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static void run_bent(uint8_t *data, size_t size) {
  for (size_t length = 0; length < size; length++) run(data, length);
  for (size_t i = 0; i < size; i++) {
    uint8_t kept = data[i];
    for (unsigned change = 0; change < 10; change++) {
      data[i] = change < 8 ? (uint8_t)(kept ^ (1u << change)) : change == 8 ? 0x00 : 0xff;
      run(data, size);
    }
    data[i] = kept;
  }
}

static void run_file(const char *path, bool bend) {
  FILE *in = fopen(path, "rb");
  if (in == NULL) {
    perror(path);
    exit(1);
  }
  uint8_t *data = NULL;
  size_t size = 0, n;
  do {
    uint8_t *grown = realloc(data, size + 65536);
    if (grown == NULL) abort();
    data = grown;
    n = fread(data + size, 1, 65536, in);
    size += n;
  } while (n != 0);
  fclose(in);
  run(data, size);
  if (bend && size <= BEND_MAX_BYTES) run_bent(data, size);
  free(data);
}

static size_t run_path(const char *path, bool bend, int depth) {
  struct stat st;
  if (depth > MAX_DEPTH || stat(path, &st) != 0) return 0;
  if (S_ISREG(st.st_mode)) {
    run_file(path, bend);
    return 1;
  }
  DIR *dir = opendir(path);
  if (dir == NULL) return 0;
  size_t files = 0;
  for (const struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
    char below[4096];
    if (d->d_name[0] == '.') continue;
    int n = snprintf(below, sizeof below, "%s/%s", path, d->d_name);
    if (n > 0 && (size_t)n < sizeof below) files += run_path(below, bend, depth + 1);
  }
  closedir(dir);
  return files;
}

int main(int argc, char **argv) {
  bool bend = false;
  size_t files = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--bend") == 0) {
      bend = true;
    } else {
      files += run_path(argv[i], bend, 0);
    }
  }
  printf("%zu files\n", files);
  return files == 0 ? 77 : 0;
}

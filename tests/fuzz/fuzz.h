/* What a fuzz target includes: the entry it defines, and a check that ends the program. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Defined by each target: give these bytes to the door under test. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for any input. */
#define FUZZ_CHECK(condition)                                                   \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                  \
    }                                                                           \
  } while (0)

#endif

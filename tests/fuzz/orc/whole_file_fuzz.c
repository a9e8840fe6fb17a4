/* An ORC file from a stranger: the tail, every column in every batch, a search argument, a seek and the inspection
 * doors give values or a status. The corpus holds small files of several writers, codecs and types. */
#include "fuzz/fuzz.h"
#include "fuzz/orc/read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_read_file(data, size);
  return 0;
}

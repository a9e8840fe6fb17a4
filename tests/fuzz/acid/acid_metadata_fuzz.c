/* _metadata_acid from a stranger: a known format or an error. */
#include <string.h>

#include "acid/layout.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *format;
  skep_err err;
  skep_status status = skep_metadata_acid_parse(skep_bytes_of(data, size), &format, &err);
  FUZZ_CHECK(status == SKEP_OK || status == SKEP_ERR_CORRUPT);
  FUZZ_CHECK((status == SKEP_OK) == (format != NULL));
  return 0;
}

/* A time zone file from a stranger: a status, or offsets within 26 hours, the same alone and by ranges; and its bytes
 * as a name. */
#include "orc/timezone.h"

#include "fuzz/fuzz.h"

static void look(const skep_timezone *zone) {
  static const int64_t times[] = {INT64_MIN, -62135596800, -2208988801, -2208988800,  -1,       0,
                                  951782400, 1720000000,   4000000000L, 253402300799, INT64_MAX};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    skep_timezone_range utc = skep_timezone_range_utc(zone, times[i]),
                        local = skep_timezone_range_local(zone, times[i]);
    FUZZ_CHECK(utc.offset == skep_timezone_offset(zone, times[i]));
    FUZZ_CHECK(local.offset == skep_timezone_offset_local(zone, times[i]));
    FUZZ_CHECK(utc.offset >= -26 * 3600 && utc.offset <= 26 * 3600);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_err err;
  skep_timezone *zone;
  skep_ctx_init(&ctx);
  if (skep_timezone_parse(&ctx, data, size, &zone, &err) == SKEP_OK) look(zone);
  skep_timezone_free(zone);
  if (size < 40 && skep_timezone_open(&ctx, (const char *)data, size, &zone, &err) == SKEP_OK) {
    look(zone);
    skep_timezone_free(zone);
  }
  return 0;
}

/* hive-site.xml from a stranger: what is read can be listed, and typed getters give a value or a status. */
#include "base/config.h"
#include "fuzz/fuzz.h"

typedef struct all {
  const skep_config *config;
} all;

static skep_status look(void *self, const char *name, const char *value, skep_err *err) {
  const all *a = self;
  int64_t number;
  uint64_t size;
  bool yes;
  FUZZ_CHECK(skep_config_get(a->config, name) == value);
  (void)!skep_config_int(a->config, name, &number, err);
  (void)!skep_config_ms(a->config, name, &number, err);
  (void)!skep_config_bytes(a->config, name, &size, err);
  (void)!skep_config_bool(a->config, name, &yes, err);
  return SKEP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_config *config;
  if (skep_config_new(&ctx, &config, &err) != SKEP_OK) return 0;
  (void)!skep_config_read_xml(config, data, size, &err);
  all a = {config};
  FUZZ_CHECK(skep_config_each(config, look, &a, &err) == SKEP_OK);
  skep_config_free(config);
  return 0;
}

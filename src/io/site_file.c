/* See site_file.h. */
#include "io/site_file.h"

skep_status skep_site_file_read(skep_fs *fs, const skep_ctx *ctx, const char *path, skep_config *config,
                                skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, ctx, SKEP_CONFIG_MAX_XML_BYTES);
  skep_status status = skep_fs_read_whole(fs, path, &text, err);
  if (status == SKEP_OK) status = skep_config_read_xml(config, text.data, text.size, err);
  skep_buf_fini(&text);
  return status;
}

/* Settings from a hive-site.xml in a file system. */
#ifndef IO_SITE_FILE_H
#define IO_SITE_FILE_H

#include "base/config.h"
#include "io/fs.h"

/* Adds the file's settings to `config`: failures as skep_fs_read_whole and skep_config_read_xml. */
SKEP_NODISCARD skep_status skep_site_file_read(skep_fs *fs, const skep_ctx *ctx, const char *path, skep_config *config,
                                               skep_err *err);

#endif

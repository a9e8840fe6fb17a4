/* For backends only: errors that name the path. */
#ifndef IO_FS_INT_H
#define IO_FS_INT_H

#include "io/fs.h"

/* skep_fail with "path: " in front, the path quoted. `path` may be NULL (a file that was opened before): no prefix. */
skep_status skep_fs_fail(skep_err *err, skep_status status, const char *path, const char *format, ...)
    SKEP_PRINTF(4, 5);

#endif

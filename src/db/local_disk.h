/* Whether a file is where only this machine can have it open: what SQLite's write-ahead log needs. Module-private. */
#ifndef DB_LOCAL_DISK_H
#define DB_LOCAL_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The directory that the file `path` is in, "." when it names none: at most size - 1 bytes. SKEP_ERR_LIMIT. */
SKEP_NODISCARD skep_status skep_directory_of(const char *path, char *dir, size_t size, skep_err *err);

/* The name of a network file system by its magic number (statfs f_type); NULL: none that is known to be one. */
const char *skep_network_file_system(uint64_t magic);

/* SKEP_ERR_UNSUPPORTED when the directory of `path` is on one, unless a file named path + "-one-machine" lies there:
 * whoever makes it promises that no other machine uses the database. */
SKEP_NODISCARD skep_status skep_check_local_disk(const char *path, skep_err *err);
/* The same for a file system of this magic number. */
SKEP_NODISCARD skep_status skep_check_file_system(const char *path, uint64_t magic, skep_err *err);

#endif

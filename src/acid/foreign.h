/* Files in table directories that are not ORC. */
#ifndef ACID_FOREIGN_H
#define ACID_FOREIGN_H

#include "io/fs.h"

/* After the tail of `file` could not be read: SKEP_ERR_UNSUPPORTED with the name of the format that it seems to have,
 * or `status` when it is a broken ORC file (with its message) or nothing that is known. */
SKEP_NODISCARD skep_status skep_foreign_explain(skep_file *file, skep_status status, skep_err *err);

#endif

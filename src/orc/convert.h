/* Conversion of values between the type in a file and the type that the reader wants. Inside orc only.
 *
 * Source: ORC Java ConvertTreeReaderFactory (what Hive does after ALTER TABLE CHANGE COLUMN). */
#ifndef ORC_CONVERT_H
#define ORC_CONVERT_H

#include "column/vec.h"

/* Two different types, neither nested the same way: may values of one be read as the other? */
bool skep_orc_can_convert(const skep_type *file, const skep_type *target);

/* Fills `to` (reset, of the target type) with the converted entries of `from`, which is in the forms that
 * skep_orc_convert_forms names. A value that does not convert becomes NULL. */
SKEP_NODISCARD skep_status skep_orc_convert(const skep_vec *from, skep_vec *to, skep_err *err);
extern const skep_forms skep_orc_convert_forms;

#endif

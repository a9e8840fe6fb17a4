/* Conversion of values between the type in a file and the type that the reader wants. Inside orc only.
 *
 * Source: ORC Java ConvertTreeReaderFactory (what Hive does after ALTER TABLE CHANGE COLUMN). */
#ifndef ORC_CONVERT_H
#define ORC_CONVERT_H

#include "column/vec.h"

/* Two different types, neither nested the same way: may values of one be read as the other? */
bool skep_orc_can_convert(const skep_type *file, const skep_type *target);

/* Fills `to` (reset, of the target type) with the converted entries of `from`, which is in the forms that
 * skep_orc_convert_forms names. A value that does not convert becomes NULL.
 *
 * `old`: as before ORC 1.6, which Hive 1 to 3 read with. A float is then converted by its shortest text (0.1 becomes
 * the double 0.1), integers are milliseconds of a timestamp, a timestamp's text ends in ".0" when it has no fraction,
 * its decimal goes through a double, and a text without seconds is no timestamp. */
typedef struct skep_orc_conversion {
  bool old;
  bool hybrid_texts; /* texts of dates and timestamps are in the hybrid calendar, although the values are not: Hive 3 */
} skep_orc_conversion;
SKEP_NODISCARD skep_status skep_orc_convert(const skep_vec *from, skep_vec *to, skep_orc_conversion how, skep_err *err);
extern const skep_forms skep_orc_convert_forms;

#endif

/* Sorting row ids of delete events: by the file they belong into (writer id), then as delete files are sorted. Inside
 * acid only. */
#ifndef ACID_ROW_KEY_SORT_H
#define ACID_ROW_KEY_SORT_H

#include "acid/bucket_file.h"

/* Sorts in place; memory for as many keys again is used unless they are in order already. */
SKEP_NODISCARD skep_status skep_row_keys_sort(const skep_ctx *ctx, skep_row_key *keys, size_t n, skep_err *err);

/* The writer id of a bucket property that is known to decode. */
int32_t skep_row_key_writer(const skep_row_key *key);
bool skep_row_key_less(const skep_row_key *a, const skep_row_key *b); /* a belongs before b */

#endif

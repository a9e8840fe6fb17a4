/* 64-bit values to 128-bit lanes: decimals of up to 18 digits in Arrow's form. Inside orc only. */
#ifndef ORC_WIDEN_H
#define ORC_WIDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sign-extends n values; false (and `out` of no meaning) when one is not within -bound..bound; bound >= 0. */
bool skep_widen(const int64_t *in, int64_t bound, __int128 *out, size_t n);

/* The same in plain C, for tests. */
bool skep_widen_plain(const int64_t *in, int64_t bound, __int128 *out, size_t n);

#endif

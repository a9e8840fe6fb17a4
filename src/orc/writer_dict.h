/* The dictionary of a string column while a stripe is written: different values get codes in the order they come; at
 * the end of the stripe they are sorted. Inside orc only. */
#ifndef ORC_WRITER_DICT_H
#define ORC_WRITER_DICT_H

#include "base/bytes.h"
#include "base/ctx.h"

/* A value, told apart by two words: its length and first four bytes, then the eight bytes behind them where that is all
 * of it, else a hash of all. */
typedef struct skep_orc_wvalue {
  uint64_t head, rest;
  size_t end;    /* of its bytes; they start where those of the code before end */
  uint32_t seen; /* the last row group that it was seen in, from 1: see skep_orc_wdict_first_seen */
} skep_orc_wvalue;

typedef struct skep_orc_wdict {
  const skep_ctx *ctx;
  uint32_t count;
  size_t n_bytes;
  skep_orc_wvalue *values; /* by code */
  size_t values_capacity;
  uint8_t *bytes;
  size_t bytes_capacity;
  uint32_t *slots; /* hash table, open addressing: code + 1; 0 is free */
  size_t n_slots;  /* a power of two, or 0 */
} skep_orc_wdict;

void skep_orc_wdict_init(skep_orc_wdict *d, const skep_ctx *ctx);
void skep_orc_wdict_fini(skep_orc_wdict *d);  /* safe on a zeroed one and twice */
void skep_orc_wdict_clear(skep_orc_wdict *d); /* keeps the memory */
size_t skep_orc_wdict_memory(const skep_orc_wdict *d);

/* The codes of n values; those that were not there are new. SKEP_ERR_LIMIT beyond 2^31 - 1 values. */
SKEP_NODISCARD skep_status skep_orc_wdict_codes(skep_orc_wdict *d, const skep_bytes *values, size_t n, int32_t *codes,
                                                skep_err *err);
/* Keeps of n codes' values those that were not seen in this row group before, and marks them: their number. */
size_t skep_orc_wdict_first_seen(skep_orc_wdict *d, uint32_t group, const int32_t *codes, size_t n, skep_bytes *out);
skep_bytes skep_orc_wdict_value(const skep_orc_wdict *d, uint32_t code);

/* order[i] is the code of the i-th value in byte order. Free with skep_release. */
SKEP_NODISCARD skep_status skep_orc_wdict_sort(const skep_orc_wdict *d, uint32_t **order, skep_err *err);

#endif

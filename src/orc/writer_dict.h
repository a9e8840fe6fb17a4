/* The dictionary of a string column while a stripe is written: different values get codes in the order they come; at
 * the end of the stripe they are sorted. Inside orc only. */
#ifndef ORC_WRITER_DICT_H
#define ORC_WRITER_DICT_H

#include "base/bytes.h"
#include "base/ctx.h"

typedef struct skep_orc_wdict {
  const skep_ctx *ctx;
  uint32_t count;
  size_t n_bytes;
  size_t *ends; /* by code: end of its bytes; it starts where the one before ends */
  size_t ends_capacity;
  uint8_t *bytes;
  size_t bytes_capacity;
  uint32_t *slots;  /* hash table, open addressing: code + 1; 0 is free */
  uint32_t *hashes; /* by code */
  size_t hashes_capacity;
  size_t n_slots; /* a power of two, or 0 */
} skep_orc_wdict;

void skep_orc_wdict_init(skep_orc_wdict *d, const skep_ctx *ctx);
void skep_orc_wdict_fini(skep_orc_wdict *d);  /* safe on a zeroed one and twice */
void skep_orc_wdict_clear(skep_orc_wdict *d); /* keeps the memory */
size_t skep_orc_wdict_memory(const skep_orc_wdict *d);

/* The code of a value, which is new when it was not there. SKEP_ERR_LIMIT beyond 2^31 - 1 values. */
SKEP_NODISCARD skep_status skep_orc_wdict_code(skep_orc_wdict *d, skep_bytes value, int32_t *code, skep_err *err);
skep_bytes skep_orc_wdict_value(const skep_orc_wdict *d, uint32_t code);

/* order[i] is the code of the i-th value in byte order. Free with skep_release. */
SKEP_NODISCARD skep_status skep_orc_wdict_sort(const skep_orc_wdict *d, uint32_t **order, skep_err *err);

#endif

/* See literals.h. */
#include "orc/literals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Four codes and the rest of a byte fit 64 bits when no code is longer than 14. */
enum { MAX_BITS = 14, MAX_LENGTH_BITS = 7, END = 256, N_SYMBOLS = SKEP_LITERALS_SYMBOLS, N_LENGTH_SYMBOLS = 19 };
enum { N_DISTANCES = 2, REPEAT = 16, ZEROS = 17, MANY_ZEROS = 18 };

void skep_literals_count(const uint8_t *in, size_t size, uint32_t counts[256]) {
  uint32_t part[4][256] = {{0}}; /* equal bytes in a row do not wait for one another */
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    part[0][in[i]]++;
    part[1][in[i + 1]]++;
    part[2][in[i + 2]]++;
    part[3][in[i + 3]]++;
    part[0][in[i + 4]]++;
    part[1][in[i + 5]]++;
    part[2][in[i + 6]]++;
    part[3][in[i + 7]]++;
  }
  for (; i < size; i++) part[0][in[i]]++;
  for (size_t b = 0; b < 256; b++) counts[b] = part[0][b] + part[1][b] + part[2][b] + part[3][b];
}

/* ---- code lengths ---- */

typedef struct weight {
  uint32_t count;
  uint16_t symbol;
} weight;

static int compare_weights(const void *a, const void *b) {
  const weight *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Depths of the leaves of a Huffman tree over n >= 2 ascending counts, in place: afterwards at[i] is the depth of i.
 * Source: Moffat and Katajainen, "In-Place Calculation of Minimum-Redundancy Codes", 1995. */
static void find_depths(uint32_t *at, int n) {
  int leaf = 0, root = 0;
  for (int next = 0; next < n - 1; next++) { /* at[i] becomes the sum of a pair, then the parent of that sum */
    uint32_t sum = 0;
    for (int side = 0; side < 2; side++) {
      if (leaf >= n || (root < next && at[root] < at[leaf])) {
        sum += at[root];
        at[root++] = (uint32_t)next;
      } else {
        sum += at[leaf++];
      }
    }
    at[next] = sum;
  }
  at[n - 2] = 0;
  for (int i = n - 3; i >= 0; i--) at[i] = at[at[i]] + 1;
  int available = 1, used = 0, depth = 0, inner = n - 2, next = n - 1;
  while (available > 0) {
    for (; inner >= 0 && (int)at[inner] == depth; inner--) used++;
    for (; available > used; available--) at[next--] = (uint32_t)depth;
    available = 2 * used;
    depth++;
    used = 0;
  }
}

/* Shortens what is longer than `most` and pays for it with shorter codes: number[b] codes of b bits stay a whole set.
 */
static void limit_depths(uint32_t *number, unsigned n_depths, unsigned most) {
  uint64_t taken = 0;
  for (unsigned b = most + 1; b < n_depths; b++) number[most] += number[b];
  for (unsigned b = 1; b <= most; b++) taken += (uint64_t)number[b] << (most - b);
  for (; taken > UINT64_C(1) << most; taken--) {
    unsigned b = most - 1;
    while (number[b] == 0) b--;
    number[most]--;
    number[b]--;
    number[b + 1] += 2;
  }
}

/* Lengths of codes of at most `most` bits; symbols that do not occur have 0. One symbol alone gets a bit, and with it a
 * neighbour, so that the set is whole. */
static void find_lengths(const uint32_t *counts, int n_symbols, unsigned most, uint8_t *lengths) {
  weight weights[N_SYMBOLS];
  uint32_t depths[N_SYMBOLS], number[N_SYMBOLS + 1] = {0};
  int n = 0;
  memset(lengths, 0, (size_t)n_symbols);
  for (int i = 0; i < n_symbols; i++)
    if (counts[i] != 0) weights[n++] = (weight){counts[i], (uint16_t)i};
  if (n < 2) {
    int only = n == 1 ? weights[0].symbol : 0;
    lengths[only] = lengths[only == 0 ? 1 : 0] = 1;
    return;
  }
  qsort(weights, (size_t)n, sizeof *weights, compare_weights);
  for (int i = 0; i < n; i++) depths[i] = weights[i].count;
  find_depths(depths, n);
  for (int i = 0; i < n; i++) number[depths[i]]++;
  limit_depths(number, N_SYMBOLS + 1, most);
  int at = n; /* the commonest come last and get the shortest */
  for (unsigned b = 1; b <= most; b++)
    for (uint32_t k = 0; k < number[b]; k++) lengths[weights[--at].symbol] = (uint8_t)b;
}

/* Source: RFC 1951, 3.2.2. The bits of a code stand in the stream highest first, so they are turned around here. */
static void find_codes(const uint8_t *lengths, int n, uint16_t *codes) {
  uint32_t number[MAX_BITS + 1] = {0}, next[MAX_BITS + 2] = {0};
  for (int i = 0; i < n; i++) number[lengths[i]]++;
  number[0] = 0;
  for (unsigned b = 1; b <= MAX_BITS; b++) next[b + 1] = (next[b] + number[b]) << 1;
  for (int i = 0; i < n; i++) {
    uint32_t code = next[lengths[i]]++, turned = 0;
    for (unsigned b = 0; b < lengths[i]; b++) turned |= (code >> b & 1) << (lengths[i] - 1u - b);
    codes[i] = (uint16_t)turned;
  }
}

/* ---- the header ---- */

static void put_bits(skep_literals *l, uint32_t value, unsigned n) {
  for (unsigned i = 0; i < n; i++, l->header_bits++)
    if ((value >> i & 1) != 0) l->header[l->header_bits / 8] |= (uint8_t)(1u << (l->header_bits % 8));
}

/* The lengths of all codes as a sequence of symbols, runs shortened. Source: RFC 1951, 3.2.7. */
typedef struct length_symbol {
  uint8_t symbol, n_extra, extra;
} length_symbol;

static int shorten(const uint8_t *lengths, int n, length_symbol *out) {
  int n_out = 0;
  for (int i = 0; i < n;) {
    int run = 1;
    while (i + run < n && lengths[i + run] == lengths[i]) run++;
    if (lengths[i] == 0 && run >= 3) {
      if (run > 138) run = 138;
      out[n_out++] = run < 11 ? (length_symbol){ZEROS, 3, (uint8_t)(run - 3)}
                              : (length_symbol){MANY_ZEROS, 7, (uint8_t)(run - 11)};
    } else if (i > 0 && lengths[i] == lengths[i - 1] && run >= 3) {
      if (run > 6) run = 6;
      out[n_out++] = (length_symbol){REPEAT, 2, (uint8_t)(run - 3)};
    } else {
      run = 1;
      out[n_out++] = (length_symbol){lengths[i], 0, 0};
    }
    i += run;
  }
  return n_out;
}

static void plan_header(skep_literals *l) {
  static const uint8_t order[N_LENGTH_SYMBOLS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t all[N_SYMBOLS + N_DISTANCES], lengths[N_LENGTH_SYMBOLS];
  length_symbol symbols[N_SYMBOLS + N_DISTANCES];
  uint16_t codes[N_LENGTH_SYMBOLS];
  uint32_t counts[N_LENGTH_SYMBOLS] = {0};
  memcpy(all, l->lengths, N_SYMBOLS);
  memset(all + N_SYMBOLS, 1, N_DISTANCES);
  int n = shorten(all, N_SYMBOLS + N_DISTANCES, symbols), n_order = N_LENGTH_SYMBOLS;
  for (int i = 0; i < n; i++) counts[symbols[i].symbol]++;
  find_lengths(counts, N_LENGTH_SYMBOLS, MAX_LENGTH_BITS, lengths);
  find_codes(lengths, N_LENGTH_SYMBOLS, codes);
  while (n_order > 4 && lengths[order[n_order - 1]] == 0) n_order--;
  memset(l->header, 0, sizeof l->header);
  l->header_bits = 0;
  put_bits(l, 1, 1); /* the last block */
  put_bits(l, 2, 2); /* with codes of its own */
  put_bits(l, N_SYMBOLS - 257, 5);
  put_bits(l, N_DISTANCES - 1, 5);
  put_bits(l, (uint32_t)n_order - 4, 4);
  for (int i = 0; i < n_order; i++) put_bits(l, lengths[order[i]], 3);
  for (int i = 0; i < n; i++) {
    put_bits(l, codes[symbols[i].symbol], lengths[symbols[i].symbol]);
    put_bits(l, symbols[i].extra, symbols[i].n_extra);
  }
}

size_t skep_literals_plan(skep_literals *l, const uint32_t counts[256]) {
  uint32_t all[N_SYMBOLS];
  uint64_t bits = 0;
  memcpy(all, counts, 256 * sizeof *all);
  all[END] = 1;
  find_lengths(all, N_SYMBOLS, MAX_BITS, l->lengths);
  find_codes(l->lengths, N_SYMBOLS, l->codes);
  plan_header(l);
  for (int i = 0; i < N_SYMBOLS; i++) bits += (uint64_t)all[i] * l->lengths[i];
  return (size_t)((bits + l->header_bits + 7) / 8);
}

/* ---- the bytes ---- */

typedef struct bit_out {
  uint8_t *at;
  uint64_t bits;
  unsigned n; /* below 8 between calls */
} bit_out;

static inline void put_le64(uint8_t *at, uint64_t v) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  memcpy(at, &v, sizeof v);
}

/* Whole bytes go out. */
static inline void drain(bit_out *o) {
  put_le64(o->at, o->bits);
  o->at += o->n / 8;
  o->bits >>= o->n & ~7u; /* n is at most 63 */
  o->n &= 7;
}

static inline void put_code(bit_out *o, uint32_t entry) {
  o->bits |= (uint64_t)(entry >> 4) << o->n;
  o->n += entry & 15;
}

size_t skep_literals_write(const skep_literals *l, const uint8_t *in, size_t size, uint8_t *out) {
  uint32_t table[N_SYMBOLS]; /* code, then its length in the lowest four bits */
  for (int i = 0; i < N_SYMBOLS; i++) table[i] = (uint32_t)l->codes[i] << 4 | l->lengths[i];
  size_t n_header = l->header_bits / 8, i = 0;
  memcpy(out, l->header, n_header);
  bit_out o = {.at = out + n_header, .n = (unsigned)(l->header_bits % 8)};
  if (o.n != 0) o.bits = l->header[n_header];
  for (; i + 4 <= size; i += 4) {
    put_code(&o, table[in[i]]);
    put_code(&o, table[in[i + 1]]);
    put_code(&o, table[in[i + 2]]);
    put_code(&o, table[in[i + 3]]);
    drain(&o);
  }
  for (; i < size; i++) {
    put_code(&o, table[in[i]]);
    drain(&o);
  }
  put_code(&o, table[END]);
  drain(&o);
  if (o.n != 0) o.at++; /* the last bits were stored already */
  return (size_t)(o.at - out);
}

/* Hive's map as text (StringableMap), as CQ_TBLPROPERTIES holds it: "<n>:" and n times
 * "<keylen>:<key><valuelen>:<value>". Lengths count UTF-16 units, as Java does; NULL and "" are the same.
 *
 * Source: Hive 4.0 StringableMap (txn-protocol 1.6). */
#ifndef TXN_STRING_MAP_H
#define TXN_STRING_MAP_H

#include "base/buf.h"
#include "base/bytes.h"

enum { SKEP_STRING_MAP_MAX_BYTES = 2048 }; /* of the column */

/* Walks over the pairs of a text: starts with *at 0. false at the end, and at the first thing that is no such map. */
bool skep_string_map_next(const char *map, size_t size, size_t *at, skep_bytes *key, skep_bytes *value);

/* The value of a key, borrowed from the text; false: none, or empty. map may be NULL. */
bool skep_string_map_get(const char *map, size_t size, const char *key, skep_bytes *value);

/* Appends "<n>:"; then skep_string_map_add appends n pairs. */
void skep_string_map_begin(skep_buf *out, size_t n);
void skep_string_map_add(skep_buf *out, skep_bytes key, skep_bytes value);

/* Appends the map with `key` set to `value` (NULL: without it); map may be NULL. What is no map counts as empty. */
void skep_string_map_with(const char *map, size_t size, const char *key, const char *value, skep_buf *out);

#endif

/* LIKE patterns, looked at once and matched often. Source: Hive's UDFLike; see like.c. */
#ifndef COLUMN_LIKE_H
#define COLUMN_LIKE_H

#include "base/bytes.h"

/* A LIKE pattern taken apart: % and _ are wildcards, "\%" and "\_" stand for themselves, any other backslash is one. */
typedef struct skep_like {
  skep_bytes pattern;
  size_t prefix_length; /* bytes of `pattern` in front of the first wildcard or backslash */
  bool is_plain;        /* no wildcard at all, no backslash: equality */
  bool is_prefix;       /* the prefix and one % */
} skep_like;

skep_like skep_like_of(skep_bytes pattern);
bool skep_like_matches(const skep_like *like, skep_bytes value);

#endif

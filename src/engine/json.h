/* JSON as Hive's get_json_object reads and writes it: a tree in an arena, looked into by a path of keys and indexes.
 *
 * Source: Hive UDFJson over Jackson: duplicate keys keep the first place and the last value; what follows the first
 * value is not looked at; control characters in strings are let through, and any character may be escaped. */
#ifndef ENGINE_JSON_H
#define ENGINE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"

typedef enum skep_json_kind {
  SKEP_JSON_NULL,
  SKEP_JSON_WORD, /* true, false and numbers, as they are printed */
  SKEP_JSON_STRING,
  SKEP_JSON_LIST,
  SKEP_JSON_OBJECT
} skep_json_kind;

typedef struct skep_json skep_json;
struct skep_json {
  skep_json_kind kind;
  skep_bytes text;        /* words and strings, unescaped */
  skep_bytes key;         /* of a member of an object */
  const skep_json *first; /* children, in order */
  const skep_json *next;  /* sibling */
};

/* An object or a list; NULL: the text begins with neither, or is broken, or memory is out. */
const skep_json *skep_json_parse(skep_arena *arena, skep_bytes text);

/* What "$.a.b[0].c" or "$[*]" leads to; NULL: nothing. A key looked up in a list is looked up in its objects. */
const skep_json *skep_json_find(skep_arena *arena, const skep_json *root, skep_bytes path);

/* A string or word as it is, others as JSON text. */
void skep_json_print(const skep_json *value, skep_buf *out);

#endif

/* Types: an immutable tree, as Hive names them.
 *
 * Node ids number the tree in pre-order from 0, as ORC numbers columns: a node's id is the ORC column id in a file of
 * that very type. A type lives in the arena it was made in; children are borrowed with it. */
#ifndef COLUMN_TYPE_H
#define COLUMN_TYPE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"

typedef enum skep_kind {
  SKEP_BOOLEAN,
  SKEP_TINYINT,
  SKEP_SMALLINT,
  SKEP_INT,
  SKEP_BIGINT,
  SKEP_FLOAT,
  SKEP_DOUBLE,
  SKEP_DECIMAL, /* precision 1..38, scale 0..precision */
  SKEP_STRING,
  SKEP_CHAR,    /* length 1..255 code points */
  SKEP_VARCHAR, /* length 1..65535 code points */
  SKEP_BINARY,
  SKEP_DATE,
  SKEP_TIMESTAMP,    /* wall clock without a zone */
  SKEP_TIMESTAMP_TZ, /* "timestamp with local time zone": an instant */
  SKEP_LIST,         /* 1 child */
  SKEP_MAP,          /* 2 children: key, value */
  SKEP_STRUCT,       /* named children */
  SKEP_UNION,        /* 1..127 children, chosen by tag */
  SKEP_KIND_COUNT
} skep_kind;

typedef struct skep_type skep_type;
struct skep_type {
  skep_kind kind;
  uint32_t id;        /* pre-order number in its tree, root 0 */
  uint32_t max_id;    /* largest id in this subtree */
  uint16_t precision; /* SKEP_DECIMAL */
  uint16_t scale;     /* SKEP_DECIMAL */
  uint32_t length;    /* SKEP_CHAR, SKEP_VARCHAR: code points */
  uint32_t n_children;
  const skep_type *const *children;
  const char *const *names; /* SKEP_STRUCT: n_children field names, NUL-terminated; else NULL */
};

/* Parses a Hive type string ("struct<a:int,b:array<decimal(10,2)>>"), as the metastore stores it. Keywords in any case;
 * blanks between tokens are allowed; "decimal" is decimal(10,0); "char"/"varchar" need a length; field names may be in
 * back-quotes and otherwise run to the ':' (a name may hold dots, blanks inside or non-ASCII).
 * SKEP_ERR_ARGUMENT names the byte position and what was expected. Bounded by ctx->limits max_types, max_type_depth. */
SKEP_NODISCARD skep_status skep_type_parse(skep_arena *arena, const char *text, size_t length, const skep_type **out,
                                           skep_err *err);

/* Appends the Hive type string; parse(print(t)) equals t. Names that would not parse back are put in back-quotes. */
void skep_type_print(const skep_type *type, skep_buf *out);

/* Builds a node over children that live at least as long as the arena (they are copied when their ids must change), and
 * numbers the whole tree. names is used for structs only; strings are copied. precision/scale/length as in skep_type.
 */
SKEP_NODISCARD skep_status skep_type_make(skep_arena *arena, const skep_type *like, const skep_type *const *children,
                                          const char *const *names, uint32_t n_children, const skep_type **out,
                                          skep_err *err);

/* Deep copy into another arena. */
SKEP_NODISCARD skep_status skep_type_copy(skep_arena *arena, const skep_type *type, const skep_type **out,
                                          skep_err *err);

bool skep_type_equal(const skep_type *a, const skep_type *b); /* names compared exactly, ids ignored */

/* Index of a struct's child, or -1; the first one when names repeat. */
int64_t skep_type_child(const skep_type *type, const char *name, size_t length, bool ignore_case);

const skep_type *skep_type_by_id(const skep_type *root, uint32_t id); /* NULL when there is none */

const char *skep_kind_name(skep_kind kind); /* Hive's keyword: "bigint", "timestamp with local time zone", "array" */

static inline bool skep_kind_is_nested(skep_kind kind) { return kind >= SKEP_LIST; }
static inline bool skep_kind_is_bytes(skep_kind kind) { return kind >= SKEP_STRING && kind <= SKEP_BINARY; }

#endif

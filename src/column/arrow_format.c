/* Arrow's format strings read as Hive types.
 * Source: Apache Arrow, "The Arrow C data interface", section "Data type description -- format strings". */
#include "column/arrow_int.h"
#include "column/text.h"

static skep_status unsupported(const struct ArrowSchema *schema, skep_err *err) {
  char quoted[100];
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "Arrow format \"%s\" has no Hive type",
                   skep_quote(quoted, sizeof quoted, schema->format, strlen(schema->format)));
}

static skep_status malformed(const struct ArrowSchema *schema, skep_err *err) {
  char quoted[100];
  return skep_fail(err, SKEP_ERR_CORRUPT, "Arrow format \"%s\" is malformed",
                   skep_quote(quoted, sizeof quoted, schema->format, strlen(schema->format)));
}

/* A number of at most 9 digits; false when there is none. */
static bool take_number(const char **at, int64_t *out) {
  int64_t value = 0;
  const char *start = *at;
  while (**at >= '0' && **at <= '9' && *at - start < 9) value = value * 10 + (*(*at)++ - '0');
  *out = value;
  return *at != start;
}

/* d:precision,scale[,bits] */
static skep_status parse_decimal(const struct ArrowSchema *schema, arrow_format *f, skep_err *err) {
  const char *at = schema->format + 1;
  int64_t precision, scale, bits = 128;
  if (*at++ != ':' || !take_number(&at, &precision) || *at++ != ',') return malformed(schema, err);
  if (*at == '-') return unsupported(schema, err);
  if (!take_number(&at, &scale)) return malformed(schema, err);
  if (*at == ',') {
    at++;
    if (!take_number(&at, &bits)) return malformed(schema, err);
  }
  if (*at != '\0') return malformed(schema, err);
  if ((bits != 32 && bits != 64 && bits != 128) || precision < 1 || precision > 38 || scale > precision) {
    return unsupported(schema, err);
  }
  *f = (arrow_format){.layout = ARROW_DECIMAL,
                      .width = bits / 8,
                      .n_buffers = 2,
                      .like = {.kind = SKEP_DECIMAL, .precision = (uint16_t)precision, .scale = (uint16_t)scale}};
  return SKEP_OK;
}

/* tdD, tdm, ts<unit>:<zone> */
static skep_status parse_temporal(const struct ArrowSchema *schema, arrow_format *f, skep_err *err) {
  const char *text = schema->format;
  if (strcmp(text, "tdD") == 0) {
    *f = (arrow_format){.layout = ARROW_INT, .width = 4, .n_buffers = 2, .like = {.kind = SKEP_DATE}};
    return SKEP_OK;
  }
  if (strcmp(text, "tdm") == 0) {
    *f = (arrow_format){.layout = ARROW_DATE_MS, .width = 8, .n_buffers = 2, .like = {.kind = SKEP_DATE}};
    return SKEP_OK;
  }
  if (text[1] != 's') return unsupported(schema, err);
  static const struct {
    char unit;
    int64_t per_second;
  } units[] = {{'s', 1}, {'m', 1000}, {'u', 1000000}, {'n', 1000000000}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (text[2] != units[i].unit) continue;
    if (text[3] != ':') return malformed(schema, err);
    *f = (arrow_format){.layout = ARROW_TIME,
                        .width = 8,
                        .per_second = units[i].per_second,
                        .n_buffers = 2,
                        .like = {.kind = text[4] == '\0' ? SKEP_TIMESTAMP : SKEP_TIMESTAMP_TZ}};
    return SKEP_OK;
  }
  return malformed(schema, err);
}

/* +ud:id,id,... and +us:id,id,... */
static skep_status parse_union(const struct ArrowSchema *schema, arrow_format *f, skep_err *err) {
  const char *at = schema->format + 4;
  bool dense = schema->format[2] == 'd';
  *f = (arrow_format){.layout = dense ? ARROW_UNION_DENSE : ARROW_UNION_SPARSE,
                      .n_buffers = dense ? 2 : 1,
                      .like = {.kind = SKEP_UNION}};
  memset(f->child_of, -1, sizeof f->child_of);
  for (int64_t child = 0; *at != '\0'; child++) {
    int64_t id;
    if (child == schema->n_children || !take_number(&at, &id) || id > 127 || f->child_of[id] >= 0 ||
        (*at != ',' && *at != '\0')) {
      return malformed(schema, err);
    }
    f->child_of[id] = (int8_t)child;
    if (*at == ',') at++;
    if (*at == '\0' && child + 1 != schema->n_children) return malformed(schema, err);
  }
  return SKEP_OK;
}

static skep_status parse_nested(const struct ArrowSchema *schema, arrow_format *f, skep_err *err) {
  const char *text = schema->format;
  switch (text[1]) {
    case 'l':
    case 'L':
      if (text[2] != '\0') break;
      *f = (arrow_format){
          .layout = ARROW_LIST, .width = text[1] == 'l' ? 4 : 8, .n_buffers = 2, .like = {.kind = SKEP_LIST}};
      return SKEP_OK;
    case 'w': {
      const char *at = text + 3;
      *f = (arrow_format){.layout = ARROW_LIST_FIXED, .n_buffers = 1, .like = {.kind = SKEP_LIST}};
      if (text[2] != ':' || !take_number(&at, &f->width) || *at != '\0') return malformed(schema, err);
      return SKEP_OK;
    }
    case 'm':
      if (text[2] != '\0') break;
      *f = (arrow_format){.layout = ARROW_MAP, .width = 4, .n_buffers = 2, .like = {.kind = SKEP_MAP}};
      return SKEP_OK;
    case 's':
      if (text[2] != '\0') break;
      *f = (arrow_format){.layout = ARROW_STRUCT, .n_buffers = 1, .like = {.kind = SKEP_STRUCT}};
      return SKEP_OK;
    case 'u':
      if ((text[2] == 'd' || text[2] == 's') && text[3] == ':') return parse_union(schema, f, err);
      return malformed(schema, err);
    default:
      break;
  }
  return unsupported(schema, err);
}

static const struct {
  const char *text;
  arrow_format format;
} plain_formats[] = {
    {"b", {.layout = ARROW_BOOL, .n_buffers = 2, .like = {.kind = SKEP_BOOLEAN}}},
    {"c", {.layout = ARROW_INT, .width = 1, .n_buffers = 2, .like = {.kind = SKEP_TINYINT}}},
    {"s", {.layout = ARROW_INT, .width = 2, .n_buffers = 2, .like = {.kind = SKEP_SMALLINT}}},
    {"i", {.layout = ARROW_INT, .width = 4, .n_buffers = 2, .like = {.kind = SKEP_INT}}},
    {"l", {.layout = ARROW_INT, .width = 8, .n_buffers = 2, .like = {.kind = SKEP_BIGINT}}},
    /* Unsigned integers get the next type that holds all of them. */
    {"C", {.layout = ARROW_UINT, .width = 1, .n_buffers = 2, .like = {.kind = SKEP_SMALLINT}}},
    {"S", {.layout = ARROW_UINT, .width = 2, .n_buffers = 2, .like = {.kind = SKEP_INT}}},
    {"I", {.layout = ARROW_UINT, .width = 4, .n_buffers = 2, .like = {.kind = SKEP_BIGINT}}},
    {"L", {.layout = ARROW_UINT, .width = 8, .n_buffers = 2, .like = {.kind = SKEP_DECIMAL, .precision = 20}}},
    {"f", {.layout = ARROW_FLOAT, .width = 4, .n_buffers = 2, .like = {.kind = SKEP_FLOAT}}},
    {"g", {.layout = ARROW_DOUBLE, .width = 8, .n_buffers = 2, .like = {.kind = SKEP_DOUBLE}}},
    {"u", {.layout = ARROW_BYTES, .width = 4, .n_buffers = 3, .like = {.kind = SKEP_STRING}}},
    {"U", {.layout = ARROW_BYTES, .width = 8, .n_buffers = 3, .like = {.kind = SKEP_STRING}}},
    {"z", {.layout = ARROW_BYTES, .width = 4, .n_buffers = 3, .like = {.kind = SKEP_BINARY}}},
    {"Z", {.layout = ARROW_BYTES, .width = 8, .n_buffers = 3, .like = {.kind = SKEP_BINARY}}},
    {"vu", {.layout = ARROW_VIEW, .n_buffers = -1, .like = {.kind = SKEP_STRING}}}, /* 3 or more */
    {"vz", {.layout = ARROW_VIEW, .n_buffers = -1, .like = {.kind = SKEP_BINARY}}},
};

static skep_status parse_own(const struct ArrowSchema *schema, arrow_format *out, skep_err *err) {
  const char *text = schema->format;
  for (size_t i = 0; i < sizeof plain_formats / sizeof *plain_formats; i++) {
    if (strcmp(text, plain_formats[i].text) != 0) continue;
    *out = plain_formats[i].format;
    return SKEP_OK;
  }
  if (text[0] == 'd') return parse_decimal(schema, out, err);
  if (text[0] == 't') return parse_temporal(schema, out, err);
  if (text[0] == '+') return parse_nested(schema, out, err);
  if (text[0] == 'w') {
    const char *at = text + 2;
    *out = (arrow_format){.layout = ARROW_FIXED, .n_buffers = 2, .like = {.kind = SKEP_BINARY}};
    if (text[1] != ':' || !take_number(&at, &out->width) || *at != '\0') return malformed(schema, err);
    return SKEP_OK;
  }
  return unsupported(schema, err);
}

static bool is_live(const struct ArrowSchema *schema) {
  return schema != NULL && schema->release != NULL && schema->format != NULL && schema->n_children >= 0 &&
         (schema->n_children == 0 || schema->children != NULL);
}

/* The numbers of children that a format must have; the entries of a map are looked at as well. */
static skep_status check_children(const struct ArrowSchema *schema, const arrow_format *f, skep_err *err) {
  int64_t least = 0, most = 0;
  if (f->layout == ARROW_LIST || f->layout == ARROW_LIST_FIXED || f->layout == ARROW_MAP) least = most = 1;
  if (f->layout == ARROW_STRUCT) most = UINT32_MAX;
  if (f->like.kind == SKEP_UNION) {
    least = 1;
    most = 127;
  }
  if (schema->n_children < least || schema->n_children > most) {
    char quoted[100];
    return skep_fail(err, SKEP_ERR_CORRUPT, "Arrow format \"%s\" with %lld children",
                     skep_quote(quoted, sizeof quoted, schema->format, strlen(schema->format)),
                     (long long)schema->n_children);
  }
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (!is_live(schema->children[i])) {
      return skep_fail(err, SKEP_ERR_CORRUPT, "child %lld of an Arrow schema is missing or released", (long long)i);
    }
  }
  if (f->layout != ARROW_MAP) return SKEP_OK;
  const struct ArrowSchema *entries = schema->children[0];
  if (strcmp(entries->format, "+s") != 0 || entries->dictionary != NULL || entries->n_children != 2 ||
      !is_live(entries->children[0]) || !is_live(entries->children[1])) {
    return skep_fail(err, SKEP_ERR_CORRUPT, "the entries of an Arrow map are no struct of two");
  }
  return SKEP_OK;
}

skep_status skep_arrow_format_parse(const struct ArrowSchema *schema, arrow_format *out, skep_err *err) {
  *out = (arrow_format){0};
  if (!is_live(schema)) return skep_fail(err, SKEP_ERR_CORRUPT, "an Arrow schema is missing or released");
  if (schema->dictionary != NULL) {
    const struct ArrowSchema *values = schema->dictionary;
    if (strlen(schema->format) != 1 || strchr("csilCSIL", schema->format[0]) == NULL) return malformed(schema, err);
    if (!is_live(values)) return skep_fail(err, SKEP_ERR_CORRUPT, "an Arrow dictionary's schema is released");
    if (values->dictionary != NULL) {
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "an Arrow dictionary of a dictionary has no Hive type");
    }
    schema = values;
  }
  SKEP_TRY(parse_own(schema, out, err));
  return check_children(schema, out, err);
}

const struct ArrowSchema *skep_arrow_child_schema(const struct ArrowSchema *schema, const arrow_format *format,
                                                  uint32_t i) {
  if (schema->dictionary != NULL) schema = schema->dictionary;
  return format->layout == ARROW_MAP ? schema->children[0]->children[i] : schema->children[i];
}

const char *skep_arrow_field(const struct ArrowSchema *schema, char *out, size_t out_size) {
  const char *name = schema->name == NULL ? "" : schema->name;
  return skep_quote(out, out_size, name, strlen(name));
}

skep_status skep_arrow_ts_range(const skep_ctx *ctx, skep_ts ts, int64_t units, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, ctx, 64);
  skep_text_ts(ts, &text);
  skep_status st = skep_fail(err, SKEP_ERR_RANGE, "timestamp %s does not fit 64-bit %sseconds", skep_buf_string(&text),
                             units == 1000000000 ? "nano"
                             : units == 1000000  ? "micro"
                                                 : "milli");
  skep_buf_fini(&text);
  return st;
}

/* ---- types ---- */

typedef struct importer {
  skep_arena *arena;
  uint32_t n_nodes;
  skep_err *err;
} importer;

static skep_status import_node(importer *in, const struct ArrowSchema *schema, uint32_t depth, const skep_type **out);

static skep_status import_children(importer *in, const struct ArrowSchema *schema, const arrow_format *f,
                                   uint32_t depth, const skep_type **children, const char **names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct ArrowSchema *child = skep_arrow_child_schema(schema, f, i);
    skep_status st = import_node(in, child, depth + 1, &children[i]);
    if (st != SKEP_OK) {
      char name[100];
      return skep_wrap(in->err, st, "%s", skep_arrow_field(child, name, sizeof name));
    }
    names[i] = child->name == NULL ? "" : child->name;
  }
  return SKEP_OK;
}

static skep_status import_node(importer *in, const struct ArrowSchema *schema, uint32_t depth, const skep_type **out) {
  const skep_limits *limits = &in->arena->ctx->limits;
  if (depth > limits->max_type_depth) {
    return skep_fail(in->err, SKEP_ERR_LIMIT, "a type is nested deeper than %u levels", limits->max_type_depth);
  }
  arrow_format f;
  SKEP_TRY(skep_arrow_format_parse(schema, &f, in->err));
  int64_t n = f.layout == ARROW_MAP        ? 2
              : schema->dictionary != NULL ? schema->dictionary->n_children
                                           : schema->n_children;
  if (n >= limits->max_types || in->n_nodes >= limits->max_types - (uint32_t)n) {
    return skep_fail(in->err, SKEP_ERR_LIMIT, "a type has more than %u nodes", limits->max_types);
  }
  in->n_nodes += (uint32_t)n;
  const skep_type **children = skep_arena_zero(in->arena, (size_t)n + 1, sizeof *children);
  const char **names = skep_arena_zero(in->arena, (size_t)n + 1, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(in->err, SKEP_ERR_NOMEM, "no memory for a type");
  SKEP_TRY(import_children(in, schema, &f, depth, children, names, (uint32_t)n));
  skep_type *node = skep_arena_zero(in->arena, 1, sizeof *node);
  if (node == NULL) return skep_fail(in->err, SKEP_ERR_NOMEM, "no memory for a type");
  *node = f.like;
  node->children = children;
  node->n_children = (uint32_t)n;
  if (node->kind == SKEP_STRUCT) node->names = names;
  *out = node;
  return SKEP_OK;
}

skep_status skep_arrow_import_type(skep_arena *arena, const struct ArrowSchema *schema, const skep_type **out,
                                   skep_err *err) {
  *out = NULL;
  importer in = {arena, 1, err};
  const skep_type *type;
  SKEP_TRY(import_node(&in, schema, 1, &type));
  return skep_type_copy(arena, type, out, err); /* numbers the nodes and copies the names */
}

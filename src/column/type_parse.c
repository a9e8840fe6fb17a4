/* Reading Hive type strings.
 *
 * Source: the strings that the Hive metastore stores in COLUMNS_V2.TYPE_NAME and that ORC's Java tools print: keywords
 * as in skep_kind_name; ORC puts names that are no identifiers in back-quotes, with ` doubled, Hive writes all bare. */
#include "column/type.h"

typedef struct parsed {
  const skep_type *type;
  const char *name; /* NULL below anything but a struct */
} parsed;

typedef struct parser {
  skep_arena *arena;
  const char *text;
  size_t length;
  size_t at;
  uint32_t next_id;
  parsed *stack; /* finished nodes whose parent is not finished yet */
  size_t n_stack;
  size_t stack_capacity;
  skep_err *err;
} parser;

typedef struct keyword {
  const char *word;
  skep_kind kind;
} keyword;

static const keyword keywords[] = {
    {"boolean", SKEP_BOOLEAN}, {"tinyint", SKEP_TINYINT}, {"smallint", SKEP_SMALLINT},   {"int", SKEP_INT},
    {"integer", SKEP_INT},     {"bigint", SKEP_BIGINT},   {"float", SKEP_FLOAT},         {"double", SKEP_DOUBLE},
    {"decimal", SKEP_DECIMAL}, {"string", SKEP_STRING},   {"char", SKEP_CHAR},           {"varchar", SKEP_VARCHAR},
    {"binary", SKEP_BINARY},   {"date", SKEP_DATE},       {"timestamp", SKEP_TIMESTAMP}, {"array", SKEP_LIST},
    {"map", SKEP_MAP},         {"struct", SKEP_STRUCT},   {"uniontype", SKEP_UNION},
};

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(parser *p) {
  while (p->at < p->length && is_blank(p->text[p->at])) p->at++;
}

/* The one place where a wrong type string is reported: what was expected at byte `at`, and what stands there. */
static skep_status expected(const parser *p, size_t at, const char *what) {
  if (at >= p->length) {
    return skep_fail(p->err, SKEP_ERR_ARGUMENT, "type string, byte %zu: expected %s, found the end", at, what);
  }
  char found[64];
  size_t shown = p->length - at < 16 ? p->length - at : 16;
  skep_quote(found, sizeof found, p->text + at, shown);
  return skep_fail(p->err, SKEP_ERR_ARGUMENT, "type string, byte %zu: expected %s, found \"%s\"", at, what, found);
}

static skep_status out_of_memory(const parser *p) {
  return skep_fail(p->err, SKEP_ERR_NOMEM, "no memory for the type at byte %zu", p->at);
}

/* Takes one character after blanks; false and only the blanks taken when another one stands there. */
static bool take(parser *p, char c) {
  skip_blanks(p);
  if (p->at >= p->length || p->text[p->at] != c) return false;
  p->at++;
  return true;
}

static skep_status must_take(parser *p, char c, const char *what) {
  return take(p, c) ? SKEP_OK : expected(p, p->at, what);
}

/* Takes a word that equals `word` ignoring ASCII case, after blanks. */
static bool take_word(parser *p, const char *word) {
  skip_blanks(p);
  size_t n = strlen(word);
  if (p->length - p->at < n) return false;
  for (size_t i = 0; i < n; i++) {
    char c = p->text[p->at + i];
    if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
    if (c != word[i]) return false;
  }
  if (p->at + n < p->length && is_word(p->text[p->at + n])) return false;
  p->at += n;
  return true;
}

static skep_status take_number(parser *p, uint32_t least, uint32_t most, const char *what, uint32_t *out) {
  skip_blanks(p);
  size_t start = p->at;
  uint32_t value = 0;
  while (p->at < p->length && p->text[p->at] >= '0' && p->text[p->at] <= '9') {
    if (value <= most) value = value * 10 + (uint32_t)(p->text[p->at] - '0');
    p->at++;
  }
  if (p->at == start || value < least || value > most) {
    return expected(p, start, what);
  }
  *out = value;
  return SKEP_OK;
}

/* "(p)", "(p,s)" or nothing. */
static skep_status decimal_parameters(parser *p, skep_type *node) {
  uint32_t precision = 10, scale = 0;
  if (take(p, '(')) {
    SKEP_TRY(take_number(p, 1, 38, "a precision of 1 to 38", &precision));
    if (take(p, ',')) {
      size_t at = p->at;
      SKEP_TRY(take_number(p, 0, 38, "a scale of 0 to the precision", &scale));
      if (scale > precision) return expected(p, at, "a scale of 0 to the precision");
    }
    SKEP_TRY(must_take(p, ')', "')'"));
  }
  node->precision = (uint16_t)precision;
  node->scale = (uint16_t)scale;
  return SKEP_OK;
}

static skep_status length_parameter(parser *p, skep_type *node) {
  bool is_char = node->kind == SKEP_CHAR;
  SKEP_TRY(must_take(p, '(', is_char ? "'(' and the length of a char" : "'(' and the length of a varchar"));
  SKEP_TRY(take_number(p, 1, is_char ? 255 : 65535, is_char ? "a length of 1 to 255" : "a length of 1 to 65535",
                       &node->length));
  return must_take(p, ')', "')'");
}

/* After "timestamp": "with local time zone", which Hive may follow by ('the session's zone'): an instant has no zone,
 * so that is read over. */
static skep_status timestamp_zone(parser *p, skep_type *node) {
  if (!take_word(p, "with")) return SKEP_OK;
  if (!take_word(p, "local") || !take_word(p, "time") || !take_word(p, "zone")) {
    return expected(p, p->at, "\"with local time zone\"");
  }
  node->kind = SKEP_TIMESTAMP_TZ;
  if (!take(p, '(')) return SKEP_OK;
  SKEP_TRY(must_take(p, '\'', "a zone in quotes"));
  while (p->at < p->length && p->text[p->at] != '\'') p->at++;
  SKEP_TRY(must_take(p, '\'', "the closing quote of the zone"));
  return must_take(p, ')', "')'");
}

/* A name in back-quotes, where `` stands for one. */
static skep_status quoted_name(parser *p, const char **out) {
  size_t start = p->at + 1, end = start, size = 0;
  for (;; end++, size++) {
    if (end >= p->length) return expected(p, end, "the closing back-quote of a field name");
    if (p->text[end] == '\0') return expected(p, end, "a field name without zero bytes");
    if (p->text[end] != '`') continue;
    if (end + 1 >= p->length || p->text[end + 1] != '`') break;
    end++;
  }
  char *name = skep_arena_alloc(p->arena, size + 1);
  if (name == NULL) return out_of_memory(p);
  size = 0;
  for (size_t i = start; i < end; i++) {
    name[size++] = p->text[i];
    if (p->text[i] == '`') i++;
  }
  name[size] = '\0';
  p->at = end + 1;
  *out = name;
  return SKEP_OK;
}

/* A bare name runs to the ':', without blanks around it. Brackets, commas and back-quotes inside would make a missing
 * ':' swallow the next field, so those names need quotes. */
static skep_status bare_name(parser *p, const char **out) {
  size_t start = p->at;
  while (p->at < p->length && p->text[p->at] != ':') {
    char c = p->text[p->at];
    if (c == '<' || c == '>' || c == ',' || c == '`' || c == '\0') break;
    p->at++;
  }
  size_t end = p->at;
  while (end > start && is_blank(p->text[end - 1])) end--;
  if (end == start) return expected(p, start, "a field name");
  *out = skep_arena_strndup(p->arena, p->text + start, end - start);
  return *out == NULL ? out_of_memory(p) : SKEP_OK;
}

static skep_status field_name(parser *p, const char **out) {
  skip_blanks(p);
  bool quoted = p->at < p->length && p->text[p->at] == '`';
  SKEP_TRY(quoted ? quoted_name(p, out) : bare_name(p, out));
  return must_take(p, ':', "':' after a field name");
}

static skep_status parse_type(parser *p, uint32_t depth, const skep_type **out);

/* Moves the nodes above `base` from the stack into the finished parent. */
static skep_status adopt(parser *p, size_t base, skep_type *node) {
  size_t n = p->n_stack - base;
  if (n == 0) return SKEP_OK; /* struct<> */
  const skep_type **children = skep_arena_zero(p->arena, n, sizeof *children);
  const char **names = node->kind == SKEP_STRUCT ? skep_arena_zero(p->arena, n, sizeof *names) : NULL;
  if (children == NULL || (node->kind == SKEP_STRUCT && names == NULL)) return out_of_memory(p);
  for (size_t i = 0; i < n; i++) {
    children[i] = p->stack[base + i].type;
    if (names != NULL) names[i] = p->stack[base + i].name;
  }
  node->children = children;
  node->names = names;
  node->n_children = (uint32_t)n;
  p->n_stack = base;
  return SKEP_OK;
}

static skep_status push_child(parser *p, const skep_type *parent, uint32_t depth) {
  parsed child = {NULL, NULL};
  if (parent->kind == SKEP_STRUCT) SKEP_TRY(field_name(p, &child.name));
  SKEP_TRY(parse_type(p, depth + 1, &child.type));
  void *stack = p->stack;
  skep_status st = skep_grow(p->arena->ctx, &stack, &p->stack_capacity, p->n_stack + 1, sizeof *p->stack, p->err);
  p->stack = stack;
  if (st != SKEP_OK) return st;
  p->stack[p->n_stack++] = child;
  return SKEP_OK;
}

static skep_status parse_children(parser *p, skep_type *node, uint32_t depth) {
  static const size_t most[] = {[SKEP_LIST] = 1, [SKEP_MAP] = 2, [SKEP_STRUCT] = SIZE_MAX, [SKEP_UNION] = 127};
  size_t base = p->n_stack;
  SKEP_TRY(must_take(p, '<', "'<'"));
  if (node->kind == SKEP_STRUCT && take(p, '>')) return adopt(p, base, node);
  for (;;) {
    SKEP_TRY(push_child(p, node, depth));
    size_t n = p->n_stack - base;
    bool full = n == most[node->kind];
    if (node->kind == SKEP_MAP && !full) {
      SKEP_TRY(must_take(p, ',', "',' and the value type of a map"));
    } else if (full || !take(p, ',')) {
      SKEP_TRY(must_take(p, '>', full ? "'>'" : "',' or '>'"));
      return adopt(p, base, node);
    }
  }
}

static skep_status parse_keyword(parser *p, skep_kind *out) {
  skip_blanks(p);
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (take_word(p, keywords[i].word)) {
      *out = keywords[i].kind;
      return SKEP_OK;
    }
  }
  return expected(p, p->at, "a type");
}

static skep_status parse_type(parser *p, uint32_t depth, const skep_type **out) {
  const skep_limits *limits = &p->arena->ctx->limits;
  if (depth > limits->max_type_depth) {
    return skep_fail(p->err, SKEP_ERR_LIMIT, "type string, byte %zu: nested deeper than %u levels", p->at,
                     limits->max_type_depth);
  }
  if (p->next_id >= limits->max_types) {
    return skep_fail(p->err, SKEP_ERR_LIMIT, "type string, byte %zu: more than %u types", p->at, limits->max_types);
  }
  skep_type *node = skep_arena_zero(p->arena, 1, sizeof *node);
  if (node == NULL) return out_of_memory(p);
  SKEP_TRY(parse_keyword(p, &node->kind));
  node->id = p->next_id++;
  switch (node->kind) {
    case SKEP_DECIMAL:
      SKEP_TRY(decimal_parameters(p, node));
      break;
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      SKEP_TRY(length_parameter(p, node));
      break;
    case SKEP_TIMESTAMP:
      SKEP_TRY(timestamp_zone(p, node));
      break;
    default:
      if (skep_kind_is_nested(node->kind)) SKEP_TRY(parse_children(p, node, depth));
      break;
  }
  node->max_id = p->next_id - 1;
  *out = node;
  return SKEP_OK;
}

skep_status skep_type_parse(skep_arena *arena, const char *text, size_t length, const skep_type **out, skep_err *err) {
  *out = NULL;
  parser p = {.arena = arena, .text = text, .length = length, .err = err};
  const skep_type *type = NULL;
  skep_status st = parse_type(&p, 1, &type);
  if (st == SKEP_OK) {
    skip_blanks(&p);
    if (p.at < p.length) st = expected(&p, p.at, "the end of the type");
  }
  skep_release(arena->ctx, p.stack);
  if (st == SKEP_OK) *out = type;
  return st;
}

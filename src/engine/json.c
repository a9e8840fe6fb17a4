/* JSON: a recursive reader of bounded depth, a path walker, a printer. */
#include "engine/json.h"

#include <string.h>

#include "column/text.h"

enum { MAX_DEPTH = 512 };

/* ---- reading ---- */

typedef struct reader {
  skep_arena *arena;
  skep_bytes left;
} reader;

static skep_json *new_node(skep_arena *arena, skep_json_kind kind) {
  skep_json *node = skep_arena_zero(arena, 1, sizeof *node);
  if (node != NULL) node->kind = kind;
  return node;
}

static void skip_blanks(reader *r) {
  while (r->left.left > 0 && strchr(" \t\r\n", *r->left.at) != NULL && *r->left.at != 0) {
    r->left.at++;
    r->left.left--;
  }
}

static bool take(reader *r, uint8_t c) {
  skip_blanks(r);
  if (r->left.left == 0 || *r->left.at != c) return false;
  r->left.at++;
  r->left.left--;
  return true;
}

static bool take_hex(reader *r, uint32_t *out) {
  *out = 0;
  if (r->left.left < 4) return false;
  for (int i = 0; i < 4; i++) {
    uint8_t c = *r->left.at++;
    r->left.left--;
    uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)c - '0' : (uint32_t)(c | 0x20) - 'a' + 10;
    if (digit > 15) return false;
    *out = *out << 4 | digit;
  }
  return true;
}

static size_t put_utf8(uint8_t *at, uint32_t c) {
  if (c < 0x80) {
    at[0] = (uint8_t)c;
    return 1;
  }
  if (c < 0x800) {
    at[0] = (uint8_t)(0xc0 | c >> 6);
    at[1] = (uint8_t)(0x80 | (c & 0x3f));
    return 2;
  }
  if (c < 0x10000) {
    at[0] = (uint8_t)(0xe0 | c >> 12);
    at[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    at[2] = (uint8_t)(0x80 | (c & 0x3f));
    return 3;
  }
  at[0] = (uint8_t)(0xf0 | c >> 18);
  at[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
  at[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
  at[3] = (uint8_t)(0x80 | (c & 0x3f));
  return 4;
}

/* Behind "\u": a code point, of two halves where the first is one. A half alone is '?', as Java writes it. */
static bool take_unicode(reader *r, uint8_t *out, size_t *n) {
  uint32_t c, low;
  if (!take_hex(r, &c)) return false;
  if (c >= 0xd800 && c < 0xdc00 && r->left.left >= 6 && r->left.at[0] == '\\' && r->left.at[1] == 'u') {
    reader ahead = *r;
    ahead.left = skep_bytes_of(r->left.at + 2, r->left.left - 2);
    if (take_hex(&ahead, &low) && low >= 0xdc00 && low < 0xe000) {
      r->left = ahead.left;
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
  }
  if (c >= 0xd800 && c < 0xe000) c = '?';
  *n += put_utf8(out + *n, c);
  return true;
}

/* Behind the opening quote. Escapes only shorten a text. */
static bool take_string(reader *r, skep_bytes *out) {
  size_t end = 0;
  while (end < r->left.left && r->left.at[end] != '"') end += r->left.at[end] == '\\' ? 2 : 1;
  if (end >= r->left.left) return false;
  uint8_t *text = skep_arena_alloc(r->arena, end + 4);
  size_t n = 0;
  const uint8_t *stop = r->left.at + end;
  if (text == NULL) return false;
  while (r->left.at < stop) {
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    uint8_t c = *r->left.at++;
    r->left.left--;
    if (c != '\\') {
      text[n++] = c;
      continue;
    }
    c = *r->left.at++;
    r->left.left--;
    const char *named = c == 0 ? NULL : strchr(from, c);
    if (c == 'u') {
      if (!take_unicode(r, text, &n)) return false;
    } else {
      text[n++] = named != NULL ? (uint8_t)to[named - from] : c;
    }
  }
  if (r->left.at != stop) return false;
  r->left.at++;
  r->left.left--;
  *out = skep_bytes_of(text, n);
  return true;
}

/* Fractions and exponents are read as doubles, and printed as Java prints them. */
static bool number_text(reader *r, skep_bytes text, skep_bytes *out) {
  double v;
  bool is_whole = true;
  for (size_t i = 0; i < text.left; i++) is_whole = is_whole && strchr("0123456789-", text.at[i]) != NULL;
  if (is_whole) {
    size_t sign = text.at[0] == '-';
    *out = text;
    return text.left > sign && memchr(text.at + sign, '-', text.left - sign) == NULL &&
           (text.at[sign] != '0' || text.left == sign + 1);
  }
  if (text.at[0] == '+' || !skep_parse_f64(text, &v)) return false;
  skep_buf buf;
  skep_buf_init(&buf, r->arena->ctx, 64);
  skep_text_f64(v, &buf);
  char *copy = buf.status == SKEP_OK ? skep_arena_strndup(r->arena, (const char *)buf.data, buf.size) : NULL;
  *out = skep_bytes_of(copy, copy == NULL ? 0 : buf.size);
  skep_buf_fini(&buf);
  return copy != NULL;
}

static skep_json *read_word(reader *r) {
  size_t n = 0;
  while (n < r->left.left && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", r->left.at[n]) != NULL &&
         r->left.at[n] != 0)
    n++;
  skep_bytes text = skep_bytes_of(r->left.at, n);
  skep_json *node = n == 0 ? NULL : new_node(r->arena, SKEP_JSON_WORD);
  if (node == NULL) return NULL;
  r->left = skep_bytes_of(r->left.at + n, r->left.left - n);
  node->text = text;
  if (n == 4 && memcmp(text.at, "null", 4) == 0) {
    node->kind = SKEP_JSON_NULL;
    return node;
  }
  if ((n == 4 && memcmp(text.at, "true", 4) == 0) || (n == 5 && memcmp(text.at, "false", 5) == 0)) return node;
  return number_text(r, text, &node->text) ? node : NULL;
}

static skep_json *read_value(reader *r, int depth);

static bool same(skep_bytes a, skep_bytes b) {
  return a.left == b.left && (a.left == 0 || memcmp(a.at, b.at, a.left) == 0);
}

/* Adds a child at the end; one with the key of an earlier child takes its place. */
static void add_child(skep_json *parent, skep_json **last, skep_json *child) {
  if (parent->kind == SKEP_JSON_OBJECT) {
    skep_json *before = NULL;
    for (skep_json *c = (skep_json *)(uintptr_t)parent->first; c != NULL;
         before = c, c = (skep_json *)(uintptr_t)c->next) {
      if (!same(c->key, child->key)) continue;
      child->next = c->next;
      if (before == NULL) {
        parent->first = child;
      } else {
        before->next = child;
      }
      if (*last == c) *last = child;
      return;
    }
  }
  if (*last == NULL) {
    parent->first = child;
  } else {
    (*last)->next = child;
  }
  *last = child;
}

static skep_json *read_children(reader *r, bool is_object, int depth) {
  skep_json *node = new_node(r->arena, is_object ? SKEP_JSON_OBJECT : SKEP_JSON_LIST), *last = NULL;
  uint8_t close = is_object ? '}' : ']';
  if (node == NULL || take(r, close)) return node;
  for (;;) {
    skep_bytes key = {NULL, 0};
    if (is_object && (!take(r, '"') || !take_string(r, &key) || !take(r, ':'))) return NULL;
    skep_json *child = read_value(r, depth + 1);
    if (child == NULL) return NULL;
    child->key = key;
    add_child(node, &last, child);
    if (take(r, close)) return node;
    if (!take(r, ',')) return NULL;
  }
}

static skep_json *read_value(reader *r, int depth) {
  if (depth > MAX_DEPTH) return NULL;
  if (take(r, '{')) return read_children(r, true, depth);
  if (take(r, '[')) return read_children(r, false, depth);
  if (!take(r, '"')) return read_word(r);
  skep_json *node = new_node(r->arena, SKEP_JSON_STRING);
  return node != NULL && take_string(r, &node->text) ? node : NULL;
}

const skep_json *skep_json_parse(skep_arena *arena, skep_bytes text) {
  reader r = {arena, text};
  skip_blanks(&r);
  if (r.left.left == 0 || (*r.left.at != '{' && *r.left.at != '[')) return NULL;
  return read_value(&r, 0);
}

/* ---- paths ---- */

/* Children that a search gathers: copies, since a node stands in one list only. */
typedef struct gathered {
  skep_arena *arena;
  skep_json *list, *last;
  size_t n;
  bool failed;
} gathered;

static void gather(gathered *g, const skep_json *value) {
  skep_json *copy = skep_arena_alloc(g->arena, sizeof *copy);
  if (copy == NULL) {
    g->failed = true;
    return;
  }
  *copy = *value;
  copy->next = NULL;
  copy->key = (skep_bytes){NULL, 0};
  add_child(g->list, &g->last, copy);
  g->n++;
}

static gathered gathering(skep_arena *arena) {
  gathered g = {.arena = arena, .list = new_node(arena, SKEP_JSON_LIST)};
  g.failed = g.list == NULL;
  return g;
}

static const skep_json *member(const skep_json *object, skep_bytes key) {
  if (object->kind != SKEP_JSON_OBJECT) return NULL;
  for (const skep_json *c = object->first; c != NULL; c = c->next) {
    if (same(c->key, key)) return c->kind == SKEP_JSON_NULL ? NULL : c;
  }
  return NULL;
}

static const skep_json *with_key(skep_arena *arena, const skep_json *from, skep_bytes key) {
  if (from->kind != SKEP_JSON_LIST) return member(from, key);
  gathered g = gathering(arena);
  for (const skep_json *c = from->first; c != NULL && !g.failed; c = c->next) {
    const skep_json *found = member(c, key);
    if (found == NULL) continue;
    if (found->kind != SKEP_JSON_LIST) gather(&g, found);
    for (const skep_json *e = found->kind == SKEP_JSON_LIST ? found->first : NULL; e != NULL && !g.failed; e = e->next)
      gather(&g, e);
  }
  return g.failed || g.n == 0 ? NULL : g.list;
}

static const skep_json *element(const skep_json *list, int64_t at) {
  const skep_json *c = list->first;
  while (c != NULL && at-- > 0) c = c->next;
  return c;
}

/* One "[n]" or "[*]" over all of a list; NULL: an index beyond the end. */
static skep_json *with_index(skep_arena *arena, const skep_json *all, skep_bytes index) {
  gathered g = gathering(arena);
  int64_t at = 0;
  bool is_star = index.left == 1 && *index.at == '*';
  if (!is_star && !skep_parse_i64(index, &at)) return NULL;
  for (const skep_json *c = all->first; c != NULL && !g.failed; c = c->next) {
    if (c->kind != SKEP_JSON_LIST) continue;
    for (const skep_json *e = is_star ? c->first : NULL; e != NULL && !g.failed; e = e->next) gather(&g, e);
    if (is_star) continue;
    const skep_json *found = element(c, at);
    if (found == NULL) return NULL;
    gather(&g, found);
  }
  return g.failed ? NULL : g.list;
}

static bool is_key_char(uint8_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != 0 && strchr("_-: \t\n\r\f\v", c) != NULL);
}

/* The "[...]" of a step, from `at` on; false: no more. */
static bool next_index(skep_bytes step, size_t *at, skep_bytes *index) {
  for (; *at < step.left; ++*at) {
    if (step.at[*at] != '[') continue;
    size_t n = 0, start = *at + 1;
    if (start < step.left && step.at[start] == '*') n = 1;
    while (n == 0 || (step.at[start] != '*' && start + n < step.left)) {
      if (start + n >= step.left || step.at[start + n] < '0' || step.at[start + n] > '9') break;
      n++;
    }
    if (n == 0 || start + n >= step.left || step.at[start + n] != ']') continue;
    *index = skep_bytes_of(step.at + start, n);
    *at = start + n + 1;
    return true;
  }
  return false;
}

static const skep_json *step_into(skep_arena *arena, const skep_json *from, skep_bytes step, bool has_key) {
  if (has_key) {
    size_t n = 0;
    while (n < step.left && is_key_char(step.at[n])) n++;
    if (n == 0) return NULL;
    from = with_key(arena, from, skep_bytes_of(step.at, n));
  }
  size_t at = 0;
  skep_bytes index;
  if (from == NULL || !next_index(step, &at, &index)) return from;
  gathered g = gathering(arena);
  if (!g.failed) gather(&g, from);
  skep_json *all = g.failed ? NULL : g.list;
  do {
    if (all != NULL) all = with_index(arena, all, index);
  } while (all != NULL && next_index(step, &at, &index));
  if (all == NULL || all->first == NULL) return NULL;
  return all->first->next != NULL ? all : all->first;
}

const skep_json *skep_json_find(skep_arena *arena, const skep_json *root, skep_bytes path) {
  if (path.left == 0 || path.at[0] != '$') return NULL;
  if (path.left == 1) return root;
  bool is_list = path.at[1] == '[' || (path.left > 2 && path.at[1] == '.' && path.at[2] == '[');
  if ((path.at[1] != '[' && path.at[1] != '.') || (root->kind == SKEP_JSON_LIST) != is_list) return NULL;
  const skep_json *at = root;
  bool is_first = true;
  skep_bytes rest = path.at[1] == '.' ? skep_bytes_of(path.at + 2, path.left - 2) : path;
  while (at != NULL) {
    const uint8_t *dot = rest.left == 0 ? NULL : memchr(rest.at, '.', rest.left);
    size_t n = dot == NULL ? rest.left : (size_t)(dot - rest.at);
    at = step_into(arena, at, skep_bytes_of(rest.at, n), !(is_first && is_list));
    is_first = false;
    if (dot == NULL) break;
    rest = skep_bytes_of(dot + 1, rest.left - n - 1);
  }
  return at == NULL || at->kind == SKEP_JSON_NULL ? NULL : at;
}

/* ---- printing ---- */

static void print_string(skep_bytes text, skep_buf *out) {
  static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
  skep_buf_byte(out, '"');
  for (size_t i = 0; i < text.left; i++) {
    uint8_t c = text.at[i];
    const char *named = c == 0 ? NULL : strchr(from, c);
    if (named != NULL) {
      skep_buf_byte(out, '\\');
      skep_buf_byte(out, (uint8_t)to[named - from]);
    } else if (c < 0x20) {
      skep_buf_printf(out, "\\u%04X", c);
    } else {
      skep_buf_byte(out, c);
    }
  }
  skep_buf_byte(out, '"');
}

/* Depth is bounded by reading. */
static void print(const skep_json *value, skep_buf *out) {
  switch (value->kind) {
    case SKEP_JSON_NULL:
      skep_buf_text(out, "null");
      return;
    case SKEP_JSON_WORD:
      skep_buf_add(out, value->text.at, value->text.left);
      return;
    case SKEP_JSON_STRING:
      print_string(value->text, out);
      return;
    case SKEP_JSON_LIST:
    case SKEP_JSON_OBJECT:
      break;
  }
  bool is_object = value->kind == SKEP_JSON_OBJECT;
  skep_buf_byte(out, is_object ? '{' : '[');
  for (const skep_json *c = value->first; c != NULL; c = c->next) {
    if (c != value->first) skep_buf_byte(out, ',');
    if (is_object) {
      print_string(c->key, out);
      skep_buf_byte(out, ':');
    }
    print(c, out);
  }
  skep_buf_byte(out, is_object ? '}' : ']');
}

void skep_json_print(const skep_json *value, skep_buf *out) {
  if (value->kind == SKEP_JSON_STRING) {
    skep_buf_add(out, value->text.at, value->text.left);
  } else {
    print(value, out);
  }
}

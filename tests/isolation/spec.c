/* The parser of isolation specs: line by line, a word at the beginning says what a line is. */
#include "spec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct fixture {
  const char *name;
  spec_lines setup;
} fixture;

typedef struct parser {
  skep_arena *arena;
  int number; /* of the line */
  fixture *fixtures[SPEC_MAX_FIXTURES];
  size_t n_fixtures;
  spec *first, *last; /* last: the one that is being read */
  spec_lines *into;   /* where indented lines go; NULL: they are steps of session `session` */
  int session;        /* -1: none */
  char *message;
  size_t message_size;
} parser;

static bool bad(parser *p, const char *format, ...) {
  va_list args;
  int n = snprintf(p->message, p->message_size, "line %d: ", p->number);
  va_start(args, format);
  if (n >= 0 && (size_t)n < p->message_size) vsnprintf(p->message + n, p->message_size - (size_t)n, format, args);
  va_end(args);
  return false;
}

static const char *copy(parser *p, const char *text, size_t length) {
  return skep_arena_strndup(p->arena, text, length);
}

static bool add_line(parser *p, spec_lines *lines, const char *text, size_t length) {
  if (lines->n == SPEC_MAX_LINES) return bad(p, "more than %d lines", SPEC_MAX_LINES);
  lines->number[lines->n] = p->number;
  lines->line[lines->n++] = copy(p, text, length);
  return true;
}

const spec_step *spec_find_step(const spec *s, const char *name, size_t length) {
  for (size_t i = 0; i < s->n_steps; i++)
    if (strlen(s->steps[i].name) == length && memcmp(s->steps[i].name, name, length) == 0) return &s->steps[i];
  return NULL;
}

/* "a1 SQL": a step of the session that is being described. */
static bool add_step(parser *p, const char *text, size_t length) {
  spec *s = p->last;
  size_t name = strcspn(text, " ");
  if (name >= length) return bad(p, "a step needs a name and a statement");
  if (s->n_steps == SPEC_MAX_STEPS) return bad(p, "more than %d steps", SPEC_MAX_STEPS);
  if (spec_find_step(s, text, name) != NULL) return bad(p, "two steps of one name");
  size_t at = name + strspn(text + name, " ");
  s->steps[s->n_steps++] = (spec_step){
      .name = copy(p, text, name), .session = p->session, .sql = copy(p, text + at, length - at), .number = p->number};
  return true;
}

static bool add_session(parser *p, const char *text, size_t length) {
  spec *s = p->last;
  if (length != 1 || text[0] < 'A' || text[0] >= 'A' + SPEC_MAX_SESSIONS)
    return bad(p, "a session is named A to %c", 'A' + SPEC_MAX_SESSIONS - 1);
  if (s->n_sessions == SPEC_MAX_SESSIONS) return bad(p, "more than %d sessions", SPEC_MAX_SESSIONS);
  p->session = (int)s->n_sessions;
  p->into = NULL;
  s->sessions[s->n_sessions++] = copy(p, text, 1);
  return true;
}

static bool add_token(parser *p, spec_order *order, const char *word, size_t length) {
  spec_token t = {.event = SPEC_RUNS};
  if (length > 1 && word[length - 1] == '!') {
    t.fails = true;
    length--;
  }
  if (length > 3 && memcmp(word, "...", 3) == 0) {
    t.event = SPEC_RESUMES;
    word += 3;
    length -= 3;
  } else if (length > 3 && memcmp(word + length - 3, "...", 3) == 0) {
    t.event = SPEC_WAITS;
    length -= 3;
  }
  t.step = spec_find_step(p->last, word, length);
  if (t.step == NULL) return bad(p, "there is no step %.*s", (int)length, word);
  if (order->n == SPEC_MAX_TOKENS) return bad(p, "more than %d steps in an order", SPEC_MAX_TOKENS);
  order->tokens[order->n++] = t;
  return true;
}

static bool add_order(parser *p, const char *text, size_t length) {
  spec *s = p->last;
  if (s->n_orders == SPEC_MAX_LINES) return bad(p, "more than %d orders", SPEC_MAX_LINES);
  spec_order *order = skep_arena_zero(p->arena, 1, sizeof *order);
  order->number = p->number;
  for (size_t i = 0; i < length;) {
    size_t word = strcspn(text + i, " ");
    if (i + word > length) word = length - i;
    if (word != 0 && !add_token(p, order, text + i, word)) return false;
    i += word + 1;
  }
  s->orders[s->n_orders++] = order;
  p->into = &order->expect;
  p->session = -1;
  return true;
}

static bool use_fixture(parser *p, const char *name, size_t length) {
  for (size_t i = 0; i < p->n_fixtures; i++) {
    const fixture *f = p->fixtures[i];
    if (strlen(f->name) != length || memcmp(f->name, name, length) != 0) continue;
    for (size_t k = 0; k < f->setup.n; k++)
      if (!add_line(p, &p->last->setup, f->setup.line[k], strlen(f->setup.line[k]))) return false;
    return true;
  }
  return bad(p, "there is no fixture %.*s", (int)length, name);
}

static bool use_fixtures(parser *p, const char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    size_t word = strcspn(text + i, " ");
    if (i + word > length) word = length - i;
    if (word != 0 && !use_fixture(p, text + i, word)) return false;
    i += word + 1;
  }
  return true;
}

static bool check_done(parser *p) {
  const spec *s = p->last;
  if (s == NULL) return true;
  if (s->why == NULL) return bad(p, "spec %s does not say why", s->name);
  if (s->n_orders == 0 && !s->all) return bad(p, "spec %s has no order", s->name);
  return true;
}

static bool begin_spec(parser *p, const char *text, size_t length) {
  if (!check_done(p)) return false;
  spec *s = skep_arena_zero(p->arena, 1, sizeof *s);
  s->name = copy(p, text, length);
  s->number = p->number;
  if (p->last != NULL) p->last->next = s;
  if (p->first == NULL) p->first = s;
  p->last = s;
  p->into = NULL;
  p->session = -1;
  return true;
}

static bool begin_fixture(parser *p, const char *text, size_t length) {
  if (p->n_fixtures == SPEC_MAX_FIXTURES) return bad(p, "more than %d fixtures", SPEC_MAX_FIXTURES);
  fixture *f = skep_arena_zero(p->arena, 1, sizeof *f);
  f->name = copy(p, text, length);
  p->fixtures[p->n_fixtures++] = f;
  p->into = &f->setup;
  return true;
}

static bool add_why(parser *p, const char *text, size_t length) {
  spec *s = p->last;
  size_t before = s->why != NULL ? strlen(s->why) : 0;
  char *all = skep_arena_alloc(p->arena, before + length + 2);
  if (before != 0) memcpy(all, s->why, before);
  if (before != 0) all[before++] = ' ';
  memcpy(all + before, text, length);
  all[before + length] = '\0';
  s->why = all;
  return true;
}

static bool all_begins(parser *p) {
  p->last->all = true;
  p->into = &p->last->hold;
  p->session = -1;
  return true;
}

/* A line that is not indented: a word and what belongs to it. */
static bool outer_line(parser *p, const char *text, size_t length) {
  size_t word = strcspn(text, " "), at;
  if (word > length) word = length;
  at = word + strspn(text + word, " ");
  const char *rest = text + at;
  size_t n = at < length ? length - at : 0;
#define IS(name) (word == sizeof(name) - 1 && memcmp(text, name, word) == 0)
  if (IS("spec")) return begin_spec(p, rest, n);
  if (IS("fixture")) return begin_fixture(p, rest, n);
  if (p->last == NULL) return bad(p, "there is no spec yet");
  if (IS("why")) return add_why(p, rest, n);
  if (IS("use")) return use_fixtures(p, rest, n);
  if (IS("set")) return add_line(p, p->session < 0 ? &p->last->set : &p->last->session_set[p->session], rest, n);
  if (IS("setup")) return add_line(p, &p->last->setup, rest, n);
  if (IS("session")) return add_session(p, rest, n);
  if (IS("order")) return add_order(p, rest, n);
  if (IS("all")) return all_begins(p);
  if (IS("end")) return (p->last->end = copy(p, rest, n)) != NULL;
#undef IS
  return bad(p, "what is this line? %.*s", (int)length, text);
}

static bool line(parser *p, const char *text, size_t length) {
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\r')) length--;
  if (length == 0 || text[0] == '#') return true;
  size_t indent = strspn(text, " ");
  if (indent == 0) return outer_line(p, text, length);
  if (p->into != NULL) return add_line(p, p->into, text + indent, length - indent);
  if (p->last != NULL && p->session >= 0) return add_step(p, text + indent, length - indent);
  return bad(p, "an indented line belongs to nothing");
}

bool spec_parse(skep_arena *arena, const char *text, spec **out, char *message, size_t message_size) {
  parser p = {.arena = arena, .session = -1, .message = message, .message_size = message_size};
  for (const char *at = text; *at != '\0';) {
    size_t length = strcspn(at, "\n");
    const char *one = copy(&p, at, length); /* ends where the line does */
    p.number++;
    if (!line(&p, one, length)) return false;
    at += length + (at[length] == '\n');
  }
  *out = p.first;
  return check_done(&p);
}

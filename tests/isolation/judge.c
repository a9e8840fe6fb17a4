/* Conditions and rows: see judge.h. */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions ---- */

/* "a1<b1": a1 had ended when b1 began. */
static bool before_holds(const judge_run *run, const char *a, size_t a_length, const char *b, size_t b_length,
                         bool *known) {
  const spec_step *x = spec_find_step(run->spec, a, a_length), *y = spec_find_step(run->spec, b, b_length);
  *known = x != NULL && y != NULL;
  if (!*known) return false;
  const judge_step *first = &run->steps[x - run->spec->steps], *second = &run->steps[y - run->spec->steps];
  return first->outcome != JUDGE_NOT_RUN && second->outcome != JUDGE_NOT_RUN && first->ended < second->began;
}

/* A step came through; a session: none of its steps failed, and its last one was run. */
static bool name_holds(const judge_run *run, const char *name, size_t length, bool *known) {
  const spec *s = run->spec;
  const char *than = memchr(name, '<', length);
  if (than != NULL) {
    size_t n = (size_t)(than - name);
    return before_holds(run, name, n, than + 1, length - n - 1, known);
  }
  const spec_step *step = spec_find_step(s, name, length);
  *known = true;
  if (step != NULL) return run->steps[step - s->steps].outcome == JUDGE_OK;
  *known = false;
  for (size_t i = 0; i < s->n_sessions; i++) {
    if (length != 1 || s->sessions[i][0] != name[0]) continue;
    *known = true;
    bool fine = false;
    for (size_t k = 0; k < s->n_steps; k++) {
      if (s->steps[k].session != (int)i) continue;
      if (run->steps[k].outcome == JUDGE_FAILED) return false;
      fine = run->steps[k].outcome == JUDGE_OK;
    }
    return fine;
  }
  return false;
}

/* "a1&!B|c2": & binds closer than |. */
static bool condition(const judge_run *run, const char *text, size_t length, bool *wrong) {
  bool any = false, all = true;
  for (size_t i = 0; i < length;) {
    bool not = text[i] == '!', known;
    if (not ) i++;
    size_t n = strcspn(text + i, "&|]");
    if (i + n > length) n = length - i;
    bool holds = name_holds(run, text + i, n, &known);
    if (!known) *wrong = true;
    all = all && holds != not ;
    i += n;
    if (i >= length || text[i] == '|') {
      any = any || all;
      all = true;
    }
    i++;
  }
  return any;
}

/* "[condition]" at the beginning, if there is one: *skip bytes of it. */
static bool guard(const judge_run *run, const char *text, size_t length, size_t *skip, bool *wrong) {
  *skip = 0;
  if (length == 0 || text[0] != '[') return true;
  const char *end = memchr(text, ']', length);
  if (end == NULL) return *wrong = true, false;
  *skip = (size_t)(end - text) + 1;
  return condition(run, text + 1, (size_t)(end - text) - 1, wrong);
}

/* "7+A+10*b2": numbers, and what counts 1 when it holds. */
static long long sum(const judge_run *run, const char *text, size_t length, bool *wrong) {
  long long total = 0;
  for (size_t i = 0; i < length;) {
    size_t n = strcspn(text + i, "+}");
    if (i + n > length) n = length - i;
    char *end;
    long long factor = strtoll(text + i, &end, 10);
    size_t used = (size_t)(end - (text + i));
    if (used == 0) factor = 1;
    if (used < n) {
      bool known;
      size_t from = i + used + (text[i + used] == '*');
      if (!name_holds(run, text + from, n - (from - i), &known)) factor = 0;
      if (!known) *wrong = true;
    }
    total += factor;
    i += n + 1;
  }
  return total;
}

/* ---- rows ---- */

static void print_row(const judge_run *run, const char *text, size_t length, skep_buf *out, bool *wrong) {
  for (size_t i = 0; i < length;) {
    const char *end = text[i] == '{' ? memchr(text + i, '}', length - i) : NULL;
    if (end != NULL) {
      size_t n = (size_t)(end - (text + i)) - 1;
      skep_buf_printf(out, "%lld", sum(run, text + i + 1, n, wrong));
      i += n + 2;
    } else {
      skep_buf_byte(out, (uint8_t)text[i++]);
    }
  }
}

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

bool judge_rows(const judge_run *run, const char *text, size_t length, skep_buf *out, char *message, size_t size) {
  char *rows[256];
  size_t n = 0;
  bool wrong = false;
  for (size_t i = 0; i < length && n < 256;) {
    const char *end = NULL;
    for (size_t k = i; k + 3 <= length && end == NULL; k++)
      if (memcmp(text + k, " / ", 3) == 0) end = text + k;
    size_t stop = end != NULL ? (size_t)(end - text) : length, skip;
    bool here = guard(run, text + i, stop - i, &skip, &wrong);
    skep_buf_reset(out);
    print_row(run, text + i + skip, stop - i - skip, out, &wrong);
    if (here && strcmp(skep_buf_string(out), "-") != 0) rows[n++] = strdup(skep_buf_string(out));
    i = end != NULL ? stop + 3 : length;
  }
  qsort(rows, n, sizeof *rows, compare_texts);
  skep_buf_reset(out);
  for (size_t i = 0; i < n; i++) {
    skep_buf_printf(out, "%s\n", rows[i]);
    free(rows[i]);
  }
  if (wrong) snprintf(message, size, "a name that is no step and no session in: %.*s", (int)length, text);
  return !wrong;
}

/* Lines as a spec has them, for messages. */
static void in_one_line(char *out, size_t size, const char *lines) {
  size_t n = 0;
  for (const char *at = lines; *at != '\0' && n + 4 < size; at++) {
    if (*at != '\n') out[n++] = *at;
    if (*at == '\n' && at[1] != '\0') {
      memcpy(out + n, " / ", 3);
      n += 3;
    }
  }
  if (n == 0) out[n++] = '-';
  out[n] = '\0';
}

static bool same(const judge_run *run, const char *text, size_t length, const char *came, char *message, size_t size) {
  const skep_ctx *ctx;
  skep_ctx own;
  skep_ctx_init(&own);
  ctx = &own;
  skep_buf want;
  skep_buf_init(&want, ctx, 1 << 24);
  bool fine = judge_rows(run, text, length, &want, message, size);
  if (fine && strcmp(skep_buf_string(&want), came) != 0) {
    char a[600], b[600];
    in_one_line(a, sizeof a, skep_buf_string(&want));
    in_one_line(b, sizeof b, came);
    snprintf(message, size, "wanted %s, came %s", a, b);
    fine = false;
  }
  skep_buf_fini(&want);
  return fine;
}

bool judge_same(const judge_run *run, const char *text, const char *came, char *message, size_t size) {
  return same(run, text, strlen(text), came, message, size);
}

/* ---- the lines of `all` ---- */

typedef struct line_state {
  bool may_end;  /* there are `allow` lines */
  bool allowed;  /* one of them was right */
  bool may_fail; /* there is a `fails` line */
} line_state;

static const char *after(const char *line, const char *word) {
  size_t n = strlen(word);
  if (strncmp(line, word, n) != 0 || (line[n] != ' ' && line[n] != '\0')) return NULL;
  line += n;
  return line + strspn(line, " ");
}

static bool allow(const judge_run *run, const char *text, line_state *state, char *message, size_t size) {
  size_t skip;
  bool wrong = false, applies = guard(run, text, strlen(text), &skip, &wrong);
  /* "[A] 1|2": a condition of the whole line has a blank after it, one of its first row has not */
  if (skip != 0 && text[skip] != ' ') {
    applies = true;
    skip = 0;
  }
  if (wrong) return snprintf(message, size, "a wrong condition in: allow %s", text), false;
  state->may_end = true;
  text += skip + strspn(text + skip, " ");
  if (!applies || state->allowed) return true;
  char why[1400] = "";
  if (run->end != NULL && same(run, text, strlen(text), run->end, why, sizeof why)) state->allowed = true;
  if (!state->allowed) snprintf(message, size, "the end: %s", run->end != NULL ? why : "there is no end query");
  return strstr(why, "a name that is no") == NULL;
}

/* "conflict ; deadlock": each error has one of the parts. */
static bool fails(const judge_run *run, const char *parts, char *message, size_t size) {
  for (size_t i = 0; i < run->spec->n_steps; i++) {
    const judge_step *step = &run->steps[i];
    bool fine = step->outcome != JUDGE_FAILED;
    for (const char *at = parts; !fine && *at != '\0';) {
      char part[200];
      const char *end = strstr(at, " ; ");
      size_t n = end != NULL ? (size_t)(end - at) : strlen(at);
      snprintf(part, sizeof part, "%.*s", (int)n, at);
      fine = strstr(step->text, part) != NULL;
      at = end != NULL ? end + 3 : at + n;
    }
    if (!fine) {
      snprintf(message, size, "%s fails with %s", run->spec->steps[i].name, step->text);
      return false;
    }
  }
  return true;
}

/* "a1 b2": each of them, or at least one, came through. */
static bool came_through(const judge_run *run, const char *names, bool each, char *message, size_t size) {
  bool any = false;
  for (const char *at = names; *at != '\0';) {
    size_t n = strcspn(at, " ");
    bool known, fine = name_holds(run, at, n, &known);
    if (!known || (each && !fine)) {
      snprintf(message, size, "%.*s %s", (int)n, at, known ? "failed" : "is no step and no session");
      return false;
    }
    any |= fine;
    at += n + strspn(at + n, " ");
  }
  if (!each && !any) snprintf(message, size, "none of %s came through", names);
  return each || any;
}

static const judge_step *step_of(const judge_run *run, const char *name, size_t length) {
  const spec_step *step = spec_find_step(run->spec, name, length);
  return step != NULL ? &run->steps[step - run->spec->steps] : NULL;
}

/* "a1 a3": what both answered is the same, where both did. */
static bool equal(const judge_run *run, const char *names, char *message, size_t size) {
  size_t n = strcspn(names, " "), m = n + strspn(names + n, " ");
  const judge_step *a = step_of(run, names, n), *b = step_of(run, names + m, strlen(names + m));
  if (a == NULL || b == NULL) return snprintf(message, size, "same needs two steps: %s", names), false;
  if (a->outcome != JUDGE_OK || b->outcome != JUDGE_OK || strcmp(a->rows, b->rows) == 0) return true;
  char x[300], y[300];
  in_one_line(x, sizeof x, a->rows);
  in_one_line(y, sizeof y, b->rows);
  snprintf(message, size, "%s differ: %s and %s", names, x, y);
  return false;
}

/* "a1 in rows ; rows": what the step answered is one of these. */
static bool one_of(const judge_run *run, const char *line, const char *in, char *message, size_t size) {
  const judge_step *step = step_of(run, line, (size_t)(in - line));
  if (step == NULL) return snprintf(message, size, "there is no step in: %s", line), false;
  if (step->outcome != JUDGE_OK) return true;
  for (const char *at = in + 4; *at != '\0';) {
    const char *end = strstr(at, " ; ");
    size_t n = end != NULL ? (size_t)(end - at) : strlen(at);
    if (same(run, at, n, step->rows, message, size)) return true;
    at = end != NULL ? end + 3 : at + n;
  }
  char came[400];
  in_one_line(came, sizeof came, step->rows);
  snprintf(message, size, "%s, came %s", line, came);
  return false;
}

static bool holds(const judge_run *run, const char *line, line_state *state, char *message, size_t size) {
  const char *rest, *in;
  if ((rest = after(line, "allow")) != NULL) return allow(run, rest, state, message, size);
  if ((rest = after(line, "fails")) != NULL) return (state->may_fail = true), fails(run, rest, message, size);
  if ((rest = after(line, "never")) != NULL) return came_through(run, rest, true, message, size);
  if ((rest = after(line, "some")) != NULL) return came_through(run, rest, false, message, size);
  if ((rest = after(line, "same")) != NULL) return equal(run, rest, message, size);
  if ((in = strstr(line, " in ")) != NULL) return one_of(run, line, in, message, size);
  return snprintf(message, size, "what is this? %s", line), false;
}

bool judge_all(const judge_run *run, char *message, size_t size) {
  line_state state = {0};
  message[0] = '\0';
  for (size_t i = 0; i < run->spec->hold.n; i++)
    if (!holds(run, run->spec->hold.line[i], &state, message, size)) return false;
  if (!state.may_fail && !fails(run, "", message, size)) return false;
  if (state.may_end && !state.allowed) {
    if (message[0] == '\0') snprintf(message, size, "no `allow` line applies");
    return false;
  }
  return true;
}

/* Runs isolation specs: run [--long] [--only SPEC] [--order N] [--seed N] [--most N] [--trace] FILE.spec...
 *
 * Every order of a spec is run and must go exactly as written. A spec with `all` is run in its interleavings too: all
 * of them when they are few, else a choice that depends on the seed and the spec's name; --long takes up to 2000.
 * SKEP_TEST_POSTGRES: on PostgreSQL (support/metastore.h), with 77 for an answer where there is none. Exit status 0
 * when all is as it should be. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "world.h"

enum { MOST = 50, MOST_LONG = 2000 };

typedef struct options {
  const char *only;
  long order; /* 0: all */
  uint64_t seed;
  size_t most;
  bool trace;
} options;

/* One run of one spec. */
typedef struct run_state {
  world *w;
  const spec *s;
  const options *o;
  judge_run judge;
  int current[SPEC_MAX_SESSIONS]; /* the step that the session is in, or -1 */
  unsigned moment;
  char message[3000];
  char done[1200]; /* the steps so far, for messages */
} run_state;

static bool wrong(run_state *r, const char *format, ...) SKEP_PRINTF(2, 3);
static bool wrong(run_state *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->message, sizeof r->message, format, args);
  va_end(args);
  return false;
}

static world_session *session_of(run_state *r, const spec_step *step) {
  return world_find(r->w, r->s->sessions[step->session]);
}

static void note(run_state *r, const char *before, const char *name, const char *behind) {
  size_t n = strlen(r->done);
  snprintf(r->done + n, sizeof r->done - n, "%s%s%s%s", n != 0 ? " " : "", before, name, behind);
}

/* A step has ended: what it answered is kept. */
static void record(run_state *r, const spec_step *step, bool waited) {
  world_session *session = session_of(r, step);
  judge_step *j = &r->judge.steps[step - r->s->steps];
  j->outcome = session->status == SKEP_OK ? JUDGE_OK : JUDGE_FAILED;
  j->ended = ++r->moment;
  j->rows = strdup(skep_buf_string(&session->rows));
  j->text = strdup(session->err.text);
  r->current[step->session] = -1;
  note(r, waited ? "..." : "", step->name, session->status == SKEP_OK ? "" : "!");
  if (r->o->trace)
    printf("    %s%s %s: %s\n", waited ? "..." : "", step->name, step->sql,
           session->status == SKEP_OK ? j->rows : j->text);
}

/* Starts a step; true: it has ended, false: it waits. */
static bool begin(run_state *r, const spec_step *step) {
  world_session *session = session_of(r, step);
  r->judge.steps[step - r->s->steps].began = ++r->moment;
  world_start(r->w, session, step->sql);
  if (session->state == WORLD_IDLE) {
    record(r, step, false);
    return true;
  }
  r->current[step->session] = (int)(step - r->s->steps);
  note(r, "", step->name, "...");
  if (r->o->trace) printf("    %s... %s: waits for %s\n", step->name, step->sql, session->blocker);
  return false;
}

/* Lets others go on; those that ended, recorded, as bits of steps. */
static uint32_t settle(run_state *r) {
  uint32_t came = 0;
  world_settle(r->w);
  for (size_t i = 0; i < r->s->n_sessions; i++) {
    if (r->current[i] < 0) continue;
    const spec_step *step = &r->s->steps[r->current[i]];
    if (session_of(r, step)->state != WORLD_IDLE) continue;
    came |= 1u << r->current[i];
    record(r, step, true);
  }
  return came;
}

static bool start_run(run_state *r) {
  for (size_t i = 0; i < SPEC_MAX_SESSIONS; i++) r->current[i] = -1;
  r->judge.spec = r->s;
  return world_begin(r->w, r->s, r->message, sizeof r->message);
}

static bool ask_end(run_state *r) {
  if (r->s->end == NULL) return true;
  world_session *z = world_observer(r->w);
  world_start(r->w, z, r->s->end);
  if (z->state != WORLD_IDLE) return wrong(r, "the end query waits for %s", z->blocker);
  if (z->status != SKEP_OK) return wrong(r, "the end query: %s", z->err.text);
  r->judge.end = strdup(skep_buf_string(&z->rows));
  if (r->o->trace) printf("    end: %s\n", r->judge.end);
  return true;
}

static void finish_run(run_state *r, bool *fine) {
  char message[1000];
  if (!world_end(r->w, message, sizeof message) && *fine) *fine = wrong(r, "afterwards: %s", message);
  for (size_t i = 0; i < SPEC_MAX_STEPS; i++) {
    free((void *)r->judge.steps[i].rows);
    free((void *)r->judge.steps[i].text);
  }
  free((void *)r->judge.end);
}

/* ---- an order as written ---- */

/* "b1 waits A x" of an order, when it says so. */
static bool waits_as_said(run_state *r, const spec_order *order, const spec_step *step) {
  const world_session *session = session_of(r, step);
  char want[64];
  snprintf(want, sizeof want, "%s waits ", step->name);
  for (size_t i = 0; i < order->expect.n; i++) {
    const char *line = order->expect.line[i];
    if (strncmp(line, want, strlen(want)) != 0) continue;
    line += strlen(want);
    if (line[0] != session->blocker[0] || (line[1] == ' ' && line[2] != session->blocker_type))
      return wrong(r, "%s: it waits for %s (%c)", order->expect.line[i], session->blocker, session->blocker_type);
  }
  return true;
}

static bool ended_as_said(run_state *r, const spec_token *t) {
  const judge_step *j = &r->judge.steps[t->step - r->s->steps];
  if (t->fails == (j->outcome == JUDGE_FAILED)) return true;
  if (t->fails) return wrong(r, "%s should fail: %s", t->step->name, t->step->sql);
  return wrong(r, "%s: %s: %s", t->step->name, t->step->sql, j->text);
}

static bool run_token(run_state *r, const spec_order *order, const spec_token *t, uint32_t *came) {
  uint32_t bit = 1u << (t->step - r->s->steps);
  if (t->event == SPEC_RESUMES) {
    if ((*came & bit) == 0) return wrong(r, "%s does not come through here", t->step->name);
    *came &= ~bit;
    return ended_as_said(r, t);
  }
  if (*came != 0) return wrong(r, "a step that waited came through before %s", t->step->name);
  if (r->current[t->step->session] >= 0) return wrong(r, "%s: its session still waits", t->step->name);
  bool ended = begin(r, t->step);
  if (ended != (t->event == SPEC_RUNS))
    return ended ? wrong(r, "%s should wait, and does not%s%s", t->step->name,
                         session_of(r, t->step)->status == SKEP_OK ? "" : ": ",
                         session_of(r, t->step)->status == SKEP_OK ? "" : session_of(r, t->step)->err.text)
                 : wrong(r, "%s should not wait, but waits for %s (%c)", t->step->name, session_of(r, t->step)->blocker,
                         session_of(r, t->step)->blocker_type);
  if (!ended && !waits_as_said(r, order, t->step)) return false;
  if (ended && !ended_as_said(r, t)) return false;
  *came = settle(r);
  return true;
}

static bool said(run_state *r, const judge_step *j, const char *line, const char *part) {
  char *text = world_with_database(r->w, part);
  bool fine = j->outcome == JUDGE_FAILED && strstr(j->text, text) != NULL;
  free(text);
  return fine || wrong(r, "%s: it says: %s", line, j->outcome == JUDGE_FAILED ? j->text : "nothing");
}

/* "a1 = rows", "a1 ! part of the message", "end = rows". */
static bool line_holds(run_state *r, const char *line) {
  size_t n = strcspn(line, " ");
  const char *rest = line + n + strspn(line + n, " ");
  const spec_step *step = spec_find_step(r->s, line, n);
  const char *what = rest[0] != '\0' ? rest + 1 + strspn(rest + 1, " ") : rest;
  char why[1400];
  if (strncmp(rest, "waits ", 6) == 0 && step != NULL) return true;
  if (n == 3 && memcmp(line, "end", 3) == 0 && rest[0] == '=') {
    if (r->judge.end == NULL) return wrong(r, "%s: there is no end query", line);
    return judge_same(&r->judge, what, r->judge.end, why, sizeof why) || wrong(r, "the end: %s", why);
  }
  if (step == NULL || (rest[0] != '=' && rest[0] != '!')) return wrong(r, "what is this? %s", line);
  const judge_step *j = &r->judge.steps[step - r->s->steps];
  if (rest[0] == '!') return said(r, j, line, what);
  if (j->outcome != JUDGE_OK) return wrong(r, "%s: it did not end well", line);
  return judge_same(&r->judge, what, j->rows, why, sizeof why) || wrong(r, "%s: %s", step->name, why);
}

static bool run_order(run_state *r, const spec_order *order) {
  uint32_t came = 0;
  if (!start_run(r)) return false;
  for (size_t i = 0; i < order->n; i++)
    if (!run_token(r, order, &order->tokens[i], &came)) return false;
  if (came != 0) return wrong(r, "a step that waited came through at the end, and is not in the order");
  for (size_t i = 0; i < r->s->n_sessions; i++)
    if (r->current[i] >= 0) return wrong(r, "%s still waits at the end", r->s->steps[r->current[i]].name);
  if (!ask_end(r)) return false;
  for (size_t i = 0; i < order->expect.n; i++)
    if (!line_holds(r, order->expect.line[i])) return false;
  return true;
}

/* ---- interleavings ---- */

typedef struct interleaving {
  uint8_t session[SPEC_MAX_STEPS];
  size_t n;
} interleaving;

/* The next step of the session, or NULL. Steps of a session are in the file's order. */
static const spec_step *step_after(const spec *s, int session, const spec_step *last) {
  for (const spec_step *step = last == NULL ? s->steps : last + 1; step < s->steps + s->n_steps; step++)
    if (step->session == session) return step;
  return NULL;
}

/* A transaction that has failed is over: what would follow in it is not run. */
static bool is_over(const run_state *r, const spec_step *step) {
  bool over = false;
  for (const spec_step *one = r->s->steps; one < step; one++) {
    if (one->session != step->session) continue;
    if (strcmp(one->sql, "START TRANSACTION") == 0) over = false;
    if (r->judge.steps[one - r->s->steps].outcome == JUDGE_FAILED) over = true;
    if (strcmp(one->sql, "COMMIT") == 0 || strcmp(one->sql, "ROLLBACK") == 0) over = false;
  }
  bool in = false;
  for (const spec_step *one = r->s->steps; one < step; one++) {
    if (one->session != step->session) continue;
    if (strcmp(one->sql, "START TRANSACTION") == 0) in = true;
    if (strcmp(one->sql, "COMMIT") == 0 || strcmp(one->sql, "ROLLBACK") == 0) in = false;
  }
  return over && in;
}

typedef struct progress {
  const spec_step *last[SPEC_MAX_SESSIONS];
  unsigned due[SPEC_MAX_SESSIONS]; /* steps whose turn has come */
} progress;

/* Runs what is due in sessions that do not wait, until nothing moves. */
static void run_due(run_state *r, progress *p) {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < r->s->n_sessions; i++) {
      if (p->due[i] == 0 || r->current[i] >= 0) continue;
      const spec_step *step = step_after(r->s, (int)i, p->last[i]);
      p->due[i]--;
      p->last[i] = step;
      moved = true;
      if (step == NULL || is_over(r, step)) continue;
      (void)begin(r, step);
      (void)settle(r);
    }
  }
}

static bool run_interleaving(run_state *r, const interleaving *order) {
  progress p = {0};
  char why[2600];
  if (!start_run(r)) return false;
  for (size_t i = 0; i < order->n; i++) {
    p.due[order->session[i]]++;
    run_due(r, &p);
  }
  for (size_t i = 0; i < r->s->n_sessions; i++)
    if (r->current[i] >= 0) return wrong(r, "%s waits for ever", r->s->steps[r->current[i]].name);
  if (!ask_end(r)) return false;
  return judge_all(&r->judge, why, sizeof why) || wrong(r, "%s", why);
}

/* How many there are, at most `most` + 1. */
static size_t count_interleavings(const size_t *left, size_t n, size_t most) {
  size_t total = 0;
  bool any = false;
  size_t rest[SPEC_MAX_SESSIONS];
  for (size_t i = 0; i < n && total <= most; i++) {
    if (left[i] == 0) continue;
    any = true;
    memcpy(rest, left, n * sizeof *rest);
    rest[i]--;
    total += count_interleavings(rest, n, most - total);
  }
  return any ? total : 1;
}

/* The next one in lexical order; false after the last. */
static bool next_interleaving(interleaving *it) {
  size_t i = it->n;
  while (i >= 2 && it->session[i - 2] >= it->session[i - 1]) i--;
  if (i < 2) return false;
  size_t k = it->n - 1;
  while (it->session[k] <= it->session[i - 2]) k--;
  uint8_t swap = it->session[k];
  it->session[k] = it->session[i - 2];
  it->session[i - 2] = swap;
  for (size_t a = i - 1, b = it->n - 1; a < b; a++, b--) {
    swap = it->session[a];
    it->session[a] = it->session[b];
    it->session[b] = swap;
  }
  return true;
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void shuffle(interleaving *it, uint64_t *state) {
  for (size_t i = it->n; i > 1; i--) {
    size_t k = (size_t)(next_random(state) % i);
    uint8_t swap = it->session[k];
    it->session[k] = it->session[i - 1];
    it->session[i - 1] = swap;
  }
}

/* ---- all of it ---- */

typedef struct totals {
  size_t specs, orders, interleavings, failures;
} totals;

static void tell(const run_state *r, const char *file, const char *what, int number) {
  printf("%s:%d: spec %s, %s: %s\n    after: %s\n", file, number, r->s->name, what, r->message, r->done);
}

static void run_orders(world *w, const spec *s, const options *o, const char *file, totals *t) {
  for (size_t i = 0; i < s->n_orders; i++) {
    if (o->order != 0 && o->order != (long)i + 1) continue;
    run_state r = {.w = w, .s = s, .o = o};
    char what[40];
    snprintf(what, sizeof what, "order %zu", i + 1);
    if (o->trace) printf("  %s, %s\n", s->name, what);
    bool fine = run_order(&r, s->orders[i]);
    finish_run(&r, &fine);
    t->orders++;
    if (fine) continue;
    tell(&r, file, what, s->orders[i]->number);
    t->failures++;
  }
}

static void run_one_interleaving(world *w, const spec *s, const options *o, const char *file, const interleaving *it,
                                 totals *t) {
  run_state r = {.w = w, .s = s, .o = o};
  if (o->trace) printf("  %s, an interleaving\n", s->name);
  bool fine = run_interleaving(&r, it);
  finish_run(&r, &fine);
  t->interleavings++;
  if (fine) return;
  tell(&r, file, "an interleaving", s->number);
  t->failures++;
}

static void run_interleavings(world *w, const spec *s, const options *o, const char *file, totals *t) {
  size_t left[SPEC_MAX_SESSIONS] = {0};
  interleaving it = {0};
  for (size_t i = 0; i < s->n_steps; i++) left[s->steps[i].session]++;
  for (size_t i = 0; i < s->n_sessions; i++)
    for (size_t k = 0; k < left[i]; k++) it.session[it.n++] = (uint8_t)i;
  uint64_t state = o->seed ^ 0x9e3779b97f4a7c15u;
  for (const char *at = s->name; *at != '\0'; at++) state = state * 31 + (uint8_t)*at;
  if (state == 0) state = 1;
  size_t before = t->failures;
  if (count_interleavings(left, s->n_sessions, o->most) <= o->most) {
    do run_one_interleaving(w, s, o, file, &it, t);
    while (next_interleaving(&it) && t->failures < before + 3);
    return;
  }
  for (size_t i = 0; i < o->most && t->failures < before + 3; i++) {
    shuffle(&it, &state);
    run_one_interleaving(w, s, o, file, &it, t);
  }
}

static char *read_whole(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  char *text = calloc(1, 1 << 20);
  if (text != NULL) (void)!fread(text, 1, (1 << 20) - 1, f);
  fclose(f);
  return text;
}

static bool run_file(const char *path, const options *o, totals *t) {
  static world w;
  skep_ctx ctx;
  skep_arena arena;
  char message[2000] = "cannot be read";
  spec *first = NULL;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 26);
  char *text = read_whole(path);
  bool fine = text != NULL && spec_parse(&arena, text, &first, message, sizeof message) &&
              world_open(&w, message, sizeof message);
  if (!fine) printf("%s: %s\n", path, message);
  for (const spec *s = first; fine && s != NULL; s = s->next) {
    if (o->only != NULL && strcmp(o->only, s->name) != 0) continue;
    t->specs++;
    run_orders(&w, s, o, path, t);
    if (s->all && o->order == 0) run_interleavings(&w, s, o, path, t);
  }
  if (fine) world_close(&w);
  free(text);
  skep_arena_fini(&arena);
  return fine;
}

int main(int argc, char **argv) {
  options o = {.most = MOST, .seed = 1};
  totals t = {0};
  bool fine = true;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (metastore_missing()) return METASTORE_SKIPPED;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--long") == 0) {
      o.most = MOST_LONG;
    } else if (strcmp(argv[i], "--trace") == 0) {
      o.trace = true;
    } else if (strcmp(argv[i], "--only") == 0) {
      o.only = value, i++;
    } else if (strcmp(argv[i], "--order") == 0) {
      o.order = strtol(value, NULL, 10), i++;
    } else if (strcmp(argv[i], "--seed") == 0) {
      o.seed = strtoull(value, NULL, 10), i++;
    } else if (strcmp(argv[i], "--most") == 0) {
      o.most = strtoull(value, NULL, 10), i++;
    } else {
      fine &= run_file(argv[i], &o, &t);
    }
  }
  printf("%zu specs, %zu orders, %zu interleavings (seed %" PRIu64 "): %zu failures\n", t.specs, t.orders,
         t.interleavings, o.seed, t.failures);
  return fine && t.failures == 0 && t.specs != 0 ? 0 : 1;
}

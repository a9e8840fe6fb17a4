/* Isolation specs: text files that say which sessions do what, in which orders, who waits, and what must come out.
 * README.md describes the language; this is what a parsed file looks like. All texts live in the arena given to
 * spec_parse and are valid as long as it. */
#ifndef ISOLATION_SPEC_H
#define ISOLATION_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum {
  SPEC_MAX_SESSIONS = 6,
  SPEC_MAX_STEPS = 24,   /* of one spec, over all sessions */
  SPEC_MAX_TOKENS = 64,  /* of one order */
  SPEC_MAX_LINES = 64,   /* of anything else in one spec */
  SPEC_MAX_FIXTURES = 32 /* of one file */
};

typedef struct spec_lines {
  const char *line[SPEC_MAX_LINES];
  int number[SPEC_MAX_LINES]; /* in the file, for messages */
  size_t n;
} spec_lines;

typedef struct spec_step {
  const char *name;
  int session;     /* index */
  const char *sql; /* or "@word ..." */
  int number;
} spec_step;

typedef enum spec_event {
  SPEC_RUNS,   /* a1      ends at once */
  SPEC_WAITS,  /* a1...   starts, and waits for a lock */
  SPEC_RESUMES /* ...a1   is granted by the step before it, and ends */
} spec_event;

typedef struct spec_token {
  const spec_step *step;
  spec_event event;
  bool fails; /* a1!, ...a1! */
} spec_token;

typedef struct spec_order {
  spec_token tokens[SPEC_MAX_TOKENS];
  size_t n;
  spec_lines expect; /* "a1 = rows", "a1 ! part", "a1 waits A [letter]", "end = rows" */
  int number;
} spec_order;

typedef struct spec {
  const char *name;
  const char *why; /* required: the rule that makes the expected result right */
  spec_lines set;  /* "name=value", for every session */
  spec_lines setup;
  const char *sessions[SPEC_MAX_SESSIONS]; /* names: one capital letter */
  spec_lines session_set[SPEC_MAX_SESSIONS];
  size_t n_sessions;
  spec_step steps[SPEC_MAX_STEPS];
  size_t n_steps;
  const char *end; /* the query of the last state, or NULL */
  spec_order *orders[SPEC_MAX_LINES];
  size_t n_orders;
  bool all;        /* every interleaving is tried as well */
  spec_lines hold; /* what holds in each of them */
  int number;
  struct spec *next;
} spec;

/* The specs of a file, in its order. False: *message says what is wrong, with the line's number. */
bool spec_parse(skep_arena *arena, const char *text, spec **out, char *message, size_t message_size);

/* The step of that name, or NULL. */
const spec_step *spec_find_step(const spec *s, const char *name, size_t length);

#endif

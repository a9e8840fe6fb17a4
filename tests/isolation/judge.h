/* What must hold after a run: the small language of conditions and rows in specs (README.md). Pure. */
#ifndef ISOLATION_JUDGE_H
#define ISOLATION_JUDGE_H

#include "base/buf.h"
#include "spec.h"

/* What a run did, by step. */
typedef struct judge_step {
  enum { JUDGE_NOT_RUN, JUDGE_OK, JUDGE_FAILED } outcome;
  unsigned began, ended; /* numbers of moments in the run */
  const char *rows;      /* sorted lines; of a step that is OK */
  const char *text;      /* of the error */
} judge_step;

typedef struct judge_run {
  const spec *spec;
  judge_step steps[SPEC_MAX_STEPS];
  const char *end; /* the rows of the last query, sorted lines; NULL when there is none */
} judge_run;

/* "1|a / 2|b" with conditions and sums -> sorted lines. false: the text is wrong (*message). */
bool judge_rows(const judge_run *run, const char *text, size_t length, skep_buf *out, char *message, size_t size);

/* Whether rows that came are those. In messages both are shown. */
bool judge_same(const judge_run *run, const char *text, const char *came, char *message, size_t size);

/* All lines of the spec's `all`. */
bool judge_all(const judge_run *run, char *message, size_t size);

#endif

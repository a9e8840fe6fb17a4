/* The fault door of the database layer, for crash tests: the n-th call that changes the database (a changing statement,
 * a begin of a write transaction, a commit) fails or ends the process. Shared by all connections that were opened with
 * it; set up before, read after. */
#ifndef DB_FAULTS_H
#define DB_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct skep_db skep_db;

typedef enum skep_db_fault_kind {
  SKEP_DB_FAULT_NONE,        /* count only */
  SKEP_DB_FAULT_FAIL,        /* SKEP_ERR_IO instead of the call */
  SKEP_DB_FAULT_EXIT_BEFORE, /* _exit(SKEP_DB_FAULT_CODE) instead of the call */
  SKEP_DB_FAULT_EXIT_AFTER,  /* the call is made, then _exit */
  SKEP_DB_FAULT_DOUBT,       /* a commit is made, and reported as SKEP_ERR_IN_DOUBT; other calls as FAIL */
  SKEP_DB_FAULT_FAIL_AFTER   /* the call is made, then SKEP_ERR_IO; a commit as DOUBT */
} skep_db_fault_kind;

enum { SKEP_DB_FAULT_CODE = 86 };

/* Rules of transactions that are broken on purpose, so that a checker of histories can be shown to notice
 * (tests/history): bits. They stand here because the door is handed through all layers already. */
enum {
  SKEP_DB_WRONG_CONFLICT = 1, /* commits do not look for conflicts */
  SKEP_DB_WRONG_DIRTY = 2,    /* open transactions are valid for everybody */
  SKEP_DB_WRONG_ABORTED = 4,  /* aborted ones are */
  SKEP_DB_WRONG_LATE = 8,     /* each statement of a transaction takes a snapshot of its own */
  SKEP_DB_WRONG_KEPT = 16     /* a statement that waited for its locks keeps its snapshot and write id */
};
#define SKEP_DB_WRONG_NAMES \
  { "no-conflict-check", "dirty-read", "aborted-read", "late-snapshot", "kept-snapshot" }

struct skep_db_faults {
  unsigned wrong;         /* SKEP_DB_WRONG_... */
  _Atomic uint64_t calls; /* made so far */
  uint64_t at;            /* the number of the call that fails, from 1; 0: none */
  skep_db_fault_kind kind;
};

/* Whether any rule is to be broken. */
bool skep_db_breaks_rules(const skep_db *db);
/* Whether this rule is to be broken; false where no fault door is. */
bool skep_db_goes_wrong(const skep_db *db, unsigned which);

#endif

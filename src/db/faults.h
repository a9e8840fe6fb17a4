/* The fault door of the database layer, for crash tests: the n-th call that changes the database (a changing statement,
 * a begin of a write transaction, a commit) fails or ends the process. Shared by all connections that were opened with
 * it; set up before, read after. */
#ifndef DB_FAULTS_H
#define DB_FAULTS_H

#include <stdatomic.h>
#include <stdint.h>

typedef enum skep_db_fault_kind {
  SKEP_DB_FAULT_NONE,        /* count only */
  SKEP_DB_FAULT_FAIL,        /* SKEP_ERR_IO instead of the call */
  SKEP_DB_FAULT_EXIT_BEFORE, /* _exit(SKEP_DB_FAULT_CODE) instead of the call */
  SKEP_DB_FAULT_EXIT_AFTER,  /* the call is made, then _exit */
  SKEP_DB_FAULT_DOUBT        /* a commit is made, and reported as SKEP_ERR_IN_DOUBT; other calls as FAIL */
} skep_db_fault_kind;

enum { SKEP_DB_FAULT_CODE = 86 };

struct skep_db_faults {
  _Atomic uint64_t calls; /* made so far */
  uint64_t at;            /* the number of the call that fails, from 1; 0: none */
  skep_db_fault_kind kind;
};

#endif

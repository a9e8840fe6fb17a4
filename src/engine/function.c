/* Which functions are registered, and when: a function is made known to DuckDB by the first SQL text that names it. */
#include "engine/engine_int.h"

skep_status skep_engine_register_functions(skep_engine *e, const char *sql, skep_err *err) {
  (void)e, (void)sql, (void)err;
  return SKEP_OK;
}

void skep_engine_forget_functions(skep_engine *e) { (void)e; }

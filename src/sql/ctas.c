/* CREATE TABLE ... AS SELECT: the rows are written under the transaction that makes the table; the table appears with
 * its commit. */
#include "sql/session_int.h"

skep_status skep_ctas_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  (void)s;
  (void)statement;
  (void)out;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "CREATE TABLE AS SELECT is not supported yet");
}

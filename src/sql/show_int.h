/* What SHOW and DESCRIBE share: rows of texts, Hive's padding, texts of tables. */
#ifndef SQL_SHOW_INT_H
#define SQL_SHOW_INT_H

#include "sql/ddl_int.h"

skep_status show_new(skep_session *s, skep_result **out, skep_err *err, uint32_t n, const char *const *names);
/* Rows of 1, 2, 3 cells; NULL is NULL. */
skep_status show_row1(skep_result *r, skep_err *err, const char *a);
skep_status show_row2(skep_result *r, skep_err *err, const char *a, const char *b);
skep_status show_row3(skep_result *r, skep_err *err, const char *a, const char *b, const char *c);
/* Blanks behind a text up to 20 characters; longer ones stay. In the session's arena. */
const char *show_pad(skep_session *s, const char *text);
/* One row of one cell for each line. */
skep_status show_lines(skep_session *s, skep_result *r, const char *text, skep_err *err);

/* show_create.c */
skep_status show_create_table(skep_session *s, const skep_show *show, skep_result **out, skep_err *err);
skep_status show_create_database(skep_session *s, const skep_show *show, skep_result **out, skep_err *err);
/* show_extended.c */
skep_status show_table_extended(skep_session *s, const skep_show *show, skep_result **out, skep_err *err);
skep_status show_functions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err);
/* show_txn.c */
skep_status show_transactions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err);
skep_status show_locks(skep_session *s, const skep_show *show, skep_result **out, skep_err *err);

/* Name of a constraint's column, partition keys behind the others. */
const char *show_column(const skep_catalog_table *t, int32_t at);
/* Whether SerDe properties are shown: what full-ACID tables have is hidden. Seen in 4.0.1. */
const skep_catalog_params *show_serde_params(const skep_catalog_table *t);

#endif

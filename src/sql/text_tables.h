/* Tables that are no ORC: what the catalog says of a table as table/text_format.h wants it. */
#ifndef SQL_TEXT_TABLES_H
#define SQL_TEXT_TABLES_H

#include "catalog/catalog.h"
#include "sql/session_int.h"
#include "table/text_format.h"

/* *out is NULL for ORC tables. SKEP_ERR_UNSUPPORTED names the table and what of its format is not known. In the
 * session's arena. */
SKEP_NODISCARD skep_status skep_text_table(skep_session *s, const skep_catalog_table *t, const skep_text_format **out,
                                           skep_err *err);

/* A table's properties for table/write.h and text_format.h: params->n of them, in the session's arena. */
SKEP_NODISCARD skep_status skep_table_properties(skep_session *s, const skep_catalog_params *params,
                                                 const skep_property **out, skep_err *err);

#endif

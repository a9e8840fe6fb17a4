/* Views: a query's text in the metastore. */
#ifndef SQL_VIEWS_H
#define SQL_VIEWS_H

#include "bind/bind.h"
#include "catalog/catalog.h"
#include "sql/session_int.h"

/* What the binder gets for a view: its parsed text, in the session's arena. */
SKEP_NODISCARD skep_status skep_view_bind(skep_session *s, const skep_catalog_table *view, skep_bind_table *out,
                                          skep_err *err);

#endif

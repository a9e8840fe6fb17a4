/* Pieces of UPDATE that MERGE uses too, and TRUNCATE for DELETE without WHERE. */
#ifndef SQL_UPDATE_H
#define SQL_UPDATE_H

#include "sql/target.h"

/* Refuses tables whose rows cannot be changed, with Hive's error. */
SKEP_NODISCARD skep_status skep_update_check_table(const skep_catalog_table *table, skep_err *err);

/* The new row: items[target->row->n_children] get the assigned value, or the old one of `alias`. */
SKEP_NODISCARD skep_status skep_update_image(const skep_target *target, skep_life *life, const char *alias,
                                             const skep_assignment_list *set, skep_select_item *items, skep_err *err);

/* ORDER BY alias.ROW__ID, NULLs last: three items. */
SKEP_NODISCARD skep_status skep_update_row_order(skep_life *life, const char *alias, skep_order_item *order,
                                                 skep_err *err);

/* A statement of its own. is_delete: it was DELETE FROM t. */
SKEP_NODISCARD skep_status skep_truncate_table(skep_session *session, const skep_truncate *truncate, bool is_delete,
                                               skep_err *err);

#endif

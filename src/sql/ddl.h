/* Statements that change the catalog: CREATE, DROP and ALTER of databases and tables, ANALYZE. What other statements
 * need of it: a table described by CREATE TABLE ... AS, and errors in Hive's words.
 *
 * A statement that fails leaves catalog and directories as they were. What Hive calls transactional DDL (ALTER TABLE
 * ADD COLUMNS, ...) uses up a write id of the table, also when it fails after it was compiled: seen in 4.0.1. */
#ifndef SQL_DDL_H
#define SQL_DDL_H

#include "sql/session_int.h"

/* The table that a CREATE TABLE statement describes, checked as Hive's compiler and metastore check it, with formats,
 * properties, constraints and location, not stored. Call it inside a database transaction.
 *
 * columns   of a CREATE TABLE ... AS: the query's names and types (struct), without regard to PARTITIONED BY (a, b),
 * whose columns are moved out of it to the partition keys; NULL: the statement's own out       lives in session->arena;
 * NULL (and SKEP_OK) when the table exists and IF NOT EXISTS was said */
SKEP_NODISCARD skep_status skep_ddl_new_table(skep_session *session, const skep_statement *statement,
                                              const skep_type *columns, skep_catalog_table **out, skep_err *err);

/* Stores it and makes its directory (there already is fine). For the commit of a CREATE TABLE ... AS: inside the
 * database transaction. The rows go to table->location, which is known before. */
SKEP_NODISCARD skep_status skep_ddl_store_table(skep_session *session, skep_catalog_table *table, skep_err *err);

/* Whether its location, chosen when the statement began, is still free. For the same commit, before it is stored.
 * SKEP_ERR_BUSY, SKEP_ERR_SEMANTIC: no. */
SKEP_NODISCARD skep_status skep_ddl_check_place(skep_session *session, const skep_catalog_table *table, skep_err *err);

#endif

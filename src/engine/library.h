/* The functions of libduckdb that are used, as a table of pointers: the library is opened with dlopen, so that programs
 * which run no query never touch it, and so that it may be missing. For this folder only.
 *
 * The table is the one thing here that belongs to the process: it is filled once, under a lock, and never changes
 * again, as the dynamic linker's own tables. (DuckDB calls our functions back with nothing but its own handles, so
 * there is nowhere else for it to be.) */
#ifndef ENGINE_LIBRARY_H
#define ENGINE_LIBRARY_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* "()" where "(void)" is meant */
#include <duckdb.h>
#pragma GCC diagnostic pop

#include "base/ctx.h"

/* One list: name without "duckdb_". */
/* clang-format off */
#define SKEP_DUCKDB_FUNCTIONS(X) \
  X(library_version) X(vector_size) X(free) X(create_config) X(set_config) X(destroy_config) X(open_ext) X(close) \
  X(connect) X(disconnect) X(interrupt) X(query) X(prepare) X(prepare_error) X(destroy_prepare) X(nparams) \
  X(pending_prepared_streaming) X(pending_error) X(pending_execute_task) X(pending_execution_is_finished) \
  X(execute_pending) X(destroy_pending) X(result_error) X(result_error_type) X(destroy_result) X(fetch_chunk) \
  X(rows_changed) X(column_count) X(column_logical_type) X(create_logical_type) X(create_list_type) \
  X(create_map_type) X(create_struct_type) X(create_decimal_type) X(destroy_logical_type) X(get_type_id) \
  X(decimal_width) X(decimal_scale) X(list_type_child_type) X(map_type_key_type) X(map_type_value_type) \
  X(struct_type_child_count) X(struct_type_child_name) X(struct_type_child_type) X(destroy_data_chunk) \
  X(data_chunk_get_column_count) X(data_chunk_get_vector) X(data_chunk_get_size) X(data_chunk_set_size) \
  X(vector_get_column_type) X(vector_get_data) X(vector_get_validity) X(vector_ensure_validity_writable) \
  X(vector_assign_string_element_len) X(list_vector_get_child) X(list_vector_get_size) X(list_vector_set_size) \
  X(list_vector_reserve) X(struct_vector_get_child) X(create_scalar_function) X(destroy_scalar_function) \
  X(scalar_function_set_name) X(scalar_function_set_varargs) X(scalar_function_set_special_handling) \
  X(scalar_function_set_volatile) X(scalar_function_add_parameter) X(scalar_function_set_return_type) \
  X(scalar_function_set_extra_info) X(scalar_function_set_function) X(register_scalar_function) \
  X(scalar_function_get_extra_info) X(scalar_function_set_error) X(create_scalar_function_set) \
  X(destroy_scalar_function_set) X(add_scalar_function_to_set) X(register_scalar_function_set) \
  X(create_aggregate_function) X(destroy_aggregate_function) X(aggregate_function_set_name) \
  X(aggregate_function_add_parameter) X(aggregate_function_set_return_type) X(aggregate_function_set_functions) \
  X(aggregate_function_set_destructor) X(register_aggregate_function) X(aggregate_function_set_special_handling) \
  X(aggregate_function_set_extra_info) X(aggregate_function_get_extra_info) X(aggregate_function_set_error) \
  X(create_table_function) X(destroy_table_function) X(table_function_set_name) X(table_function_add_parameter) \
  X(table_function_set_extra_info) X(table_function_set_bind) X(table_function_set_init) \
  X(table_function_set_local_init) X(table_function_set_function) X(table_function_supports_projection_pushdown) \
  X(register_table_function) X(bind_get_extra_info) X(bind_add_result_column) X(bind_get_parameter) \
  X(bind_set_bind_data) X(bind_set_cardinality) X(bind_set_error) X(init_get_bind_data) X(init_set_init_data) \
  X(init_get_column_count) X(init_get_column_index) X(init_set_max_threads) X(init_set_error) X(init_get_extra_info) \
  X(function_get_bind_data) X(function_get_init_data) X(function_get_local_init_data) X(function_set_error) \
  X(get_int64) X(destroy_value)
/* clang-format on */

typedef struct skep_duckdb_api {
#define SKEP_DUCKDB_POINTER(name) __typeof__(duckdb_##name) *name;
  SKEP_DUCKDB_FUNCTIONS(SKEP_DUCKDB_POINTER)
#undef SKEP_DUCKDB_POINTER
} skep_duckdb_api;

/* Valid after the first skep_duckdb_load that succeeded. */
extern skep_duckdb_api skep_duck;

/* Opens the library once in a process. path: the one to open; NULL: $SKEP_DUCKDB, beside the program's own libraries,
 * where it was built with, then the system's. SKEP_ERR_NOT_FOUND tells what was tried; SKEP_ERR_UNSUPPORTED: its
 * version is not that of the header. Thread-safe; a failure is tried again by the next call. */
SKEP_NODISCARD skep_status skep_duckdb_load(const char *path, skep_err *err);

#endif

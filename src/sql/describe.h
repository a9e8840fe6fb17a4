/* DESCRIBE DATABASE, TABLE, PARTITION, column: Hive's texts, see describe.c. */
#ifndef SQL_DESCRIBE_H
#define SQL_DESCRIBE_H

#include "base/buf.h"
#include "catalog/catalog.h"

/* A map as Java prints a HashMap of these strings: "{a=1, b=2}", in the order of its hash table. Thrift reads a map of
 * n entries into a HashMap of capacity 2 n. */
void skep_describe_java_map(const skep_catalog_params *params, skep_buf *out);

#endif

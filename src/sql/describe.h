/* DESCRIBE DATABASE, TABLE, PARTITION, column: Hive's texts, see describe.c. */
#ifndef SQL_DESCRIBE_H
#define SQL_DESCRIBE_H

#include "base/buf.h"
#include "catalog/catalog.h"

/* A map as Java prints a HashMap of these strings: "{a=1, b=2}", in the order of its hash table, whose capacity is
 * the power of two from n / 0.75 + 1 on: that of a HashMap made of another map. */
void skep_describe_java_map(const skep_catalog_params *params, skep_buf *out);

#endif

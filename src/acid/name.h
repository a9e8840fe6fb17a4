/* Names in a transactional table: directories, data files, side files, bucket property, partition directories.
 *
 * Source: Hive AcidUtils, BucketCodec, FileUtils (Hive 3.1 and 4.0). Parsing is pure: no file is touched. */
#ifndef ACID_NAME_H
#define ACID_NAME_H

#include "base/buf.h"

typedef enum skep_dir_kind { SKEP_DIR_BASE, SKEP_DIR_DELTA, SKEP_DIR_DELETE_DELTA, SKEP_DIR_OTHER } skep_dir_kind;

#define SKEP_FLUSH_LENGTH_SUFFIX "_flush_length"

/* base_W[_vT], delta_X_Y[_S][_vT], delete_delta_X_Y[_S][_vT]. */
typedef struct skep_dir_name {
  skep_dir_kind kind;
  int64_t min_write_id, max_write_id; /* base: min = max = W; W may be -2^63 */
  int32_t statement;                  /* -1: none in the name */
  int64_t visibility_txn;             /* 0: no _v suffix */
} skep_dir_name;

/* SKEP_DIR_OTHER for a name without one of the prefixes; SKEP_ERR_CORRUPT for a prefix followed by something that is no
 * such name (never taken for an ordinary directory). Widths of numbers are not checked. */
SKEP_NODISCARD skep_status skep_dir_name_parse(const char *name, skep_dir_name *out, skep_err *err);
void skep_dir_name_print(const skep_dir_name *name, skep_buf *out); /* canonical widths */

typedef enum skep_file_kind {
  SKEP_DATA_BUCKET,       /* bucket_N[_attempt] */
  SKEP_DATA_ORIGINAL,     /* N_A or N_A_copy_C */
  SKEP_FILE_FLUSH_LENGTH, /* ..._flush_length */
  SKEP_FILE_ACID_VERSION, /* _orc_acid_version */
  SKEP_FILE_METADATA,     /* _metadata_acid */
  SKEP_FILE_HIDDEN,       /* other names that start with '_' or '.' */
  SKEP_FILE_UNKNOWN /* anything else: a data file in plain and insert-only tables (LOAD keeps names), reported in full
                       ACID ones */
} skep_file_kind;

typedef struct skep_file_name {
  skep_file_kind kind;
  int64_t bucket;  /* from the name; -1 when it has none */
  int64_t attempt; /* bucket_N_A; -1: none */
  int64_t copy;    /* _copy_C; 0: none */
} skep_file_name;
void skep_file_name_parse(const char *name, skep_file_name *out);

/* The bucket property: version 0 = the plain bucket number (Hive before 3), version 1 = coded. */
typedef struct skep_bucket {
  int version;
  int32_t writer;    /* writer id (bucket number) */
  int32_t statement; /* 0 for version 0 */
} skep_bucket;
bool skep_bucket_decode(int32_t property, skep_bucket *out);   /* false: version above 1 */
int32_t skep_bucket_encode(int32_t writer, int32_t statement); /* version 1; both 0..4095 */

/* One partition directory component "name=value": both unescaped and appended to the buffers. False when there is no
 * '=' or nothing before it. A value may hold any byte, NUL included. */
bool skep_partition_component_parse(const char *component, skep_buf *name, skep_buf *value);
/* Appends a name or value as Hive writes it into a path; empty becomes the default partition. */
void skep_partition_escape(const char *chars, size_t length, skep_buf *out);
#define SKEP_DEFAULT_PARTITION "__HIVE_DEFAULT_PARTITION__"

#endif

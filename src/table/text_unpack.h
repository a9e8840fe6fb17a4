/* Compressed text files as a whole. Inside table only; see text_lines.h. */
#ifndef TABLE_TEXT_UNPACK_H
#define TABLE_TEXT_UNPACK_H

#include "io/fs.h"

typedef enum skep_text_packed {
  SKEP_TEXT_PLAIN,
  SKEP_TEXT_GZIP,    /* .gz */
  SKEP_TEXT_DEFLATE, /* .deflate: a zlib stream, Hadoop's DefaultCodec */
  SKEP_TEXT_ZSTD,    /* .zst */
  SKEP_TEXT_SNAPPY,  /* .snappy: Hadoop's blocks */
  SKEP_TEXT_REFUSED  /* .bz2, .lz4, .lzo */
} skep_text_packed;

skep_text_packed skep_text_packing(const char *path);

/* The file's content, the caller's to release. */
SKEP_NODISCARD skep_status skep_text_unpack(const skep_ctx *ctx, skep_fs *fs, const char *path, uint8_t **out,
                                            size_t *size, skep_err *err);

#endif

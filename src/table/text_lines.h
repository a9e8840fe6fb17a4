/* Lines of a text file, or of a range of one, compressed or not.
 *
 * A line ends with LF, CR or CR LF, the last one also with the file. Of ranges [start, end) of one file each line
 * belongs to one: to the range in which the byte before it lies (the first line to the first range).
 *
 * Compressed files are known by their names, as Hadoop's codecs are: .gz, .deflate, .zst, .snappy; they have one range
 * and are decompressed as a whole, up to 1 GiB. .bz2, .lz4, .lzo are refused by name.
 *
 * Source: Hadoop 3.3 LineRecordReader, LineReader, BlockDecompressorStream; Hive's skip.header.line.count and
 * skip.footer.line.count. */
#ifndef TABLE_TEXT_LINES_H
#define TABLE_TEXT_LINES_H

#include "base/bytes.h"
#include "io/fs.h"

typedef struct skep_lines_opts {
  uint64_t start, end;   /* end UINT64_MAX: to the end of the file */
  uint32_t header_lines; /* of the file: passed over by the range that starts at 0 */
  uint32_t footer_lines; /* needs a range to the end of the file that starts at 0; at most 100 */
} skep_lines_opts;

typedef struct skep_lines skep_lines;

/* May the file be cut into ranges? */
bool skep_lines_can_cut(const char *path);

SKEP_NODISCARD skep_status skep_lines_open(const skep_ctx *ctx, skep_fs *fs, const char *path,
                                           const skep_lines_opts *opts, skep_lines **out, skep_err *err);
/* The next 1..max lines, without their ends; they stay until the next call. SKEP_END after the last; SKEP_ERR_LIMIT for
 * a line longer than limits.max_value_bytes. */
SKEP_NODISCARD skep_status skep_lines_next(skep_lines *lines, int64_t max, skep_bytes *out, int64_t *n, skep_err *err);
void skep_lines_close(skep_lines *lines); /* accepts NULL */

#endif

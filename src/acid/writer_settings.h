/* Table properties -> how files of a table are written. Computed once a statement, then shared read-only.
 *
 * Source: Hive OrcFile.WriterOptions and OrcRecordUpdater: table properties "orc.*" go first, "hive.exec.orc.*" are
 * their defaults; delta files get an eighth of the buffer and the stripe (hive.exec.orc.base.delta.ratio), and no
 * block padding; delete deltas and bases the plain settings. */
#ifndef ACID_WRITER_SETTINGS_H
#define ACID_WRITER_SETTINGS_H

#include "base/arena.h"
#include "orc/writer.h"

typedef struct skep_property {
  const char *key, *value;
} skep_property;

typedef struct skep_writer_settings {
  skep_orc_writer_opts plain; /* bases, delete deltas, insert-only and plain tables; bloom columns as in the table */
  skep_orc_writer_opts delta; /* insert deltas */
  /* The bloom columns of the plain settings with "row." in front: for event files. */
  const char *const *event_blooms;
} skep_writer_settings;

/* row: the table's columns. Names and values of properties as the metastore has them; those that are no "orc.*" are
 * passed over. SKEP_ERR_ARGUMENT names a value that is none; SKEP_ERR_UNSUPPORTED a codec we do not write (LZO, BROTLI)
 * or encryption. Bloom columns that the table does not have are passed over, as ORC does. */
SKEP_NODISCARD skep_status skep_writer_settings_make(skep_arena *arena, const skep_type *row,
                                                     const skep_property *properties, uint32_t n_properties,
                                                     skep_writer_settings *out, skep_err *err);

/* The compression block of a file with so many ORC columns (root included). */
uint32_t skep_writer_block_size(const skep_orc_writer_opts *opts, uint32_t n_columns);

#endif

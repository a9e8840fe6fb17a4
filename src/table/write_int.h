/* The table writer's parts: write.c (life), write_route.c (rows to partitions), write_place.c (plain files into place).
 * Inside table only. */
#ifndef TABLE_WRITE_INT_H
#define TABLE_WRITE_INT_H

#include "table/write.h"

/* Byte strings to numbers: open addressing; the strings are in the arena. */
typedef struct skep_key_map {
  uint32_t *slots; /* entry + 1; 0 is free */
  size_t n_slots;  /* a power of two, or 0 */
  struct skep_key_entry {
    const uint8_t *bytes;
    size_t size;
    uint64_t hash;
    uint32_t value;
  } * entries;
  size_t n_entries, entries_capacity;
} skep_key_map;

typedef struct skep_write_target {
  skep_written_partition out;
  skep_delta_writer *writer; /* NULL: no row yet */
  const char *staging;       /* PLAIN: where its files are until they are placed; else NULL */
  const skep_commit_message *message;
  bool is_placed;
  skep_buf placed; /* PLAIN: names of its files in `location`, in the message's order, each with its NUL */
} skep_write_target;

struct skep_table_write {
  const skep_ctx *ctx;
  skep_fs *fs;
  skep_table_write_opts opts;
  skep_arena arena;
  skep_writer_settings settings;
  skep_write_budget own_budget; /* when nobody lent one */
  uint32_t n_keys;              /* partition keys */
  uint32_t n_dynamic;           /* of them dynamic */
  uint32_t *dynamic;            /* which: position among the keys */
  skep_delta_writer_opts delta;
  bool is_done;
  uint64_t n_rows;
  uint32_t writer; /* writer id of the rows that come */

  skep_write_target **targets; /* by number, which is the order in which they were met */
  uint32_t n_targets;
  size_t targets_capacity;
  skep_key_map by_name;  /* partition name -> target */
  skep_key_map by_place; /* directory -> target: the second to open a directory of this write would clear it */
  skep_key_map by_key;   /* values of the dynamic keys, as bytes -> target: no text is made for what was met before */
  const skep_written_partition *list; /* after _finish */

  /* of the batch at hand */
  uint32_t *route; /* row -> target */
  bool *changed;   /* the dynamic keys differ from those of the row before */
  int32_t *order;  /* rows, target by target */
  size_t batch_capacity;
  int64_t *ends; /* by target */
  size_t ends_capacity;
  skep_buf key, text, name; /* scratch */
};

/* The value of a key, or UINT32_MAX. */
uint32_t skep_key_map_find(const skep_key_map *map, const void *bytes, size_t size);
SKEP_NODISCARD skep_status skep_key_map_add(skep_table_write *w, skep_key_map *map, const void *bytes, size_t size,
                                            uint32_t value, skep_err *err);
void skep_key_map_fini(const skep_ctx *ctx, skep_key_map *map);

/* Fills w->route for the n rows of the dynamic keys' columns. *only: the target of all rows, or UINT32_MAX. */
SKEP_NODISCARD skep_status skep_write_route(skep_table_write *w, const skep_vec *keys, int64_t n, uint32_t *only,
                                            skep_err *err);
/* Groups the rows of w->route: w->order, w->ends. */
SKEP_NODISCARD skep_status skep_write_group(skep_table_write *w, int64_t n, skep_err *err);
/* The one target where no key is dynamic, made when it is new. */
SKEP_NODISCARD skep_status skep_write_static_target(skep_table_write *w, uint32_t *target, skep_err *err);

/* PLAIN: a name for a staging directory below the target's location. */
SKEP_NODISCARD skep_status skep_write_stage(skep_table_write *w, skep_write_target *target, skep_err *err);
/* Moves the staged files into place, for OVERWRITE after what was there went into the staging directory. */
SKEP_NODISCARD skep_status skep_write_place(skep_table_write *w, skep_write_target *target, skep_err *err);
/* Takes that back; false: something stays. */
bool skep_write_unplace(skep_table_write *w, skep_write_target *target);
/* The staging directory goes, and what was overwritten with it. */
void skep_write_settle(skep_table_write *w, skep_write_target *target);

#endif

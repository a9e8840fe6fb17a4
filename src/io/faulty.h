/* A file system that fails on request, over another one: for tests. */
#ifndef IO_FAULTY_H
#define IO_FAULTY_H

#include "io/fs.h"

/* Does not own `below`, which must outlive it. */
SKEP_NODISCARD skep_status skep_fs_faulty_new(const skep_ctx *ctx, skep_fs *below, skep_fs **out, skep_err *err);

/* The nth call from now on (1 = the next one, over all methods of the file system and its files, close excepted) fails
 * with SKEP_ERR_IO; 0 switches failing off. `sticky`: every later call fails too. */
void skep_fs_faulty_fail_nth(skep_fs *fs, uint64_t nth, bool sticky);

/* The nth call that changes something (create, append, sync, mkdirs, rename_new, remove, sync_dir; 1 = the next one)
 * ends the process with _exit(SKEP_FS_FAULT_CODE) instead, an append after half of its bytes; 0 switches that off. For
 * crash tests in forked children. */
enum { SKEP_FS_FAULT_CODE = 87 };
void skep_fs_faulty_stop_nth(skep_fs *fs, uint64_t nth);

/* Counts since creation: for tests that bound the work of a plan or a scan. */
typedef struct skep_fs_counts {
  uint64_t calls, opens, reads, read_bytes, lists, changes;
} skep_fs_counts;
skep_fs_counts skep_fs_faulty_counts(const skep_fs *fs);

#endif

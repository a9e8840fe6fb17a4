/* Commit messages as bytes: "SKCM", version 1, then numbers as base-128 varints (signed ones zigzag) and strings as
 * length and bytes. */
#include <string.h>

#include "acid/delta_writer.h"

static const uint8_t magic[] = {'S', 'K', 'C', 'M', 1};
enum { MAX_FILES = 4096 };

/* ---- out ---- */

static void put_number(skep_buf *out, uint64_t v) {
  for (; v >= 128; v >>= 7) skep_buf_byte(out, (uint8_t)(v | 0x80));
  skep_buf_byte(out, (uint8_t)v);
}

static void put_text(skep_buf *out, const char *text) {
  size_t n = strlen(text);
  put_number(out, n);
  skep_buf_add(out, text, n);
}

void skep_commit_message_encode(const skep_commit_message *m, skep_buf *out) {
  skep_buf_add(out, magic, sizeof magic);
  put_number(out, (uint64_t)m->kind);
  put_number(out, skep_zigzag(m->write_id));
  put_number(out, skep_zigzag(m->statement));
  put_text(out, m->root);
  put_text(out, m->directory);
  put_number(out, m->n_files);
  for (uint32_t i = 0; i < m->n_files; i++) {
    put_text(out, m->files[i].name);
    put_number(out, skep_zigzag(m->files[i].bucket));
    put_number(out, m->files[i].n_rows);
    put_number(out, m->files[i].size_bytes);
  }
}

/* ---- in ---- */

static skep_status damaged(skep_err *err, const char *field) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "commit message: %s", field);
}

static bool get_signed(skep_bytes *in, int64_t least, int64_t most, int64_t *out) {
  uint64_t raw;
  if (!skep_bytes_uvarint(in, &raw)) return false;
  *out = skep_unzigzag(raw);
  return *out >= least && *out <= most;
}

static bool get_text(skep_arena *arena, skep_bytes *in, const char **out) {
  uint64_t length;
  skep_bytes text;
  if (!skep_bytes_uvarint(in, &length) || length > in->left || !skep_bytes_take(in, (size_t)length, &text))
    return false;
  if (length != 0 && memchr(text.at, '\0', text.left) != NULL) return false;
  *out = skep_arena_strndup(arena, length == 0 ? "" : (const char *)text.at, text.left);
  return *out != NULL;
}

/* A name in a directory: it leads nowhere else. */
static bool is_plain_name(const char *name) {
  return strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static skep_status get_file(skep_arena *arena, skep_bytes *in, skep_commit_file *out, skep_err *err) {
  int64_t bucket;
  if (!get_text(arena, in, &out->name) || out->name[0] == '\0' || !is_plain_name(out->name))
    return damaged(err, "name of a file");
  if (!get_signed(in, 0, 4095, &bucket)) return damaged(err, "bucket of a file");
  out->bucket = (int32_t)bucket;
  if (!skep_bytes_uvarint(in, &out->n_rows)) return damaged(err, "rows of a file");
  if (!skep_bytes_uvarint(in, &out->size_bytes)) return damaged(err, "size of a file");
  return SKEP_OK;
}

static skep_status get_files(skep_arena *arena, skep_bytes *in, skep_commit_message *out, skep_err *err) {
  uint64_t n;
  if (!skep_bytes_uvarint(in, &n) || n > MAX_FILES || n > in->left) return damaged(err, "number of files");
  skep_commit_file *files = skep_arena_zero(arena, (size_t)n + 1, sizeof *files);
  if (files == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "commit message of %u files", (unsigned)n);
  out->files = files;
  for (; out->n_files < n; out->n_files++) {
    skep_commit_file *file = &files[out->n_files];
    SKEP_TRY(get_file(arena, in, file, err));
    if (__builtin_add_overflow(out->n_rows, file->n_rows, &out->n_rows) ||
        __builtin_add_overflow(out->n_bytes, file->size_bytes, &out->n_bytes))
      return damaged(err, "sum of sizes");
  }
  return SKEP_OK;
}

skep_status skep_commit_message_decode(skep_arena *arena, skep_bytes in, skep_commit_message *out, skep_err *err) {
  skep_bytes head;
  uint64_t kind;
  int64_t statement;
  *out = (skep_commit_message){.root = "", .directory = ""};
  if (!skep_bytes_take(&in, sizeof magic, &head) || memcmp(head.at, magic, sizeof magic) != 0)
    return damaged(err, "no such message");
  if (!skep_bytes_uvarint(&in, &kind) || kind > SKEP_DELTA_PLAIN) return damaged(err, "kind");
  out->kind = (skep_delta_kind)kind;
  if (!get_signed(&in, 0, INT64_MAX, &out->write_id)) return damaged(err, "write id");
  if (!get_signed(&in, 0, 4095, &statement)) return damaged(err, "statement id");
  out->statement = (int32_t)statement;
  if (!get_text(arena, &in, &out->root)) return damaged(err, "root");
  if (!get_text(arena, &in, &out->directory) || !is_plain_name(out->directory)) return damaged(err, "directory");
  SKEP_TRY(get_files(arena, &in, out, err));
  return in.left == 0 ? SKEP_OK : damaged(err, "bytes behind the end");
}

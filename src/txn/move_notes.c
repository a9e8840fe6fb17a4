/* Notes about renames: see move_notes.h. */
#include "txn/move_notes.h"

#include <string.h>

#include "base/buf.h"
#include "txn/txn_int.h"

enum { PIECE = 200, MAX_NOTE = 1 << 20 };

static skep_status insert_piece(skep_db *db, int64_t number, const char *at, size_t length, bool last, skep_err *err) {
  char piece[PIECE + 1];
  piece[0] = last ? '.' : '+';
  memcpy(piece + 1, at, length);
  return skep_db_run(db,
                     "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\", \"MT_COMMENT\") VALUES ('skep.move', ?, ?)",
                     SKEP_PARAMS(skep_p_i64(number), skep_p_textn(piece, length + 1)), NULL, err);
}

/* Pieces end between characters of UTF-8. */
static skep_status insert_note(skep_db *db, const char *note, size_t length, int64_t *number, skep_err *err) {
  while (length > 0) {
    size_t n = length < PIECE ? length : PIECE;
    while (n < length && n > 1 && ((uint8_t)note[n] & 0xc0) == 0x80) n--;
    SKEP_TRY(insert_piece(db, (*number)++, note, n, n == length, err));
    note += n;
    length -= n;
  }
  return SKEP_OK;
}

skep_status skep_txn_moves_add(skep_db *db, skep_arena *arena, const skep_txn_move *moves, size_t n, int64_t *first,
                               int64_t *n_rows, skep_err *err) {
  int64_t last, number;
  SKEP_TRY(skep_db_get_i64(db, "SELECT max(\"MT_KEY2\") FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.move'",
                           SKEP_NO_PARAMS, &last, NULL, err));
  *first = number = last + 1;
  for (size_t i = 0; i < n; i++) {
    size_t from = strlen(moves[i].from), to = strlen(moves[i].to);
    if (memchr(moves[i].from, '\n', from) != NULL)
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "a directory with a line end in its name cannot be renamed");
    char *note = skep_arena_alloc(arena, from + to + 1);
    if (note == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "renaming directories");
    memcpy(note, moves[i].from, from);
    note[from] = '\n';
    memcpy(note + from + 1, moves[i].to, to);
    SKEP_TRY(insert_note(db, note, from + 1 + to, &number, err));
  }
  *n_rows = number - *first;
  return SKEP_OK;
}

skep_status skep_txn_moves_delete(skep_db *db, int64_t first, int64_t n_rows, int64_t *n_deleted, skep_err *err) {
  return skep_db_run(
      db, "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.move' AND \"MT_KEY2\" >= ? AND \"MT_KEY2\" < ?",
      SKEP_PARAMS(skep_p_i64(first), skep_p_i64(first + n_rows)), n_deleted, err);
}

typedef struct reading {
  skep_arena *arena;
  skep_txn_move *items;
  size_t n, capacity;
  skep_buf note; /* the pieces so far */
} reading;

static skep_status take_note(reading *r, skep_err *err) {
  void *items = r->items;
  const char *text = skep_buf_string(&r->note), *line = strchr(text, '\n');
  if (line == NULL) return SKEP_OK; /* none of ours */
  SKEP_TRY(skep_arena_grow(r->arena, &items, &r->capacity, r->n + 1, sizeof *r->items, err));
  r->items = items;
  skep_txn_move *move = &r->items[r->n++];
  move->from = skep_arena_strndup(r->arena, text, (size_t)(line - text));
  move->to = skep_arena_strndup(r->arena, line + 1, strlen(line + 1));
  return move->from != NULL && move->to != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "renaming directories");
}

static skep_status take_piece(reading *r, const char *piece, skep_err *err) {
  bool whole = piece[0] == '/';
  if (!whole && piece[0] != '+' && piece[0] != '.') return SKEP_OK;
  skep_buf_text(&r->note, whole ? piece : piece + 1);
  SKEP_TRY(skep_buf_check(&r->note, "a note about a rename", err));
  if (piece[0] == '+') return SKEP_OK;
  skep_status status = take_note(r, err);
  skep_buf_reset(&r->note);
  return status;
}

static skep_status read_pieces(reading *r, skep_db *db, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(
      skep_db_query(db, "SELECT \"MT_COMMENT\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.move' ORDER BY \"MT_KEY2\"",
                    SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char *piece = skep_stmt_text(stmt, 0, NULL);
    if (piece != NULL && (status = take_piece(r, piece, err)) != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_txn_moves_list(skep_db *db, skep_arena *arena, skep_txn_move **out, size_t *n, skep_err *err) {
  reading r = {.arena = arena};
  skep_buf_init(&r.note, arena->ctx, MAX_NOTE);
  skep_status status = read_pieces(&r, db, err);
  skep_buf_fini(&r.note);
  for (size_t i = 0; i < r.n / 2; i++) {
    skep_txn_move swap = r.items[i];
    r.items[i] = r.items[r.n - 1 - i];
    r.items[r.n - 1 - i] = swap;
  }
  *out = r.items;
  *n = status == SKEP_OK ? r.n : 0;
  return status;
}

skep_status skep_txn_moves_clear(skep_db *db, skep_err *err) {
  return skep_db_run(db, "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.move'", SKEP_NO_PARAMS, NULL, err);
}

/* See stripe_copy.h. */
#include "orc/stripe_copy.h"

#include "orc/reader.h"
#include "orc/stats_carry.h"
#include "orc/stripe.h"
#include "orc/writer_int.h"

static bool has_times(const skep_type *type) {
  if (type->kind == SKEP_DATE || type->kind == SKEP_TIMESTAMP || type->kind == SKEP_TIMESTAMP_TZ) return true;
  for (uint32_t i = 0; i < type->n_children; i++)
    if (has_times(type->children[i])) return true;
  return false;
}

const char *skep_orc_copy_obstacle(const skep_orc_writer *w, const skep_orc_tail *tail) {
  skep_orc_file_calendar calendar =
      w->opts.calendar == SKEP_CALENDAR_HYBRID ? SKEP_ORC_CALENDAR_HYBRID : SKEP_ORC_CALENDAR_PROLEPTIC;
  if (tail->version_major != 0 || tail->version_minor != 12) return "another version of the format";
  if (tail->writer != SKEP_ORC_WRITER_JAVA || tail->writer_version != SKEP_ORC_WRITER_VERSION) return "another writer";
  if (tail->codec != w->opts.codec) return "another codec";
  if (tail->codec != SKEP_ORC_NONE && tail->block_size > w->env.block_size) return "larger blocks";
  if (tail->row_index_stride != w->env.stride) return "row groups of another size";
  if (tail->stripe_stats == NULL) return "no statistics of stripes";
  if (!skep_type_equal(tail->type, w->type)) return "other columns";
  if (tail->calendar != calendar && has_times(tail->type)) return "another calendar";
  for (uint32_t i = 0; tail->is_encrypted != NULL && i <= tail->type->max_id; i++)
    if (tail->is_encrypted[i]) return "encrypted columns";
  return NULL;
}

/* ---- bloom filters ---- */

static uint32_t count_blooms(const skep_orc_wcolumn *c) {
  uint32_t n = c->bloom.words != NULL;
  for (uint32_t i = 0; i < c->n_children; i++) n += count_blooms(&c->children[i]);
  return n;
}

static const skep_orc_wcolumn *column_by_id(const skep_orc_wcolumn *c, uint32_t id) {
  while (c != NULL && c->type->id != id) {
    const skep_orc_wcolumn *next = NULL;
    for (uint32_t i = 0; i < c->n_children && next == NULL; i++)
      if (c->children[i].type->id <= id && id <= c->children[i].type->max_id) next = &c->children[i];
    c = next;
  }
  return c;
}

static skep_status has_blooms(const skep_orc_writer *w, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                              bool *out, skep_err *err) {
  skep_arena arena;
  skep_orc_stripe_info info;
  uint32_t found = 0, wanted = count_blooms(&w->root);
  skep_arena_init(&arena, w->ctx, SIZE_MAX);
  skep_status status = skep_orc_stripe_info_read(&arena, file, tail, stripe, &info, err);
  for (uint32_t i = 0; status == SKEP_OK && i < info.n_streams; i++) {
    if (info.streams[i].kind != SKEP_ORC_BLOOM_FILTER_UTF8) continue;
    const skep_orc_wcolumn *c = column_by_id(&w->root, info.streams[i].column);
    found += c != NULL && c->bloom.words != NULL;
  }
  *out = found == wanted;
  skep_arena_fini(&arena);
  return status;
}

skep_status skep_orc_may_copy_stripe(const skep_orc_writer *w, skep_file *file, const skep_orc_tail *tail,
                                     uint32_t stripe, bool *may, skep_err *err) {
  *may = false;
  if (tail->stripe_stats == NULL || stripe >= tail->n_stripes || tail->stripe_stats[stripe] == NULL) return SKEP_OK;
  if (tail->stripes[stripe].n_rows == 0) return SKEP_OK;
  for (uint32_t i = 0; i <= tail->type->max_id; i++)
    if (!skep_orc_stats_can_carry(&tail->stripe_stats[stripe][i])) return SKEP_OK;
  *may = true;
  if (count_blooms(&w->root) == 0) return SKEP_OK;
  return has_blooms(w, file, tail, stripe, may, err);
}

/* ---- copying ---- */

static skep_status copy_bytes(skep_orc_writer *w, skep_file *file, uint64_t offset, uint64_t length, void *room,
                              size_t room_bytes, skep_err *err) {
  while (length != 0) {
    size_t n = length < room_bytes ? (size_t)length : room_bytes;
    SKEP_TRY(skep_file_read_at(file, offset, room, n, err));
    SKEP_TRY(skep_orc_writer_append(w, room, n, err));
    offset += n;
    length -= n;
  }
  return SKEP_OK;
}

/* The stripe's statistics become those of a stripe that ended, and part of the file's. */
static skep_status carry_stats(skep_orc_wcolumn *c, const skep_orc_stats *stats, skep_err *err) {
  const skep_ctx *ctx = c->env->ctx;
  SKEP_TRY(skep_orc_tally_carry(ctx, &c->stripe, c->type, &stats[c->type->id], err));
  SKEP_TRY(skep_orc_tally_merge(ctx, &c->file, &c->stripe, c->type, err));
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(carry_stats(&c->children[i], stats, err));
  return SKEP_OK;
}

static skep_status copy_stripe(skep_orc_writer *w, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                               void *room, size_t room_bytes, skep_err *err) {
  const skep_orc_stripe *from = &tail->stripes[stripe];
  uint64_t length = from->index_length + from->data_length + from->footer_length;
  SKEP_TRY(skep_grow(w->ctx, (void **)&w->stripes, &w->stripes_capacity, w->n_stripes + 1, sizeof *w->stripes, err));
  SKEP_TRY(skep_orc_writer_pad(w, length, err));
  skep_orc_stripe s = *from;
  s.offset = w->length;
  s.first_row = w->n_rows;
  SKEP_TRY(copy_bytes(w, file, from->offset, length, room, room_bytes, err));
  SKEP_TRY(carry_stats(&w->root, tail->stripe_stats[stripe], err));
  SKEP_TRY(skep_orc_writer_put_stripe_stats(w, err));
  skep_orc_wcolumn_clear_stripe(&w->root);
  w->stripes[w->n_stripes++] = s;
  w->n_rows += s.n_rows;
  w->has_footer = false;
  return w->opts.on_stripe != NULL ? w->opts.on_stripe(w->opts.self, w->n_rows, err) : SKEP_OK;
}

skep_status skep_orc_writer_copy_stripe(skep_orc_writer *w, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                                        void *room, size_t room_bytes, skep_err *err) {
  const char *obstacle = skep_orc_copy_obstacle(w, tail);
  if (obstacle != NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "a stripe cannot be taken over: %s", obstacle);
  if (stripe >= tail->n_stripes || tail->stripe_stats[stripe] == NULL || room_bytes == 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "stripe %u of %u cannot be taken over", stripe, tail->n_stripes);
  SKEP_TRY(skep_orc_writer_end_stripe(w, err));
  return skep_orc_writer_keep(w, copy_stripe(w, file, tail, stripe, room, room_bytes, err), err);
}

/* Column readers: what all kinds share. Presence, streams, row index positions, dispatch. */
#include "orc/column.h"

#include <stdio.h>

#include "orc/spread.h"

/* ---- building ---- */

static const skep_orc_column_vtab *vtab_of(skep_kind kind) {
  switch (kind) {
    case SKEP_BOOLEAN:
      return &skep_orc_column_boolean;
    case SKEP_TINYINT:
      return &skep_orc_column_tinyint;
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      return &skep_orc_column_integer;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      return &skep_orc_column_float;
    case SKEP_DATE:
      return &skep_orc_column_date;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return &skep_orc_column_timestamp;
    case SKEP_DECIMAL:
      return &skep_orc_column_decimal;
    case SKEP_STRUCT:
      return &skep_orc_column_struct;
    case SKEP_LIST:
    case SKEP_MAP:
      return &skep_orc_column_list;
    case SKEP_UNION:
      return &skep_orc_column_union;
    default:
      return &skep_orc_column_string;
  }
}

static unsigned n_int_decoders(skep_kind kind) {
  switch (kind) {
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
    case SKEP_DATE:
    case SKEP_LIST:
    case SKEP_MAP:
      return 1;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
    case SKEP_DECIMAL:
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return 2;
    default:
      return 0;
  }
}

static skep_status build_decoders(skep_orc_column *c, skep_err *err) {
  for (unsigned i = 0; i < n_int_decoders(c->file->kind); i++) {
    c->ints[i] = skep_arena_zero(c->env->arena, 1, sizeof *c->ints[i]);
    if (c->ints[i] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "column reader");
  }
  const skep_orc_tail *tail = c->env->access->tail;
  c->own_scale = tail->is_decimal_without_precision[c->file->id];
  c->is_decimal64 = tail->version_major == 1 && c->file->kind == SKEP_DECIMAL && c->file->precision <= 18;
  /* A decimal column rescales by itself. */
  if (c->converts && c->file->kind == SKEP_DECIMAL && c->target->kind == SKEP_DECIMAL) c->converts = false;
  if (c->converts) return skep_vec_init(&c->from, c->env->ctx, c->file, &skep_orc_convert_forms, err);
  return SKEP_OK;
}

skep_status skep_orc_column_build(skep_orc_column_env *env, const skep_type *target, skep_orc_column *out,
                                  skep_err *err) {
  *out = (skep_orc_column){.env = env, .target = target};
  uint32_t id = env->mapping->file_column[target->id];
  if (id == SKEP_ORC_MISSING) return SKEP_OK;
  out->file = skep_type_by_id(env->access->tail->type, id);
  out->converts = env->mapping->converts[target->id];
  out->vt = vtab_of(out->file->kind);
  SKEP_TRY(build_decoders(out, err));
  if (!skep_kind_is_nested(target->kind) || target->n_children == 0) return SKEP_OK;
  out->children = skep_arena_zero(env->arena, target->n_children, sizeof *out->children);
  if (out->children == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "column readers");
  out->n_children = target->n_children;
  for (uint32_t i = 0; i < target->n_children; i++)
    SKEP_TRY(skep_orc_column_build(env, target->children[i], &out->children[i], err));
  return SKEP_OK;
}

void skep_orc_column_drop_dictionary(skep_orc_column *c) {
  skep_dict_unref(c->dict);
  skep_release(c->env->ctx, c->short_entries);
  c->dict = NULL;
  c->short_entries = NULL;
}

void skep_orc_column_free(skep_orc_column *c) {
  for (uint32_t i = 0; i < c->n_children; i++) skep_orc_column_free(&c->children[i]);
  for (int i = 0; i < SKEP_ORC_N_STREAMS; i++) skep_orc_stream_fini(&c->stream[i]);
  if (c->env == NULL) return;
  skep_vec_fini(&c->from);
  skep_orc_column_drop_dictionary(c);
  for (int i = 0; i < SKEP_ORC_N_SCRATCH; i++) skep_release(c->env->ctx, c->scratch[i]);
  *c = (skep_orc_column){0};
}

skep_status skep_orc_column_scratch(skep_orc_column *c, int which, size_t n, size_t width, void **out, skep_err *err) {
  size_t need = n * width + SKEP_VEC_SLACK; /* n is a batch's length: far from overflow */
  if (need > c->scratch_size[which]) {
    skep_release(c->env->ctx, c->scratch[which]);
    c->scratch_size[which] = 0;
    c->scratch[which] = skep_alloc(c->env->ctx, need);
    if (c->scratch[which] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu bytes for a batch", need);
    c->scratch_size[which] = need;
  }
  *out = c->scratch[which];
  return SKEP_OK;
}

/* ---- starting a stripe ---- */

static const char *role_name(const skep_orc_column *c, int role) {
  if (role == SKEP_ORC_STREAM_PRESENT) return "PRESENT";
  if (role == SKEP_ORC_STREAM_BLOB) return "DICTIONARY_DATA";
  if (role == SKEP_ORC_STREAM_FIRST) return c->file->kind == SKEP_LIST || c->file->kind == SKEP_MAP ? "LENGTH" : "DATA";
  return c->file->kind == SKEP_DECIMAL || c->file->kind == SKEP_TIMESTAMP || c->file->kind == SKEP_TIMESTAMP_TZ
             ? "SECONDARY"
             : "LENGTH";
}

/* Which stream kind plays a role for this column, or UINT32_MAX. */
static uint32_t kind_of_role(const skep_orc_column *c, int role) {
  switch (role) {
    case SKEP_ORC_STREAM_PRESENT:
      return SKEP_ORC_PRESENT;
    case SKEP_ORC_STREAM_FIRST:
      if (c->file->kind == SKEP_STRUCT) return UINT32_MAX;
      return c->file->kind == SKEP_LIST || c->file->kind == SKEP_MAP ? SKEP_ORC_LENGTH : SKEP_ORC_DATA;
    case SKEP_ORC_STREAM_SECOND:
      if (skep_kind_is_bytes(c->file->kind)) return SKEP_ORC_LENGTH;
      if (c->file->kind == SKEP_DECIMAL) return c->is_decimal64 ? UINT32_MAX : SKEP_ORC_SECONDARY;
      return c->file->kind == SKEP_TIMESTAMP || c->file->kind == SKEP_TIMESTAMP_TZ ? SKEP_ORC_SECONDARY : UINT32_MAX;
    default:
      return skep_kind_is_bytes(c->file->kind) && c->is_dictionary ? SKEP_ORC_DICTIONARY_DATA : UINT32_MAX;
  }
}

static skep_status open_stream(skep_orc_column *c, int role, skep_err *err) {
  uint32_t kind = kind_of_role(c, role), slot = 0;
  skep_orc_stream_info empty = {.offset = c->env->dir->stripe->offset};
  const skep_orc_stream_info *info = kind == UINT32_MAX ? NULL : skep_orc_stripe_stream(c->env->dir, c->file->id, kind);
  c->has_stream[role] = info != NULL;
  if (info == NULL) info = &empty;
  SKEP_TRY(skep_orc_stripe_source_add(c->env->source, info, &slot, err));
  if (c->stream[role].ctx != NULL)
    return skep_orc_stream_reopen(&c->stream[role], slot, info->offset, info->length, err);
  char what[48];
  (void)snprintf(what, sizeof what, "column %u %s", c->file->id, role_name(c, role));
  return skep_orc_stream_init(&c->stream[role], c->env->ctx, skep_orc_stripe_source_door(c->env->source), slot,
                              info->offset, info->length, c->env->access->codec,
                              (size_t)c->env->access->tail->block_size, what, err);
}

static skep_status read_encoding(skep_orc_column *c, skep_err *err) {
  const skep_orc_stripe_dir *dir = c->env->dir;
  if (c->file->id >= dir->n_encodings)
    return skep_fail(err, SKEP_ERR_CORRUPT, "column %u has no encoding", c->file->id);
  c->encoding = dir->info.encodings[c->file->id];
  c->v2 = c->encoding == SKEP_ORC_DIRECT_V2 || c->encoding == SKEP_ORC_DICTIONARY_V2;
  c->is_dictionary = c->encoding == SKEP_ORC_DICTIONARY || c->encoding == SKEP_ORC_DICTIONARY_V2;
  if (c->encoding > SKEP_ORC_DICTIONARY_V2)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "column %u has encoding %u", c->file->id, c->encoding);
  if (c->is_dictionary && !skep_kind_is_bytes(c->file->kind))
    return skep_fail(err, SKEP_ERR_CORRUPT, "column %u of type %s has encoding %s", c->file->id,
                     skep_kind_name(c->file->kind), skep_orc_encoding_name(c->encoding));
  return SKEP_OK;
}

skep_status skep_orc_column_start(skep_orc_column *c, skep_err *err) {
  if (c->vt == NULL) return SKEP_OK;
  c->index_loaded = false;
  c->n_groups = 0;
  skep_orc_column_drop_dictionary(c);
  SKEP_TRY(read_encoding(c, err));
  for (int role = 0; role < SKEP_ORC_N_STREAMS; role++) SKEP_TRY(open_stream(c, role, err));
  c->has_present = c->has_stream[SKEP_ORC_STREAM_PRESENT];
  skep_rle_bit_init(&c->present, &c->stream[SKEP_ORC_STREAM_PRESENT]);
  if (c->vt->start != NULL) SKEP_TRY(c->vt->start(c, err));
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_column_start(&c->children[i], err));
  return SKEP_OK;
}

skep_status skep_orc_column_check_bytes(const skep_orc_stream *s, uint64_t n, skep_err *err) {
  uint64_t window = (uint64_t)(s->end - s->at), left = s->length - s->next;
  if (n <= window) return SKEP_OK;
  n -= window;
  /* A compressed chunk has a header of 3 bytes and a body, and unfolds to one block at most. */
  if (s->codec == NULL ? n <= left : n / s->block_size <= left / 4) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: needs %llu bytes, %llu are left in the file", s->what,
                   (unsigned long long)n, (unsigned long long)left);
}

/* ---- values ---- */

/* Presence bits of the entries that exist, laid over those of the parent. */
static skep_status read_present(skep_orc_column *c, skep_vec *vec, const skep_orc_rows *rows, int64_t *n_values,
                                skep_err *err) {
  size_t n_set = 0;
  uint8_t *validity = vec->validity.data;
  if (rows->validity == NULL) {
    SKEP_TRY(skep_rle_bit_next(&c->present, validity, 0, (size_t)rows->n, &n_set, err));
  } else {
    void *packed;
    SKEP_TRY(skep_orc_column_scratch(c, 0, (size_t)rows->n_valid / 8 + 9, 1, &packed, err));
    SKEP_TRY(skep_rle_bit_next(&c->present, packed, 0, (size_t)rows->n_valid, &n_set, err));
    skep_spread_bits(packed, validity, rows->validity, (size_t)rows->n);
  }
  *n_values = (int64_t)n_set;
  return SKEP_OK;
}

static skep_status read_validity(skep_orc_column *c, skep_vec *vec, const skep_orc_rows *rows, int64_t *n_values,
                                 skep_err *err) {
  bool may_have_nulls = c->has_present || rows->validity != NULL;
  SKEP_TRY(skep_vec_reserve_unset(vec, rows->n, may_have_nulls, err)); /* next writes every entry */
  *n_values = rows->n_valid;
  if (c->has_present) {
    SKEP_TRY(read_present(c, vec, rows, n_values, err));
  } else if (rows->validity != NULL) {
    memcpy(vec->validity.data, rows->validity, (size_t)(rows->n + 7) / 8);
  }
  vec->length = rows->n;
  vec->has_nulls = *n_values < rows->n;
  vec->null_count = rows->n - *n_values;
  return SKEP_OK;
}

static skep_status next_of_file(skep_orc_column *c, skep_vec *vec, const skep_orc_rows *rows, skep_err *err) {
  int64_t n_values;
  if (vec->form == SKEP_FORM_DICT || skep_kind_is_bytes(c->file->kind)) {
    const skep_forms *forms = c->converts ? &skep_orc_convert_forms : &c->env->forms;
    bool keep = c->is_dictionary && forms->keep_dictionaries;
    vec->form = keep ? SKEP_FORM_DICT : skep_form_of(vec->type, forms);
  }
  SKEP_TRY(read_validity(c, vec, rows, &n_values, err));
  return c->vt->next(c, vec, rows->n, n_values, err);
}

skep_status skep_orc_column_next(skep_orc_column *c, skep_vec *vec, const skep_orc_rows *rows, skep_err *err) {
  if (c->vt == NULL) return skep_vec_set_null(vec, rows->n, err);
  if (!c->converts) return next_of_file(c, vec, rows, err);
  skep_vec_reset(&c->from);
  SKEP_TRY(next_of_file(c, &c->from, rows, err));
  bool old = c->env->mapping->old_conversions;
  skep_orc_conversion how = {.old = old, .hybrid_texts = old && !c->env->hybrid};
  skep_status st = skep_orc_convert(&c->from, vec, how, err);
  return st == SKEP_OK ? st : skep_wrap(err, st, "column %u", c->file->id);
}

skep_status skep_orc_column_skip(skep_orc_column *c, uint64_t n, skep_err *err) {
  if (c->vt == NULL || n == 0) return SKEP_OK;
  uint64_t n_values = n;
  if (c->has_present) SKEP_TRY(skep_rle_bit_skip(&c->present, n, &n_values, err));
  return c->vt->skip(c, n_values, err);
}

/* ---- row index ---- */

skep_status skep_orc_column_load_index(skep_orc_column *c, skep_arena *arena, uint32_t group, bool *usable,
                                       skep_err *err) {
  if (c->vt == NULL) return SKEP_OK;
  if (!c->index_loaded) {
    SKEP_TRY(skep_orc_stripe_row_index(c->env->access, arena, (skep_orc_stripe_dir *)c->env->dir, c->file->id,
                                       &c->n_groups, &c->groups, err));
    c->index_loaded = true;
  }
  if (group >= c->n_groups) {
    *usable = false;
    return SKEP_OK;
  }
  for (uint32_t i = 0; i < c->n_children && *usable; i++)
    SKEP_TRY(skep_orc_column_load_index(&c->children[i], arena, group, usable, err));
  return SKEP_OK;
}

static skep_status take_position(skep_orc_positions *at, uint64_t *out, skep_err *err) {
  if (at->left == 0) return skep_fail(err, SKEP_ERR_CORRUPT, "row index has too few positions");
  *out = *at->at++;
  at->left--;
  return SKEP_OK;
}

skep_status skep_orc_seek_stream(skep_orc_stream *s, skep_orc_positions *at, skep_err *err) {
  uint64_t chunk = 0, within;
  if (s->codec != NULL) SKEP_TRY(take_position(at, &chunk, err));
  SKEP_TRY(take_position(at, &within, err));
  return skep_orc_stream_seek(s, chunk, within, err);
}

/* Values of a run to pass over; no run is longer than this. */
enum { MAX_RUN = 512 };

static skep_status take_run_position(skep_orc_positions *at, const char *what, uint64_t *out, skep_err *err) {
  SKEP_TRY(take_position(at, out, err));
  if (*out > MAX_RUN)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: row index position %llu within a run", what, (unsigned long long)*out);
  return SKEP_OK;
}

skep_status skep_orc_seek_ints(skep_rle_int *r, skep_orc_positions *at, skep_err *err) {
  uint64_t n;
  SKEP_TRY(skep_orc_seek_stream(r->in, at, err));
  SKEP_TRY(take_run_position(at, r->in->what, &n, err));
  skep_rle_int_restart(r);
  return skep_rle_int_skip(r, n, err);
}

skep_status skep_orc_seek_bytes(skep_rle_byte *r, skep_orc_positions *at, skep_err *err) {
  uint64_t n;
  SKEP_TRY(skep_orc_seek_stream(r->in, at, err));
  SKEP_TRY(take_run_position(at, r->in->what, &n, err));
  skep_rle_byte_restart(r);
  return skep_rle_byte_skip(r, n, err);
}

skep_status skep_orc_seek_bits(skep_rle_bit *r, skep_orc_positions *at, skep_err *err) {
  uint64_t n_bytes, n_bits;
  SKEP_TRY(skep_orc_seek_stream(r->bytes.in, at, err));
  SKEP_TRY(take_run_position(at, r->bytes.in->what, &n_bytes, err));
  SKEP_TRY(take_position(at, &n_bits, err));
  if (n_bits > 8)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: row index position %llu within a byte", r->bytes.in->what,
                     (unsigned long long)n_bits);
  SKEP_TRY(skep_rle_bit_restart(r, 0, err));
  SKEP_TRY(skep_rle_byte_skip(&r->bytes, n_bytes, err));
  return skep_rle_bit_skip(r, n_bits, NULL, err);
}

skep_status skep_orc_column_seek(skep_orc_column *c, uint32_t group, skep_err *err) {
  if (c->vt == NULL) return SKEP_OK;
  skep_orc_positions at = {.at = c->groups[group].positions, .left = c->groups[group].n_positions};
  if (c->has_present) SKEP_TRY(skep_orc_seek_bits(&c->present, &at, err));
  if (c->vt->seek != NULL) SKEP_TRY(c->vt->seek(c, &at, err));
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_column_seek(&c->children[i], group, err));
  return SKEP_OK;
}

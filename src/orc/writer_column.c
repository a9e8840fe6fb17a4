/* The part of column writers that is the same for all kinds: presence, row groups, statistics, the tree. */
#include "orc/writer_column.h"

#include "column/vec_int.h"
#include "orc/stripe.h"
#include "orc/writer_pb.h"

/* ---- making ---- */

typedef struct role {
  const skep_orc_wcolumn_vtab *vt;
  bool data, length, secondary;
  uint8_t n_ints;
} role;

static role role_of(skep_kind kind) {
  switch (kind) {
    case SKEP_BOOLEAN:
      return (role){.vt = &skep_orc_wcolumn_boolean, .data = true};
    case SKEP_TINYINT:
      return (role){.vt = &skep_orc_wcolumn_tinyint, .data = true};
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
    case SKEP_DATE:
      return (role){.vt = &skep_orc_wcolumn_integer, .data = true, .n_ints = 1};
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      return (role){.vt = &skep_orc_wcolumn_float, .data = true};
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return (role){.vt = &skep_orc_wcolumn_timestamp, .data = true, .secondary = true, .n_ints = 2};
    case SKEP_DECIMAL:
      return (role){.vt = &skep_orc_wcolumn_decimal, .data = true, .secondary = true, .n_ints = 2};
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return (role){.vt = &skep_orc_wcolumn_string, .data = true, .length = true, .n_ints = 2};
    case SKEP_BINARY:
      return (role){.vt = &skep_orc_wcolumn_binary, .data = true, .length = true, .n_ints = 2};
    case SKEP_LIST:
    case SKEP_MAP:
      return (role){.vt = &skep_orc_wcolumn_list, .length = true, .n_ints = 2};
    case SKEP_UNION:
      return (role){.vt = &skep_orc_wcolumn_union, .data = true};
    default:
      return (role){.vt = &skep_orc_wcolumn_struct};
  }
}

/* ints[0] is over DATA, ints[1] over LENGTH or SECONDARY; what a kind does not use stays idle. */
static void init_encoders(skep_orc_wcolumn *c) {
  skep_orc_out *second =
      c->uses[SKEP_ORC_OUT_SECONDARY] ? &c->outs[SKEP_ORC_OUT_SECONDARY] : &c->outs[SKEP_ORC_OUT_LENGTH];
  skep_bit_encoder_init(&c->present, &c->outs[SKEP_ORC_OUT_PRESENT]);
  skep_byte_encoder_init(&c->bytes, &c->outs[SKEP_ORC_OUT_DATA]);
  skep_bit_encoder_init(&c->bits, &c->outs[SKEP_ORC_OUT_DATA]);
  bool is_signed = !skep_kind_is_bytes(c->type->kind); /* codes of dictionaries are not */
  if (c->ints[0] != NULL) skep_int_encoder_init(c->ints[0], &c->outs[SKEP_ORC_OUT_DATA], is_signed);
  /* Lengths and nanoseconds are unsigned, scales of decimals are not. */
  if (c->ints[1] != NULL) skep_int_encoder_init(c->ints[1], second, c->type->kind == SKEP_DECIMAL);
}

static skep_status init_node(skep_orc_wcolumn *c, skep_orc_wenv *env, const skep_type *type, skep_err *err) {
  role r = role_of(type->kind);
  *c = (skep_orc_wcolumn){.vt = r.vt, .env = env, .type = type, .dictionary_size = 0};
  c->uses[SKEP_ORC_OUT_DATA] = r.data;
  c->uses[SKEP_ORC_OUT_LENGTH] = r.length;
  c->uses[SKEP_ORC_OUT_SECONDARY] = r.secondary;
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) skep_orc_out_init(&c->outs[i], env->ctx, env->codec, env->block_size);
  skep_buf_init(&c->group_stats, env->ctx, SIZE_MAX / 4);
  skep_buf_init(&c->blooms, env->ctx, SIZE_MAX / 4);
  skep_orc_wdict_init(&c->dict, env->ctx);
  for (unsigned i = 0; i < r.n_ints; i++) {
    c->ints[i] = skep_alloc_zero(env->ctx, 1, sizeof *c->ints[i]);
    if (c->ints[i] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "encoder of column %u", type->id);
  }
  init_encoders(c);
  bool may_be_dictionary = c->vt == &skep_orc_wcolumn_string && env->dictionary_threshold > 0;
  c->is_dictionary = may_be_dictionary;
  c->decided = !may_be_dictionary;
  return SKEP_OK;
}

static bool kind_has_bloom(skep_kind kind) { return kind != SKEP_BOOLEAN && !skep_kind_is_nested(kind); }

skep_status skep_orc_wcolumn_init(skep_orc_wcolumn *c, skep_orc_wenv *env, const skep_type *type, const bool *has_bloom,
                                  skep_err *err) {
  SKEP_TRY(init_node(c, env, type, err));
  if (env->stride != 0 && has_bloom[type->id] && kind_has_bloom(type->kind))
    SKEP_TRY(skep_orc_bloom_build_init(&c->bloom, env->ctx, env->stride, env->bloom_fpp, err));
  if (type->n_children == 0) return SKEP_OK;
  c->children = skep_alloc_zero(env->ctx, type->n_children, sizeof *c->children);
  if (c->children == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u columns", type->n_children);
  c->n_children = type->n_children;
  for (uint32_t i = 0; i < type->n_children; i++)
    SKEP_TRY(skep_orc_wcolumn_init(&c->children[i], env, type->children[i], has_bloom, err));
  return SKEP_OK;
}

void skep_orc_wcolumn_fini(skep_orc_wcolumn *c) {
  if (c->env == NULL) return;
  const skep_ctx *ctx = c->env->ctx;
  for (uint32_t i = 0; i < c->n_children; i++) skep_orc_wcolumn_fini(&c->children[i]);
  skep_release(ctx, c->children);
  for (unsigned i = 0; i < 2; i++) {
    if (c->ints[i] != NULL) skep_int_encoder_fini(c->ints[i]);
    skep_release(ctx, c->ints[i]);
  }
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) skep_orc_out_fini(&c->outs[i]);
  skep_orc_wdict_fini(&c->dict);
  skep_release(ctx, c->codes);
  skep_dict_unref(c->from);
  skep_release(ctx, c->from_codes);
  skep_orc_tally_fini(ctx, &c->group);
  skep_orc_tally_fini(ctx, &c->stripe);
  skep_orc_tally_fini(ctx, &c->file);
  skep_release(ctx, c->bloom.words);
  skep_release(ctx, c->groups);
  skep_buf_fini(&c->group_stats);
  skep_buf_fini(&c->blooms);
  skep_release(ctx, c->valid);
  skep_release(ctx, c->inner);
  memset(c, 0, sizeof *c);
}

/* ---- entries ---- */

static skep_status check_type(const skep_orc_wcolumn *c, const skep_vec *vec, skep_err *err) {
  const skep_type *a = c->type, *b = vec->type;
  bool same = a->kind == b->kind && c->n_children == vec->n_children &&
              (a->kind != SKEP_DECIMAL || (a->precision == b->precision && a->scale == b->scale));
  if (same) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "column %u is %s of %u children, the vector %s of %u", a->id,
                   skep_kind_name(a->kind), c->n_children, skep_kind_name(b->kind), vec->n_children);
}

/* Presence bits of all entries; *valid gets those that are not NULL. */
static skep_status split_nulls(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e,
                               skep_orc_entries *valid, skep_err *err) {
  SKEP_TRY(skep_grow(c->env->ctx, (void **)&c->valid, &c->valid_capacity, (size_t)e->n, sizeof *c->valid, err));
  uint8_t bits[SKEP_ORC_BLOCK];
  int64_t n_valid = 0;
  for (int64_t from = 0; from < e->n; from += SKEP_ORC_BLOCK) {
    int64_t n = e->n - from < SKEP_ORC_BLOCK ? e->n - from : SKEP_ORC_BLOCK;
    for (int64_t i = 0; i < n; i++) {
      int64_t at = skep_orc_entry(e, from + i);
      bits[i] = skep_bit_get(vec->validity.data, at);
      c->valid[n_valid] = (int32_t)at;
      n_valid += bits[i];
    }
    skep_bit_encoder_put(&c->present, bits, (size_t)n);
  }
  if (n_valid == e->n) {
    *valid = *e;
    return SKEP_OK;
  }
  c->has_present = true;
  c->group.has_null = true;
  *valid = (skep_orc_entries){c->valid, 0, n_valid};
  return SKEP_OK;
}

skep_status skep_orc_wcolumn_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  SKEP_TRY(check_type(c, vec, err));
  skep_orc_entries valid = *e;
  if (e->n == 0) return SKEP_OK;
  if (vec->has_nulls) {
    SKEP_TRY(split_nulls(c, vec, e, &valid, err));
  } else {
    skep_bit_encoder_put_ones(&c->present, (size_t)e->n);
  }
  if (valid.n != 0) SKEP_TRY(c->vt->write(c, vec, &valid, err));
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) {
    skep_status status = skep_orc_out_check(&c->outs[i], err);
    if (status != SKEP_OK) return skep_wrap(err, status, "column %u", c->type->id);
  }
  return SKEP_OK;
}

/* ---- row groups ---- */

skep_status skep_orc_wcolumn_begin_group(skep_orc_wcolumn *c, skep_err *err) {
  SKEP_TRY(skep_grow(c->env->ctx, (void **)&c->groups, &c->groups_capacity, c->n_groups + 1, sizeof *c->groups, err));
  skep_orc_wgroup *g = &c->groups[c->n_groups++];
  *g = (skep_orc_wgroup){.first_code = c->n_codes};
  g->n_present = (uint8_t)(skep_bit_encoder_position(&c->present, g->present) - g->present);
  if (!c->is_dictionary && c->vt->position != NULL) g->n_data = (uint8_t)(c->vt->position(c, g->data) - g->data);
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_wcolumn_begin_group(&c->children[i], err));
  return SKEP_OK;
}

/* The filter of the group as an entry of the BloomFilterIndex, and an empty one for the next. */
static void end_bloom(skep_orc_wcolumn *c) {
  skep_buf *message = &c->env->scratch;
  skep_buf_reset(message);
  skep_pb_uint(message, 1, c->bloom.n_hashes);
  skep_pb_varint(message, 3 << 3 | 2);
  skep_pb_varint(message, (uint64_t)c->bloom.n_words * 8);
  for (uint32_t i = 0; i < c->bloom.n_words; i++) {
    uint8_t bytes[8];
    for (unsigned k = 0; k < 8; k++) bytes[k] = (uint8_t)(c->bloom.words[i] >> (8 * k));
    skep_buf_add(message, bytes, sizeof bytes);
  }
  skep_pb_message(&c->blooms, 1, message);
  memset(c->bloom.words, 0, c->bloom.n_words * sizeof *c->bloom.words);
}

skep_status skep_orc_wcolumn_end_group(skep_orc_wcolumn *c, skep_err *err) {
  if (c->vt->end_group != NULL) SKEP_TRY(c->vt->end_group(c, err));
  if (c->env->stride != 0) {
    skep_orc_tally_write(&c->group, c->type, &c->env->scratch, &c->group_stats);
    c->groups[c->n_groups - 1].stats_end = c->group_stats.size;
    if (c->bloom.words != NULL) end_bloom(c);
    SKEP_TRY(skep_buf_check(&c->group_stats, "row index", err));
    SKEP_TRY(skep_buf_check(&c->blooms, "bloom filters", err));
  }
  SKEP_TRY(skep_orc_tally_merge(c->env->ctx, &c->stripe, &c->group, c->type, err));
  skep_orc_tally_reset(&c->group);
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_wcolumn_end_group(&c->children[i], err));
  return SKEP_OK;
}

/* ---- stripes ---- */

skep_status skep_orc_wcolumn_end_stripe(skep_orc_wcolumn *c, skep_err *err) {
  if (c->vt->end_stripe != NULL) SKEP_TRY(c->vt->end_stripe(c, err));
  skep_bit_encoder_flush(&c->present);
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) {
    skep_orc_out_flush(&c->outs[i]);
    SKEP_TRY(skep_orc_out_check(&c->outs[i], err));
    if (skep_orc_wcolumn_has_out(c, i)) c->stripe.bytes_on_disk += skep_orc_out_size(&c->outs[i]);
  }
  SKEP_TRY(skep_orc_tally_merge(c->env->ctx, &c->file, &c->stripe, c->type, err));
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_wcolumn_end_stripe(&c->children[i], err));
  return SKEP_OK;
}

void skep_orc_wcolumn_clear_stripe(skep_orc_wcolumn *c) {
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) skep_orc_out_reset(&c->outs[i]);
  c->has_present = false;
  c->n_groups = 0;
  skep_buf_reset(&c->group_stats);
  skep_buf_reset(&c->blooms);
  skep_orc_tally_reset(&c->stripe);
  for (uint32_t i = 0; i < c->n_children; i++) skep_orc_wcolumn_clear_stripe(&c->children[i]);
}

uint64_t skep_orc_wcolumn_memory(const skep_orc_wcolumn *c) {
  uint64_t sum = c->group_stats.size + c->blooms.size;
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) sum += skep_orc_out_size(&c->outs[i]);
  if (c->is_dictionary)
    sum += c->dict.n_bytes + (uint64_t)c->dict.count * sizeof *c->dict.values + c->n_codes * sizeof *c->codes;
  for (uint32_t i = 0; i < c->n_children; i++) sum += skep_orc_wcolumn_memory(&c->children[i]);
  return sum;
}

bool skep_orc_wcolumn_has_out(const skep_orc_wcolumn *c, unsigned out) {
  return out == SKEP_ORC_OUT_PRESENT ? c->has_present : c->uses[out];
}

uint32_t skep_orc_wcolumn_encoding(const skep_orc_wcolumn *c) {
  if (c->is_dictionary) return SKEP_ORC_DICTIONARY_V2;
  return c->ints[0] != NULL ? SKEP_ORC_DIRECT_V2 : SKEP_ORC_DIRECT;
}

/* Where no NULL came there is no presence stream, and its positions are left out too. */
void skep_orc_wcolumn_write_index(const skep_orc_wcolumn *c, skep_buf *message) {
  skep_buf *entry = &c->env->scratch, *positions = &c->env->scratch2;
  size_t start = 0;
  for (size_t i = 0; i < c->n_groups; i++) {
    const skep_orc_wgroup *g = &c->groups[i];
    skep_buf_reset(entry);
    skep_buf_reset(positions);
    for (unsigned k = 0; c->has_present && k < g->n_present; k++) skep_pb_varint(positions, g->present[k]);
    for (unsigned k = 0; k < g->n_data; k++) skep_pb_varint(positions, g->data[k]);
    skep_pb_message(entry, 1, positions);
    skep_pb_bytes(entry, 2, c->group_stats.data + start, g->stats_end - start);
    skep_pb_message(message, 1, entry);
    start = g->stats_end;
  }
}

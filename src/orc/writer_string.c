/* Columns of strings and binaries: direct, or through a dictionary.
 *
 * A string column gathers codes until the first row group (or stripe) shows whether a dictionary is worth it; what was
 * decided then holds for the rest of the file. Codes are written when the stripe ends, since only then the dictionary
 * can be sorted. Source: ORC Specification v1, "String, Char, and VarChar Columns"; ORC Java's StringBaseTreeWriter. */
#include "column/vec_int.h"
#include "orc/writer_column.h"

/* ---- direct ---- */

static void put_direct(skep_orc_wcolumn *c, const skep_bytes *values, size_t n) {
  int64_t lengths[SKEP_ORC_BLOCK];
  for (size_t i = 0; i < n; i++) lengths[i] = (int64_t)values[i].left;
  skep_orc_out_put_all(&c->outs[SKEP_ORC_OUT_DATA], values, n);
  skep_int_encoder_put(c->ints[1], lengths, n);
}

static uint64_t *direct_position(skep_orc_wcolumn *c, uint64_t *at) {
  return skep_int_encoder_position(c->ints[1], skep_orc_out_position(&c->outs[SKEP_ORC_OUT_DATA], at));
}

/* ---- dictionary ---- */

static void record_position(skep_orc_wcolumn *c, skep_orc_wgroup *g) {
  uint64_t *end = c->is_dictionary ? skep_int_encoder_position(c->ints[0], g->data) : direct_position(c, g->data);
  g->n_data = (uint8_t)(end - g->data);
}

/* Codes [from, to) as the values they stand for. */
static void put_values_of_codes(skep_orc_wcolumn *c, size_t from, size_t to) {
  skep_bytes values[SKEP_ORC_BLOCK];
  while (from < to) {
    size_t n = to - from < SKEP_ORC_BLOCK ? to - from : SKEP_ORC_BLOCK;
    for (size_t i = 0; i < n; i++) values[i] = skep_orc_wdict_value(&c->dict, (uint32_t)c->codes[from + i]);
    put_direct(c, values, n);
    from += n;
  }
}

static void put_codes(skep_orc_wcolumn *c, const uint32_t *rank, size_t from, size_t to) {
  int64_t codes[SKEP_ORC_BLOCK];
  while (from < to) {
    size_t n = to - from < SKEP_ORC_BLOCK ? to - from : SKEP_ORC_BLOCK;
    for (size_t i = 0; i < n; i++) codes[i] = rank[c->codes[from + i]];
    skep_int_encoder_put(c->ints[0], codes, n);
    from += n;
  }
}

static void forget_codes(skep_orc_wcolumn *c) {
  skep_orc_wdict_clear(&c->dict);
  c->n_codes = 0;
  skep_dict_unref(c->from);
  c->from = NULL;
  skep_release(c->env->ctx, c->from_codes);
  c->from_codes = NULL;
}

/* All codes of the stripe, row group by row group: as values (rank NULL) or as places in the sorted dictionary. */
static void replay(skep_orc_wcolumn *c, const uint32_t *rank) {
  for (size_t g = 0; g < c->n_groups; g++) {
    size_t end = g + 1 < c->n_groups ? c->groups[g + 1].first_code : c->n_codes;
    record_position(c, &c->groups[g]);
    if (rank != NULL) {
      put_codes(c, rank, c->groups[g].first_code, end);
    } else {
      put_values_of_codes(c, c->groups[g].first_code, end);
    }
  }
}

/* After the first row group, or at the end of the first stripe. */
static skep_status decide(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  if (c->decided) return SKEP_OK;
  c->decided = true;
  double ratio = c->n_codes == 0 ? 0 : (double)c->dict.count / (double)c->n_codes;
  if (ratio <= c->env->dictionary_threshold) return SKEP_OK;
  c->is_dictionary = false;
  replay(c, NULL);
  forget_codes(c);
  skep_orc_wdict_fini(&c->dict);
  return SKEP_OK;
}

static skep_status write_dictionary(skep_orc_wcolumn *c, skep_err *err) {
  uint32_t *order;
  SKEP_TRY(skep_orc_wdict_sort(&c->dict, &order, err));
  uint32_t *rank = skep_alloc(c->env->ctx, (size_t)c->dict.count * sizeof *rank);
  if (rank == NULL) {
    skep_release(c->env->ctx, order);
    return skep_fail(err, SKEP_ERR_NOMEM, "column %u: dictionary of %u values", c->type->id, c->dict.count);
  }
  for (uint32_t i = 0; i < c->dict.count; i++) {
    skep_bytes value = skep_orc_wdict_value(&c->dict, order[i]);
    int64_t length = (int64_t)value.left;
    rank[order[i]] = i;
    skep_orc_out_put(&c->outs[SKEP_ORC_OUT_DICTIONARY], value.at, value.left);
    skep_int_encoder_put(c->ints[1], &length, 1);
  }
  replay(c, rank);
  skep_release(c->env->ctx, order);
  skep_release(c->env->ctx, rank);
  c->dictionary_size = c->dict.count;
  forget_codes(c);
  return SKEP_OK;
}

static skep_status string_end(skep_orc_wcolumn *c, skep_err *err) {
  SKEP_TRY(decide(c, err));
  c->uses[SKEP_ORC_OUT_DICTIONARY] = c->is_dictionary;
  c->dictionary_size = 0;
  if (c->is_dictionary) SKEP_TRY(write_dictionary(c, err));
  skep_int_encoder_flush(c->ints[0]);
  skep_int_encoder_flush(c->ints[1]);
  return SKEP_OK;
}

/* ---- values ---- */

static skep_status put_in_dictionary(skep_orc_wcolumn *c, const skep_bytes *values, size_t n, skep_err *err) {
  SKEP_TRY(skep_grow(c->env->ctx, (void **)&c->codes, &c->codes_capacity, c->n_codes + n, sizeof *c->codes, err));
  return skep_orc_wdict_codes(&c->dict, values, n, c->codes + c->n_codes, err);
}

/* Remembers our codes of a dictionary's entries: values that repeat are hashed once. */
static skep_status follow_dictionary(skep_orc_wcolumn *c, skep_dict *from, skep_err *err) {
  if (c->from == from) return SKEP_OK;
  int32_t *codes = skep_alloc(c->env->ctx, (size_t)from->count * sizeof *codes);
  if (codes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "codes of %u values", from->count);
  for (uint32_t i = 0; i < from->count; i++) codes[i] = -1;
  skep_dict_unref(c->from);
  skep_release(c->env->ctx, c->from_codes);
  c->from = skep_dict_ref(from);
  c->from_codes = codes;
  return SKEP_OK;
}

static skep_status put_dictionary_codes(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e,
                                        const skep_bytes *values, skep_err *err) {
  SKEP_TRY(follow_dictionary(c, vec->dict, err));
  size_t n = (size_t)e->n;
  SKEP_TRY(skep_grow(c->env->ctx, (void **)&c->codes, &c->codes_capacity, c->n_codes + n, sizeof *c->codes, err));
  for (size_t i = 0; i < n; i++) {
    int32_t *known = &c->from_codes[((const int32_t *)vec->values.data)[skep_orc_entry(e, (int64_t)i)]];
    if (*known < 0) SKEP_TRY(skep_orc_wdict_codes(&c->dict, &values[i], 1, known, err));
    c->codes[c->n_codes + i] = *known;
  }
  return SKEP_OK;
}

/* Codes that wait are looked at once a row group: a value that was seen changes no minimum or maximum. */
static skep_status put_codes_and_tally(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e,
                                       const skep_bytes *values, skep_err *err) {
  skep_bytes fresh[SKEP_ORC_BLOCK];
  size_t n = (size_t)e->n;
  SKEP_TRY(vec->form == SKEP_FORM_DICT ? put_dictionary_codes(c, vec, e, values, err)
                                       : put_in_dictionary(c, values, n, err));
  size_t n_fresh = skep_orc_wdict_first_seen(&c->dict, (uint32_t)c->n_groups, c->codes + c->n_codes, n, fresh);
  c->n_codes += n;
  return skep_orc_tally_text_ends(c->env->ctx, &c->group, fresh, n_fresh, err);
}

#define EACH(value)                    \
  for (int64_t i = 0; i < e->n; i++) { \
    int64_t at = skep_orc_entry(e, i); \
    out[i] = (value);                  \
  }

static bool gather(const skep_vec *vec, const skep_orc_entries *e, skep_bytes *out) {
  const skep_view *views = vec->values.data;
  const int32_t *offsets = vec->offsets.data, *codes = vec->values.data;
  const uint8_t *heap = vec->heap.data;
  switch (vec->form) {
    case SKEP_FORM_STR:
      EACH(((skep_bytes){heap == NULL ? NULL : heap + offsets[at], (size_t)(offsets[at + 1] - offsets[at])}));
      return true;
    case SKEP_FORM_VIEW:
      EACH(((skep_bytes){views[at].inlined.length > sizeof views->inlined.bytes
                             ? views[at].far.at
                             : (const uint8_t *)views[at].inlined.bytes,
                         views[at].inlined.length}));
      return true;
    case SKEP_FORM_DICT:
      EACH(((skep_bytes){vec->dict->bytes + vec->dict->offsets[codes[at]],
                         vec->dict->offsets[codes[at] + 1] - vec->dict->offsets[codes[at]]}));
      return true;
    default:
      return false;
  }
}

/* Characters of UTF-8; of other bytes: those that begin one. */
static size_t count_chars(skep_bytes value) {
  size_t n = 0;
  for (size_t i = 0; i < value.left; i++) n += (value.at[i] & 0xc0) != 0x80;
  return n;
}

/* Values that are too short are replaced by padded copies, which last until the next block. */
static skep_status pad_values(skep_orc_wcolumn *c, skep_bytes *values, size_t n, skep_err *err) {
  skep_buf *padded = &c->env->padded;
  size_t length = c->type->length, room = 0;
  skep_buf_reset(padded);
  for (size_t i = 0; i < n; i++) room += values[i].left + length;
  if (!skep_buf_reserve(padded, room)) return skep_buf_check(padded, "padded values", err);
  for (size_t i = 0; i < n; i++) {
    if (values[i].left >= length * 4) continue;
    size_t chars = count_chars(values[i]);
    if (chars >= length) continue;
    uint8_t *at = padded->data + padded->size;
    if (values[i].left != 0) memcpy(at, values[i].at, values[i].left);
    memset(at + values[i].left, ' ', length - chars);
    values[i] = (skep_bytes){at, values[i].left + (length - chars)};
    padded->size += values[i].left;
  }
  return SKEP_OK;
}

static skep_status write_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  skep_bytes values[SKEP_ORC_BLOCK];
  size_t n = (size_t)e->n;
  if (!gather(vec, e, values))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "column %u: %s in form %d", c->type->id, skep_kind_name(c->type->kind),
                     (int)vec->form);
  if (c->type->kind == SKEP_CHAR && c->env->pad_char) SKEP_TRY(pad_values(c, values, n, err));
  for (size_t i = 0; c->bloom.words != NULL && i < n; i++) skep_orc_bloom_add_bytes(&c->bloom, values[i]);
  skep_orc_tally_text_sizes(&c->group, values, n);
  if (c->is_dictionary) return put_codes_and_tally(c, vec, e, values, err);
  if (c->type->kind != SKEP_BINARY) SKEP_TRY(skep_orc_tally_text_ends(c->env->ctx, &c->group, values, n, err));
  put_direct(c, values, n);
  return SKEP_OK;
}

static skep_status string_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  for (int64_t from = 0; from < e->n; from += SKEP_ORC_BLOCK) {
    int64_t n = e->n - from < SKEP_ORC_BLOCK ? e->n - from : SKEP_ORC_BLOCK;
    skep_orc_entries part = skep_orc_entries_part(e, from, n);
    SKEP_TRY(write_block(c, vec, &part, err));
  }
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_string = {string_write, direct_position, decide, string_end};
const skep_orc_wcolumn_vtab skep_orc_wcolumn_binary = {string_write, direct_position, NULL, string_end};

/* Brings the byte ranges of a stripe's streams into memory. */
#include "orc/stripe_source.h"

enum {
  WHOLE_BYTES = 12 << 20, /* wanted streams up to this size are read whole */
  MAX_GAP = 16 << 10,     /* unwanted bytes between two streams that are read along */
  MAX_GROUP = 4 << 20,    /* one read call */
  ALL_WINDOWS = 24 << 20, /* memory of all windows together */
  MIN_WINDOW = 16 << 10,
  MAX_WINDOW = 1 << 20,
  SPARSE_WINDOW = 64 << 10
};

void skep_orc_stripe_source_init(skep_orc_stripe_source *s, skep_orc_access *access) {
  *s = (skep_orc_stripe_source){.access = access};
}

static void drop_groups(skep_orc_stripe_source *s) {
  for (uint32_t i = 0; i < s->n_groups; i++) skep_release(s->access->ctx, s->groups[i].bytes);
  s->n_groups = 0;
}

void skep_orc_stripe_source_fini(skep_orc_stripe_source *s) {
  if (s->access == NULL) return;
  const skep_ctx *ctx = s->access->ctx;
  drop_groups(s);
  size_t n = s->windows_capacity;
  for (size_t i = 0; i < n; i++) skep_release(ctx, s->windows[i].bytes);
  skep_release(ctx, s->windows);
  skep_release(ctx, s->groups);
  skep_release(ctx, s->order);
  *s = (skep_orc_stripe_source){0};
}

void skep_orc_stripe_source_begin(skep_orc_stripe_source *s) {
  drop_groups(s);
  for (uint32_t i = 0; i < s->n_windows; i++) s->windows[i].size = 0;
  s->n_windows = 0;
}

skep_status skep_orc_stripe_source_add(skep_orc_stripe_source *s, const skep_orc_stream_info *stream, uint32_t *slot,
                                       skep_err *err) {
  size_t old = s->windows_capacity;
  SKEP_TRY(skep_grow(s->access->ctx, (void **)&s->windows, &s->windows_capacity, (size_t)s->n_windows + 1,
                     sizeof *s->windows, err));
  if (s->windows_capacity > old) memset(s->windows + old, 0, (s->windows_capacity - old) * sizeof *s->windows);
  *slot = s->n_windows++;
  skep_orc_window *w = &s->windows[*slot];
  w->offset = stream->offset;
  w->length = stream->length;
  w->size = 0;
  return SKEP_OK;
}

/* Heap sort by offset: qsort has no place for the windows. */
static void sift(skep_orc_stripe_source *s, uint32_t root, uint32_t n) {
  for (;;) {
    uint32_t child = 2 * root + 1;
    if (child >= n) return;
    if (child + 1 < n && s->windows[s->order[child + 1]].offset > s->windows[s->order[child]].offset) child++;
    if (s->windows[s->order[root]].offset >= s->windows[s->order[child]].offset) return;
    uint32_t swap = s->order[root];
    s->order[root] = s->order[child];
    s->order[child] = swap;
    root = child;
  }
}

static void sort_slots(skep_orc_stripe_source *s) {
  uint32_t n = s->n_windows;
  for (uint32_t i = 0; i < n; i++) s->order[i] = i;
  for (uint32_t i = n / 2; i-- > 0;) sift(s, i, n);
  for (uint32_t i = n; i-- > 1;) {
    uint32_t swap = s->order[0];
    s->order[0] = s->order[i];
    s->order[i] = swap;
    sift(s, 0, i);
  }
}

static skep_status make_groups(skep_orc_stripe_source *s, skep_err *err) {
  const skep_ctx *ctx = s->access->ctx;
  SKEP_TRY(skep_grow(ctx, (void **)&s->order, &s->order_capacity, (size_t)s->n_windows + 1, sizeof *s->order, err));
  SKEP_TRY(skep_grow(ctx, (void **)&s->groups, &s->groups_capacity, (size_t)s->n_windows + 1, sizeof *s->groups, err));
  sort_slots(s);
  for (uint32_t i = 0; i < s->n_windows; i++) {
    skep_orc_window *w = &s->windows[s->order[i]];
    if (w->length == 0) continue; /* absent streams join nothing */
    skep_orc_range_group *g = s->n_groups == 0 ? NULL : &s->groups[s->n_groups - 1];
    uint64_t end = w->offset + w->length; /* inside the file: checked with the stripe footer */
    bool joins = g != NULL && w->offset - (g->offset + g->length) <= MAX_GAP && end - g->offset <= MAX_GROUP;
    if (joins) {
      g->length = end - g->offset;
    } else {
      s->groups[s->n_groups++] = (skep_orc_range_group){.offset = w->offset, .length = w->length};
    }
    w->group = s->n_groups - 1;
  }
  return SKEP_OK;
}

skep_status skep_orc_stripe_source_plan(skep_orc_stripe_source *s, bool sparse, skep_err *err) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < s->n_windows; i++) total += s->windows[i].length;
  s->whole = total <= (sparse ? SPARSE_WINDOW : WHOLE_BYTES);
  if (s->whole) return make_groups(s, err);
  size_t each = ALL_WINDOWS / (s->n_windows + 1);
  s->window_bytes = each < MIN_WINDOW ? MIN_WINDOW : each > MAX_WINDOW ? MAX_WINDOW : each;
  if (sparse && s->window_bytes > SPARSE_WINDOW) s->window_bytes = SPARSE_WINDOW;
  return SKEP_OK;
}

static skep_status fetch_whole(skep_orc_stripe_source *s, const skep_orc_window *w, uint64_t offset,
                               const uint8_t **out, skep_err *err) {
  skep_orc_range_group *g = &s->groups[w->group];
  if (g->bytes == NULL) {
    uint8_t *bytes = skep_alloc(s->access->ctx, (size_t)g->length + SKEP_ORC_WINDOW_SLACK);
    if (bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%llu bytes of a stripe", (unsigned long long)g->length);
    skep_status st = skep_orc_access_read(s->access, g->offset, bytes, (size_t)g->length, err);
    if (st != SKEP_OK) {
      skep_release(s->access->ctx, bytes);
      return st;
    }
    memset(bytes + g->length, 0, SKEP_ORC_WINDOW_SLACK);
    g->bytes = bytes;
  }
  *out = g->bytes + (offset - g->offset);
  return SKEP_OK;
}

static skep_status load_window(skep_orc_stripe_source *s, skep_orc_window *w, uint64_t offset, size_t length,
                               skep_err *err) {
  uint64_t left = w->length - (offset - w->offset);
  size_t n = length > s->window_bytes ? length : s->window_bytes;
  if (n > left) n = (size_t)left;
  size_t kept = 0;
  if (w->size > 0 && offset >= w->at && offset - w->at < w->size) { /* what is there already moves to the front */
    kept = w->size - (size_t)(offset - w->at);
    memmove(w->bytes, w->bytes + (offset - w->at), kept);
  }
  w->at = offset;
  w->size = kept;
  if (n + SKEP_ORC_WINDOW_SLACK > w->capacity) {
    uint8_t *bytes = skep_resize(s->access->ctx, w->bytes, n + SKEP_ORC_WINDOW_SLACK);
    if (bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "stream window of %zu bytes", n);
    w->bytes = bytes;
    w->capacity = n + SKEP_ORC_WINDOW_SLACK;
  }
  SKEP_TRY(skep_orc_access_read(s->access, offset + kept, w->bytes + kept, n - kept, err));
  memset(w->bytes + n, 0, SKEP_ORC_WINDOW_SLACK);
  w->size = n;
  return SKEP_OK;
}

static skep_status fetch(void *self, uint32_t slot, uint64_t offset, size_t length, const uint8_t **out,
                         skep_err *err) {
  skep_orc_stripe_source *s = self;
  skep_orc_window *w = &s->windows[slot];
  if (offset < w->offset || length > w->length || offset - w->offset > w->length - length)
    return skep_fail(err, SKEP_ERR_INTERNAL, "fetch of %zu bytes at %llu outside its stream", length,
                     (unsigned long long)offset);
  if (s->whole) return fetch_whole(s, w, offset, out, err);
  bool inside = w->size >= length && offset >= w->at && offset - w->at <= w->size - length;
  if (!inside) SKEP_TRY(load_window(s, w, offset, length, err));
  *out = w->bytes + (offset - w->at);
  return SKEP_OK;
}

skep_orc_source skep_orc_stripe_source_door(skep_orc_stripe_source *s) {
  return (skep_orc_source){.fetch = fetch, .self = s};
}

/* The recycling allocator. Every block starts with a header that says its class; classes grow by quarters of powers of
 * two, so that a block is at most a quarter larger than asked for. */
#include "base/recycler.h"

#include <pthread.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else /* blocks that lie unused are out of bounds where somebody watches */
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

enum { MIN_LOG = 12, MAX_LOG = 24, N_CLASSES = 4 * (MAX_LOG - MIN_LOG) + 1, NO_CLASS = UINT32_MAX };

/* Stands right before the block. */
typedef struct header {
  size_t size;    /* of the block */
  uint32_t class; /* NO_CLASS: goes back at once */
  uint32_t lead;  /* bytes between the memory below and the block */
} header;

/* What a block holds while it lies unused. */
typedef struct unused {
  struct unused *next;
} unused;

struct skep_recycler {
  skep_allocator below;
  pthread_mutex_t lock;
  size_t references; /* atomic: the owner's, and one a block */
  size_t max_kept, kept;
  uint32_t victim; /* the class that lost a block last */
  bool closed;
  unused *free[N_CLASSES];
};

static header *header_of(void *block) { return (header *)block - 1; }

static void unref(skep_recycler *r) {
  if (__atomic_sub_fetch(&r->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  skep_allocator below = r->below;
  pthread_mutex_destroy(&r->lock);
  below.release(below.self, r);
}

/* The smallest class that holds `size` (MIN_BYTES or more), and its size; NO_CLASS when none does. */
static uint32_t class_of(size_t size, size_t *class_size) {
  *class_size = size;
  if (size > (size_t)1 << MAX_LOG) return NO_CLASS;
  unsigned log = 63u - (unsigned)__builtin_clzll((unsigned long long)(size - 1)); /* 2^log < size <= 2^(log + 1) */
  size_t quarter = (size_t)1 << (log - 2), quarters = (size - 1 - ((size_t)1 << log)) / quarter;
  if (log < MIN_LOG) { /* exactly MIN_BYTES */
    *class_size = (size_t)1 << MIN_LOG;
    return 0;
  }
  *class_size = ((size_t)1 << log) + (quarters + 1) * quarter;
  return 4 * (log - MIN_LOG) + (uint32_t)quarters + 1;
}

static void *take_kept(skep_recycler *r, uint32_t class, size_t class_size) {
  pthread_mutex_lock(&r->lock);
  unused *block = r->free[class];
  if (block != NULL) {
    ASAN_UNPOISON_MEMORY_REGION(block, class_size);
    r->free[class] = block->next;
    r->kept -= class_size;
  }
  pthread_mutex_unlock(&r->lock);
  return block;
}

/* Gives the first unused block of a class back. With the lock. */
static void drop(skep_recycler *r, uint32_t class) {
  void *block = r->free[class];
  const header *h = header_of(block);
  ASAN_UNPOISON_MEMORY_REGION(block, h->size);
  r->free[class] = r->free[class]->next;
  r->kept -= h->size;
  r->below.release(r->below.self, (uint8_t *)block - h->lead);
}

/* Makes room for a block that was just in use: sizes that nobody asks for any more must not fill the place for ever, so
 * the other classes lose a block each in turn. With the lock. */
static bool make_room(skep_recycler *r, const header *h) {
  if (r->closed || h->size > r->max_kept) return false;
  for (uint32_t seen = 0; h->size > r->max_kept - r->kept && seen < N_CLASSES; seen++) {
    r->victim = (r->victim + 1) % N_CLASSES;
    if (r->victim == h->class || r->free[r->victim] == NULL) continue;
    drop(r, r->victim);
    seen = 0;
  }
  return h->size <= r->max_kept - r->kept;
}

static bool keep(skep_recycler *r, void *block, const header *h) {
  pthread_mutex_lock(&r->lock);
  bool kept = make_room(r, h);
  if (kept) {
    unused *u = block;
    u->next = r->free[h->class];
    r->free[h->class] = u;
    r->kept += h->size;
    ASAN_POISON_MEMORY_REGION(block, h->size);
  }
  pthread_mutex_unlock(&r->lock);
  return kept;
}

static void *new_block(skep_recycler *r, size_t size, uint32_t class, size_t alignment) {
  size_t extra = sizeof(header) + alignment, total;
  if (__builtin_add_overflow(size, extra, &total)) return NULL;
  uint8_t *memory = r->below.alloc(r->below.self, total);
  if (memory == NULL) return NULL;
  size_t lead = sizeof(header);
  if (alignment != 0) lead += (alignment - ((uintptr_t)memory + lead) % alignment) % alignment;
  uint8_t *block = memory + lead;
  *header_of(block) = (header){.size = size, .class = class, .lead = (uint32_t)lead};
  return block;
}

static void *recycler_alloc(void *self, size_t size) {
  skep_recycler *r = self;
  size_t class_size = size;
  void *block = NULL;
  uint32_t class = size < SKEP_RECYCLER_MIN_BYTES ? NO_CLASS : class_of(size, &class_size);
  if (class != NO_CLASS) block = take_kept(r, class, class_size);
  if (block == NULL)
    block = new_block(r, class_size, class, size < SKEP_RECYCLER_MIN_BYTES ? 0 : SKEP_RECYCLER_ALIGNMENT);
  if (block != NULL) __atomic_add_fetch(&r->references, 1, __ATOMIC_RELAXED);
  return block;
}

static void recycler_release(void *self, void *block) {
  skep_recycler *r = self;
  if (block == NULL) return;
  const header *h = header_of(block);
  if (h->class == NO_CLASS || !keep(r, block, h)) r->below.release(r->below.self, (uint8_t *)block - h->lead);
  unref(r);
}

static void *recycler_resize(void *self, void *block, size_t size) {
  if (block == NULL) return recycler_alloc(self, size);
  size_t old = header_of(block)->size;
  if (size <= old && size > old / 2) return block;
  void *moved = recycler_alloc(self, size);
  if (moved == NULL) return NULL;
  memcpy(moved, block, old < size ? old : size);
  recycler_release(self, block);
  return moved;
}

skep_status skep_recycler_new(const skep_allocator *below, size_t max_kept_bytes, skep_recycler **out, skep_err *err) {
  *out = NULL;
  skep_recycler *r = below->alloc(below->self, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an allocator");
  *r = (skep_recycler){.below = *below, .references = 1, .max_kept = max_kept_bytes};
  if (pthread_mutex_init(&r->lock, NULL) != 0) {
    below->release(below->self, r);
    return skep_fail(err, SKEP_ERR_NOMEM, "no lock for an allocator");
  }
  *out = r;
  return SKEP_OK;
}

skep_allocator skep_recycler_allocator(skep_recycler *recycler) {
  return (skep_allocator){
      .alloc = recycler_alloc, .resize = recycler_resize, .release = recycler_release, .self = recycler};
}

void skep_recycler_close(skep_recycler *r) {
  if (r == NULL) return;
  pthread_mutex_lock(&r->lock);
  r->closed = true;
  for (uint32_t i = 0; i < N_CLASSES; i++) {
    while (r->free[i] != NULL) drop(r, i);
  }
  pthread_mutex_unlock(&r->lock);
  unref(r);
}

/* Directories that queries spill into: see spill.h. */
#include "sql/spill.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acid/dir_write.h"

/* Everything of the name up to the process: whose ids can be asked here. */
static void prefix(skep_buf *out) {
  char host[256] = "";
  struct stat namespace = {0};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  for (char *at = host; *at != '\0'; at++) {
    bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '.';
    if (!plain) *at = '_';
  }
  if (stat("/proc/self/ns/pid", &namespace) != 0) namespace.st_ino = 0;
  skep_buf_printf(out, ".skep-spill-%.64s-%llu-", host, (unsigned long long)namespace.st_ino);
}

void skep_spill_name(const skep_ctx *ctx, skep_buf *out) {
  prefix(out);
  skep_buf_printf(out, "%lld-%016llx", (long long)getpid(), (unsigned long long)ctx->random(ctx->random_self));
}

typedef struct cleaning {
  skep_session *s;
  skep_buf prefix, dead; /* dead: names, each with its NUL */
} cleaning;

/* "<pid>-<random>" of a process that is no more. Any doubt is a no. */
static bool is_dead(const char *rest) {
  int64_t pid = 0;
  for (; *rest >= '0' && *rest <= '9'; rest++) {
    pid = pid * 10 + (*rest - '0');
    if (pid > INT32_MAX) return false;
  }
  if (*rest != '-' || pid <= 0) return false;
  return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static skep_status look(void *self, const skep_entry *entry, skep_err *err) {
  cleaning *c = self;
  if (entry->kind != SKEP_ENTRY_DIR) return SKEP_OK;
  if (strncmp(entry->name, skep_buf_string(&c->prefix), c->prefix.size) != 0) return SKEP_OK;
  if (!is_dead(entry->name + c->prefix.size)) return SKEP_OK;
  skep_buf_text(&c->dead, entry->name);
  skep_buf_byte(&c->dead, '\0');
  return skep_buf_check(&c->dead, "a directory", err);
}

static void remove_one(cleaning *c, const char *name) {
  skep_buf path;
  skep_err why = {0};
  skep_buf_init(&path, c->s->ctx, 1 << 16);
  skep_dir_join(&path, c->s->warehouse, name);
  skep_status st = skep_buf_check(&path, "a directory", &why);
  if (st == SKEP_OK) st = skep_dir_remove(c->s->ctx, c->s->fs, skep_buf_string(&path), &why);
  if (st != SKEP_OK) skep_log(c->s->ctx, SKEP_LOG_WARN, "what a dead process spilled stays for now: %s", why.text);
  skep_buf_fini(&path);
}

void skep_spill_clean(skep_session *s) {
  cleaning c = {.s = s};
  skep_err why = {0};
  skep_buf_init(&c.prefix, s->ctx, 1 << 10);
  skep_buf_init(&c.dead, s->ctx, 1 << 20);
  prefix(&c.prefix);
  skep_status st = skep_buf_check(&c.prefix, "a directory", &why);
  if (st == SKEP_OK) st = skep_fs_list(s->fs, s->warehouse, false, look, &c, &why);
  if (st == SKEP_OK && c.dead.size > 0) {
    const char *names = skep_buf_string(&c.dead);
    for (size_t at = 0; at < c.dead.size; at += strlen(names + at) + 1) remove_one(&c, names + at);
  }
  skep_buf_fini(&c.prefix);
  skep_buf_fini(&c.dead);
}

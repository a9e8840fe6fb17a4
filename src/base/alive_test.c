/* Tags of processes: the own one lives, a child that ended does not, anything else is not known. */
#include "base/alive.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static void a_process_is_over_when_it_has_ended(void **state) {
  char tag[SKEP_ALIVE_TAG_SIZE], id[100];
  int ends[2];
  (void)state;
  skep_alive_tag(tag);
  if (tag[0] == 0) skip(); /* no /proc */
  snprintf(id, sizeof id, "skep-20261130035533_f05f63827ed183c7-3%s", tag);
  assert_false(skep_alive_is_over(id));
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    skep_alive_tag(tag);
    _exit(write(ends[1], tag, sizeof tag) == (ssize_t)sizeof tag ? 0 : 1);
  }
  assert_int_equal(read(ends[0], tag, sizeof tag), sizeof tag);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
  snprintf(id, sizeof id, "skep-1%s", tag);
  assert_true(skep_alive_is_over(id)); /* ended, and still there to be asked how */
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_true(skep_alive_is_over(id));
  close(ends[0]);
  close(ends[1]);
}

/* A number that was given out again is another process; what is not this machine's is not known. */
static void only_what_is_certain_is_over(void **state) {
  char tag[SKEP_ALIVE_TAG_SIZE], id[100];
  (void)state;
  skep_alive_tag(tag);
  if (tag[0] == 0) skip();
  char *start = strrchr(tag, '.');
  snprintf(id, sizeof id, "skep-1%.*s.1", (int)(start - tag), tag);
  assert_true(skep_alive_is_over(id));
  static const char *const unknown[] = {"",
                                        "skep-1",
                                        "root_20261129195956_2988e52a-97f8-4380-ab67-d3125691741d",
                                        "@",
                                        "@.",
                                        "@00000000.1.1",
                                        "@0000000000000000000.1.1"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) assert_false(skep_alive_is_over(unknown[i]));
  for (size_t n = 0; n < strlen(tag); n++) { /* a tag that was cut */
    snprintf(id, sizeof id, "%.*s", (int)n, tag);
    if (strchr(id, '.') != NULL && strrchr(id, '.') != strchr(id, '.') && id[n - 1] != '.')
      continue; /* another start: over */
    assert_false(skep_alive_is_over(id));
  }
}

/* As another user, under a /proc that shows nobody else's processes (hidepid=2). Exits 2 where that cannot be made. */
static void ask_without_sight(const char *id) {
  bool made = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
              mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 && setgid(65534) == 0 && setuid(65534) == 0;
  _exit(!made ? 2 : skep_alive_is_over(id) ? 1 : 0);
}

static void a_process_that_is_hidden_is_not_over(void **state) {
  char tag[SKEP_ALIVE_TAG_SIZE], id[100];
  int how = 0;
  (void)state;
  skep_alive_tag(tag);
  if (tag[0] == 0) skip();
  snprintf(id, sizeof id, "skep-1%s", tag);
  pid_t child = fork();
  if (child == 0) ask_without_sight(id);
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how));
  if (WEXITSTATUS(how) == 2) skip();
  assert_int_equal(WEXITSTATUS(how), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_process_is_over_when_it_has_ended),
                                     cmocka_unit_test(only_what_is_certain_is_over),
                                     cmocka_unit_test(a_process_that_is_hidden_is_not_over)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

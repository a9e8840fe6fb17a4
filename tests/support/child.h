/* Child processes of a test: a function or a shell command in one, what it says through a pipe, how it ended. DuckDB
 * does not survive a fork: where both sides need it, the parent starts its children first. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

/* What a child does; it may write into `fd`. Returns its exit status. */
typedef int child_body(const void *arg, int fd);

/* The exit status of a child that has ended. One that a signal ended fails the test. */
static inline int child_wait(pid_t pid) {
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFSIGNALED(status)) fail_msg("a child died of signal %d", WTERMSIG(status));
  return WEXITSTATUS(status);
}

/* Runs `body` in a child that writes into a pipe, and waits for it. What it wrote is in `out`, NUL-terminated and cut
 * to `size`. Returns its exit status. */
static inline int child_run(child_body *body, const void *arg, char *out, size_t size) {
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(fds[0]);
    _exit(body(arg, fds[1]));
  }
  close(fds[1]);
  size_t at = 0;
  for (;;) {
    ssize_t n = read(fds[0], out + at, size - 1 - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += (size_t)n;
  }
  out[at] = '\0';
  close(fds[0]);
  return child_wait(pid);
}

/* In a child: writes all of `text`. */
static inline void child_say(int fd, const char *text) {
  size_t length = strlen(text);
  while (length != 0) {
    ssize_t n = write(fd, text, length);
    if (n <= 0) _exit(2);
    text += n;
    length -= (size_t)n;
  }
}

/* A shell command, which must succeed. */
static inline void child_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void child_shell(const char *format, ...) {
  char command[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(command, sizeof command, format, args);
  va_end(args);
  assert_true(n > 0 && (size_t)n < sizeof command);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  assert_int_equal(child_wait(pid), 0);
}

#endif

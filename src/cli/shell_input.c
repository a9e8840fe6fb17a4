/* Where the shell's statements come from: texts, files, pipes, and a person at a terminal (libedit). */
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/shell_int.h"
#include "skep/version.h"

void skep_shell_run_text(skep_shell *shell, const char *text) {
  skep_shell_script script;
  skep_shell_script_init(&script, shell);
  skep_shell_script_feed(&script, text, strlen(text));
  skep_shell_script_finish(&script);
  skep_shell_script_fini(&script);
}

/* A statement runs as soon as its ';' came: who sends the next one only after the answer must not be kept waiting. */
void skep_shell_run_fd(skep_shell *shell, int fd, const char *name) {
  enum { CHUNK = 64 << 10 };
  skep_shell_script script;
  skep_err err = {0};
  char *bytes = skep_alloc(shell->ctx, CHUNK);
  if (bytes == NULL) {
    (void)skep_fail(&err, SKEP_ERR_NOMEM, "no memory to read statements");
    skep_shell_give_up(shell, &err);
    return;
  }
  skep_shell_script_init(&script, shell);
  script.name = name;
  ssize_t n = 0;
  while (!shell->quit && (n = skep_interrupts_read(&shell->interrupts, fd, bytes, CHUNK)) > 0) {
    skep_shell_script_feed(&script, bytes, (size_t)n);
  }
  if (n == 0) skep_shell_script_finish(&script);
  if (n < 0 && errno == EINTR) {
    shell->exit_code = SKEP_CLI_INTERRUPTED;
    shell->quit = shell->terminated = true;
  } else if (n < 0) {
    char text[128];
    (void)skep_fail(&err, SKEP_ERR_IO, "cannot read %s: %s", name, strerror_r(errno, text, sizeof text));
    skep_shell_give_up(shell, &err);
  }
  skep_shell_script_fini(&script);
  skep_release(shell->ctx, bytes);
}

void skep_shell_run_file(skep_shell *shell, const char *path) {
  if (strcmp(path, "-") == 0) {
    skep_shell_run_fd(shell, STDIN_FILENO, "standard input");
    return;
  }
  char quoted[300], text[128];
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    fprintf(stderr, "Error: cannot open %s: %s\n", quoted, strerror_r(errno, text, sizeof text));
    shell->exit_code = SKEP_CLI_FAILED;
    if (!shell->interactive && !shell->force) shell->quit = true;
    return;
  }
  skep_shell_run_fd(shell, fd, quoted);
  close(fd);
}

/* --- a person --- */

typedef struct terminal {
  skep_shell *shell;
  skep_shell_script script;
  EditLine *editor;
  History *history;
  const char *history_path; /* NULL: none is kept */
  skep_buf entry;           /* the lines of the statement that is being typed */
  locale_t utf8, before;    /* libedit asks the thread's locale how characters are spelled */
  bool woken;               /* a signal ended the line */
  char prompt[200];
} terminal;

static const char *prompt_of(EditLine *editor) {
  terminal *t = NULL;
  el_get(editor, EL_CLIENTDATA, &t);
  if (!skep_splitter_pending(&t->script.splitter)) {
    char name[128];
    const char *db = skep_session_database(t->shell->session);
    skep_quote(name, sizeof name, db, strlen(db));
    snprintf(t->prompt, sizeof t->prompt, "skep (%s)%s> ", name,
             skep_session_in_transaction(t->shell->session) ? "*" : "");
    return t->prompt;
  }
  char open = skep_splitter_open(&t->script.splitter);
  snprintf(t->prompt, sizeof t->prompt, "%4c> ", open != 0 ? open : '.');
  return t->prompt;
}

/* One character of the terminal; a signal ends the line. Source: editline(3), EL_GETCFN. */
static int read_character(EditLine *editor, wchar_t *out) {
  terminal *t = NULL;
  uint8_t bytes[4];
  el_get(editor, EL_CLIENTDATA, &t);
  for (size_t n = 0; n < sizeof bytes; n++) {
    ssize_t got = skep_interrupts_read(&t->shell->interrupts, STDIN_FILENO, bytes + n, 1);
    if (got < 0 && errno == EINTR) t->woken = true;
    if (got <= 0) return got < 0 && !t->woken ? -1 : 0;
    if (bytes[0] < 0x80) {
      *out = (wchar_t)bytes[0];
      return 1;
    }
    if (skep_utf8_length(bytes, n + 1) != 0) {
      *out = (wchar_t)skep_utf8_decode(bytes, n + 1);
      return 1;
    }
  }
  *out = 0xfffd; /* no UTF-8 */
  return 1;
}

static void open_history(terminal *t, skep_arena *arena) {
  HistEvent event;
  const char *path = getenv("SKEP_HISTORY"), *home = getenv("HOME");
  if (path == NULL && home != NULL && home[0] != '\0') {
    size_t room = strlen(home) + sizeof "/.skep_history";
    char *made = skep_arena_alloc(arena, room);
    if (made != NULL) snprintf(made, room, "%s/.skep_history", home);
    path = made;
  }
  t->history = history_init();
  if (t->history == NULL) return;
  history(t->history, &event, H_SETSIZE, 2000);
  history(t->history, &event, H_SETUNIQUE, 1);
  el_set(t->editor, EL_HIST, history, t->history);
  if (path == NULL || path[0] == '\0') return;
  t->history_path = path;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600); /* statements may hold secrets: for the owner alone */
  if (fd >= 0) close(fd);
  history(t->history, &event, H_LOAD, path);
}

static bool open_terminal(terminal *t, skep_shell *shell, skep_arena *arena) {
  *t = (terminal){.shell = shell};
  skep_shell_script_init(&t->script, shell);
  skep_buf_init(&t->entry, shell->ctx, 1 << 20);
  t->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (t->utf8 != (locale_t)0) t->before = uselocale(t->utf8);
  t->editor = el_init("skep", stdin, stdout, stderr);
  if (t->editor == NULL) return false;
  el_set(t->editor, EL_CLIENTDATA, t);
  el_set(t->editor, EL_PROMPT, prompt_of);
  el_set(t->editor, EL_EDITOR, "emacs");
  el_set(t->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_set(t->editor, EL_GETCFN, read_character);
  el_source(t->editor, NULL); /* ~/.editrc */
  open_history(t, arena);
  return true;
}

static void close_terminal(terminal *t) {
  HistEvent event;
  if (t->history != NULL && t->history_path != NULL) history(t->history, &event, H_SAVE, t->history_path);
  if (t->editor != NULL) el_end(t->editor);
  if (t->history != NULL) history_end(t->history);
  if (t->utf8 != (locale_t)0) {
    uselocale(t->before);
    freelocale(t->utf8);
  }
  skep_buf_fini(&t->entry);
  skep_shell_script_fini(&t->script);
}

/* A statement of several lines comes back as one, unless a comment needs its line's end. */
static void remember(terminal *t, const char *line, size_t length) {
  HistEvent event;
  skep_buf_add(&t->entry, line, length);
  if (skep_splitter_pending(&t->script.splitter)) return;
  char *text = (char *)(uintptr_t)skep_buf_string(&t->entry);
  bool has_comment = strstr(text, "--") != NULL;
  size_t n = strlen(text);
  while (n > 0 && text[n - 1] == '\n') text[--n] = '\0';
  for (size_t i = 0; i < n && !has_comment; i++) {
    if (text[i] == '\n') text[i] = ' ';
  }
  if (n > 0 && t->history != NULL) history(t->history, &event, H_ENTER, text);
  skep_buf_reset(&t->entry);
}

static bool is_quit_line(const terminal *t, const char *line, size_t length) {
  return !skep_splitter_pending(&t->script.splitter) && skep_command_of(line, length, NULL, NULL) == SKEP_COMMAND_QUIT;
}

/* Ctrl-C at the prompt drops what was typed. */
static void drop_line(terminal *t) {
  bool terminated;
  t->woken = false;
  fputs("^C\n", stdout);
  fflush(stdout);
  skep_interrupts_take(&t->shell->interrupts, &terminated);
  skep_splitter_reset(&t->script.splitter);
  skep_buf_reset(&t->entry);
  t->script.at_line_start = true;
  el_reset(t->editor);
  if (terminated) t->shell->quit = t->shell->terminated = true;
}

static void converse(terminal *t) {
  while (!t->shell->quit) {
    int count = 0;
    const char *line = el_gets(t->editor, &count);
    if (t->woken) {
      drop_line(t);
    } else if (line == NULL || count <= 0) {
      fputs("\n", stdout);
      fflush(stdout);
      break;
    } else if (is_quit_line(t, line, (size_t)count)) {
      break;
    } else {
      size_t length = (size_t)count;
      char *copy = skep_strndup(t->shell->ctx, line, length); /* the editor's own line changes with the prompt */
      if (copy == NULL) break;
      skep_shell_script_feed(&t->script, copy, length);
      remember(t, copy, length);
      skep_release(t->shell->ctx, copy);
    }
  }
}

void skep_shell_run_terminal(skep_shell *shell) {
  terminal t;
  skep_arena arena;
  skep_arena_init(&arena, shell->ctx, 1u << 20);
  if (!shell->silent) {
    fprintf(stderr, "skep %s. Statements end with ';'; .help lists other commands.\n", SKEP_VERSION_STRING);
  }
  if (open_terminal(&t, shell, &arena)) {
    converse(&t);
  } else {
    fputs("skep: warning: lines cannot be edited here\n", stderr);
    skep_shell_run_fd(shell, STDIN_FILENO, "standard input");
  }
  close_terminal(&t);
  skep_arena_fini(&arena);
}

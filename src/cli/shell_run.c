/* One statement of the shell: run, rows printed, failure told, time told. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/shell_int.h"

enum { MAX_STATEMENT_BYTES = 1 << 30, MAX_DOT_BYTES = 4096, MAX_SOURCE_DEPTH = 16 };

/* --- messages --- */

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Hive's clients say "FAILED: " before what the compiler or a task has to say, and "Error: " before anything else. */
static void print_failure(skep_shell *shell, const skep_err *err) {
  const char *prefix = "FAILED: ";
  if (begins(err->text, "FAILED:") || begins(err->text, "Error:")) prefix = "";
  if (err->status == SKEP_ERR_CANCELLED) prefix = "Error: ";
  if (err->status == SKEP_ERR_CANCELLED && skep_interrupts_pending(&shell->interrupts)) {
    fputs("Error: the statement was cancelled\n", stderr);
    shell->exit_code = SKEP_CLI_INTERRUPTED;
  } else {
    fprintf(stderr, "%s%s\n", prefix, err->text[0] != '\0' ? err->text : skep_status_name(err->status));
    shell->exit_code = SKEP_CLI_FAILED;
  }
  shell->failed = true;
  if (!shell->interactive && !shell->force) shell->quit = true;
}

void skep_shell_give_up(skep_shell *shell, const skep_err *err) {
  fprintf(stderr, "Error: %s\n", err->text);
  shell->exit_code = SKEP_CLI_FAILED;
  shell->quit = true;
}

static void refuse(skep_shell *shell, const char *what, const char *word, size_t length) {
  skep_err err;
  char quoted[120];
  (void)skep_fail(&err, SKEP_ERR_UNSUPPORTED, "Error: %s: %s", what, skep_quote(quoted, sizeof quoted, word, length));
  print_failure(shell, &err);
}

static void print_notices(const skep_shell *shell) {
  const char *notice;
  for (size_t i = 0; !shell->silent && (notice = skep_session_notice(shell->session, i)) != NULL; i++) {
    fprintf(stderr, "%s\n", notice);
  }
}

static void print_time(const skep_shell *shell, bool has_rows, uint64_t n, int64_t begin_ns) {
  if (!shell->timer) return;
  double seconds = (double)(shell->ctx->monotonic_ns(shell->ctx->clock_self) - begin_ns) / 1e9;
  if (!has_rows) {
    fprintf(stderr, "OK (%.3f seconds)\n", seconds);
  } else if (n == 0) {
    fprintf(stderr, "No rows selected (%.3f seconds)\n", seconds);
  } else {
    fprintf(stderr, "%llu row%s selected (%.3f seconds)\n", (unsigned long long)n, n == 1 ? "" : "s", seconds);
  }
}

/* --- rows --- */

static skep_status print_batches(skep_shell *shell, skep_result *result, const skep_cli_formatter *formatter,
                                 skep_cli_printer *printer, const skep_vec **columns, skep_cli_chunk *chunk,
                                 skep_err *err) {
  const skep_batch *batch;
  bool more = true;
  skep_status status = SKEP_OK;
  while (more && (status = skep_result_next(result, &batch, err)) == SKEP_OK) {
    skep_interrupts_quiet(&shell->interrupts);
    if (formatter->n_columns > batch->root.n_children)
      return skep_fail(err, SKEP_ERR_INTERNAL, "a batch lacks columns");
    for (uint32_t i = 0; i < formatter->n_columns; i++) columns[i] = &batch->root.children[i];
    SKEP_TRY(skep_cli_format_rows(formatter, columns, batch->root.length, chunk, err));
    SKEP_TRY(skep_cli_print_chunk(printer, chunk, &more, err));
  }
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status print_rows(skep_shell *shell, skep_result *result, skep_arena *arena, uint64_t *n_rows,
                              skep_err *err) {
  skep_cli_formatter formatter;
  skep_cli_printer printer;
  skep_cli_chunk chunk = {0};
  SKEP_TRY(
      skep_cli_formatter_init(&formatter, arena, shell->format, skep_result_type(result), SKEP_CLI_UTF8_DEFAULT, err));
  const skep_vec **columns = skep_arena_zero(arena, (size_t)formatter.n_columns + 1, sizeof *columns);
  if (columns == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for %u columns", formatter.n_columns);
  SKEP_TRY(skep_cli_printer_init(&printer, shell->ctx, &formatter, &shell->out, shell->header, UINT64_MAX, err));
  printer.said_replaced = shell->silent;
  skep_cli_chunk_init(&chunk, shell->ctx);
  skep_status status = skep_cli_print_begin(&printer, err);
  if (status == SKEP_OK) status = print_batches(shell, result, &formatter, &printer, columns, &chunk, err);
  skep_interrupts_quiet(&shell->interrupts);
  /* What came before a failure is printed; should printing fail as well, the first failure is the one to tell. */
  skep_status ended = skep_cli_print_end(&printer, status == SKEP_OK ? err : NULL);
  *n_rows = printer.n_rows;
  skep_cli_chunk_fini(&chunk);
  skep_cli_printer_fini(&printer);
  return status != SKEP_OK ? status : ended;
}

/* --- statements --- */

static void cancel_statement(void *self) { skep_session_cancel(self); }

static double progress_of_statement(void *self) { return skep_session_progress(self); }
static bool statement_waits(void *self, char *out, size_t size) { return skep_session_waits_for(self, out, size); }

static void run_sql(skep_shell *shell, const char *text, size_t length) {
  skep_err err = {0};
  skep_arena arena;
  skep_result *result = NULL;
  uint64_t n_rows = 0;
  int64_t begin_ns = shell->ctx->monotonic_ns(shell->ctx->clock_self);
  bool in_transaction = skep_session_in_transaction(shell->session);
  skep_arena_init(&arena, shell->ctx, 64u << 20);
  shell->interrupts.waits = statement_waits;
  skep_interrupts_begin(&shell->interrupts, cancel_statement, progress_of_statement, shell->session);
  skep_status status = skep_session_run(shell->session, text, length, &result, &err);
  bool has_rows = result != NULL;
  if (status == SKEP_OK && has_rows) status = print_rows(shell, result, &arena, &n_rows, &err);
  skep_result_free(result);
  skep_interrupts_end(&shell->interrupts);
  skep_arena_fini(&arena);
  print_notices(shell);
  shell->exit_code = SKEP_CLI_OK;
  if (shell->out.error != 0) return; /* told by settle */
  if (status != SKEP_OK) {
    print_failure(shell, &err);
    if (in_transaction && !shell->silent && !skep_session_in_transaction(shell->session))
      fputs("The transaction is rolled back.\n", stderr);
  } else {
    print_time(shell, has_rows, n_rows, begin_ns);
  }
}

/* After every statement: Ctrl-C that came too late for it is forgotten by a person's shell and ends another one. */
static void settle(skep_shell *shell) {
  bool terminated;
  skep_cli_output_flush(&shell->out);
  bool interrupted = skep_interrupts_take(&shell->interrupts, &terminated);
  if (terminated || (interrupted && !shell->interactive)) {
    shell->exit_code = SKEP_CLI_INTERRUPTED;
    shell->quit = shell->terminated = true;
  }
  if (shell->out.closed || shell->out.error != 0) {
    skep_err err = {0};
    if (skep_cli_output_check(&shell->out, &err) != SKEP_OK) skep_shell_give_up(shell, &err);
    shell->quit = shell->terminated = true; /* nobody reads what would come */
  }
}

static void run_source(skep_shell *shell, const char *path, size_t length) {
  skep_err err = {0};
  skep_arena arena;
  if (shell->depth >= MAX_SOURCE_DEPTH) {
    refuse(shell, "SOURCE within SOURCE is nested too deep", path, length);
    return;
  }
  skep_arena_init(&arena, shell->ctx, 1u << 20);
  const char *copy = skep_arena_strndup(&arena, path, length);
  shell->depth++;
  if (copy != NULL) skep_shell_run_file(shell, copy);
  shell->depth--;
  skep_arena_fini(&arena);
  if (copy != NULL) return;
  (void)skep_fail(&err, SKEP_ERR_NOMEM, "no memory for a path");
  print_failure(shell, &err);
}

/* beeline's "!quit" and its short forms. */
static bool is_quit(const char *rest, size_t length) {
  static const char *const words[] = {"q", "quit", "exit"};
  for (size_t i = 0; i < 3; i++) {
    if (strlen(words[i]) == length && strncasecmp(words[i], rest, length) == 0) return true;
  }
  return false;
}

void skep_shell_statement(skep_shell *shell, const char *text, size_t length) {
  const char *rest = text;
  size_t rest_length = 0;
  if (skep_interrupts_pending(&shell->interrupts)) { /* it was meant for this one, which has not begun */
    settle(shell);
    return;
  }
  switch (skep_command_of(text, length, &rest, &rest_length)) {
    case SKEP_COMMAND_QUIT:
      shell->quit = true;
      return;
    case SKEP_COMMAND_SOURCE:
      run_source(shell, rest, rest_length);
      return;
    case SKEP_COMMAND_SHELL:
      if (is_quit(rest, rest_length)) {
        shell->quit = true;
        return;
      }
      refuse(shell, "commands that begin with '!' are not supported", rest, rest_length);
      break;
    default:
      run_sql(shell, text, length);
  }
  settle(shell);
}

/* --- commands of the shell's own --- */

/* What people type first in a shell they do not know; no statement begins so. */
static bool asks_for_help(const char *line, size_t length) {
  static const char *const words[] = {"help", "help;", "?", "\\?", "!help"};
  while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r' || line[length - 1] == ' ')) length--;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strlen(words[i]) == length && strncasecmp(words[i], line, length) == 0) return true;
  }
  return false;
}

static void dot_help(void) {
  fputs(
      "Statements end with ';'.\n"
      ".help            this text\n"
      ".mode FORMAT     how rows are printed: " SKEP_CLI_FORMAT_NAMES
      "\n"
      ".header on|off   column names before rows\n"
      ".timer on|off    say how long each statement took\n"
      ".quit            leave (also \"quit;\" or Ctrl-D)\n"
      "Ctrl-C cancels the running statement.\n",
      stderr);
}

static bool dot_set(skep_shell *shell, const char *name, const char *value) {
  if (strcmp(name, "mode") == 0) return skep_cli_format_parse(value, &shell->format);
  if (strcmp(name, "header") == 0 || strcmp(name, "headers") == 0) return skep_cli_parse_bool(value, &shell->header);
  if (strcmp(name, "timer") == 0) return skep_cli_parse_bool(value, &shell->timer);
  return false;
}

/* line: after the dot, without line end; changed here. */
static void dot_command(skep_shell *shell, char *line) {
  size_t length = strlen(line), name_length = strcspn(line, " \t");
  while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == ';')) length--;
  line[length] = '\0';
  char *value = line + (name_length < length ? name_length : length);
  if (*value != '\0') *value++ = '\0';
  value += strspn(value, " \t");
  if (strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0) {
    shell->quit = true;
  } else if (strcmp(line, "help") == 0) {
    dot_help();
  } else if (!dot_set(shell, line, value)) {
    refuse(shell, "unknown command or value (see .help)", line, strlen(line));
  }
}

/* --- scripts --- */

void skep_shell_script_init(skep_shell_script *s, skep_shell *shell) {
  *s = (skep_shell_script){.shell = shell, .at_line_start = true};
  skep_splitter_init(&s->splitter, shell->ctx, MAX_STATEMENT_BYTES);
  skep_buf_init(&s->dot_command, shell->ctx, MAX_DOT_BYTES);
}

void skep_shell_script_fini(skep_shell_script *s) {
  skep_splitter_fini(&s->splitter);
  skep_buf_fini(&s->dot_command);
}

static void run_dot_command(skep_shell_script *s) {
  skep_err err = {0};
  s->in_dot_command = false;
  if (skep_splitter_feed(&s->splitter, "\n", 1, &err) != SKEP_OK)
    skep_shell_give_up(s->shell, &err); /* it counts lines */
  if (skep_buf_byte(&s->dot_command, '\0')) dot_command(s->shell, (char *)s->dot_command.data);
  skep_buf_reset(&s->dot_command);
}

/* Hive's words tell the line within the statement; who wrote a script of a hundred needs the statement as well. */
static void run_statement(skep_shell_script *s, const skep_script_statement *statement) {
  s->shell->failed = false;
  skep_shell_statement(s->shell, statement->text, statement->length);
  if (s->shell->failed && s->name != NULL && statement->line > 1)
    fprintf(stderr, "The statement begins at line %u of %s.\n", statement->line, s->name);
  s->shell->failed = false;
}

static void run_complete(skep_shell_script *s) {
  skep_script_statement statement;
  skep_err err = {0};
  skep_status status = SKEP_OK;
  while (!s->shell->quit && (status = skep_splitter_next(&s->splitter, &statement, &err)) == SKEP_OK) {
    run_statement(s, &statement);
  }
  if (status != SKEP_OK && status != SKEP_END) skep_shell_give_up(s->shell, &err);
}

/* "quit" or "exit" alone on its line. */
static bool is_quit_line(const char *line, size_t length) {
  const char *rest;
  size_t rest_length = 0;
  return skep_command_of(line, length, &rest, &rest_length) == SKEP_COMMAND_QUIT && rest_length == 0;
}

/* Bytes of one line, or of its beginning or end. */
static void feed_part(skep_shell_script *s, const char *bytes, size_t length, bool ends_line) {
  skep_err err = {0};
  if (s->shell->interactive && s->at_line_start && ends_line && !skep_splitter_pending(&s->splitter) &&
      asks_for_help(bytes, length)) {
    dot_help();
    return;
  }
  if (s->at_line_start && ends_line && !skep_splitter_pending(&s->splitter) && is_quit_line(bytes, length)) {
    s->shell->quit = true; /* without a ';' too: no statement begins so */
    return;
  }
  if (s->at_line_start && bytes[0] == '.' && !skep_splitter_pending(&s->splitter)) {
    s->in_dot_command = true;
    bytes++;
    length--;
  }
  s->at_line_start = ends_line;
  if (s->in_dot_command) {
    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) length--;
    skep_buf_add(&s->dot_command, bytes, length);
    if (ends_line) run_dot_command(s);
    return;
  }
  if (skep_splitter_feed(&s->splitter, bytes, length, &err) != SKEP_OK) {
    skep_shell_give_up(s->shell, &err);
    return;
  }
  run_complete(s);
}

void skep_shell_script_feed(skep_shell_script *s, const char *bytes, size_t length) {
  if (!s->has_begun && length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
    bytes += 3;
    length -= 3;
  }
  s->has_begun = s->has_begun || length > 0;
  while (length > 0 && !s->shell->quit) {
    const char *end = memchr(bytes, '\n', length);
    size_t part = end != NULL ? (size_t)(end - bytes) + 1 : length;
    feed_part(s, bytes, part, end != NULL);
    bytes += part;
    length -= part;
  }
}

void skep_shell_script_finish(skep_shell_script *s) {
  skep_script_statement statement;
  skep_err err = {0};
  if (s->shell->quit) return;
  if (s->in_dot_command) run_dot_command(s);
  skep_status status = skep_splitter_finish(&s->splitter, &statement, &err);
  if (status == SKEP_OK) {
    run_statement(s, &statement);
  } else if (status != SKEP_END) {
    skep_shell_give_up(s->shell, &err);
  } else if (skep_splitter_open(&s->splitter) == '*' && !s->shell->silent) {
    fprintf(stderr, "A comment that begins at line %u%s%s is not closed: what stands in it was not run.\n",
            s->splitter.comment_line, s->name != NULL ? " of " : "", s->name != NULL ? s->name : "");
  }
}

/* The messages that all commands print the same way, on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

void skep_cli_warn(const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "skep: warning: %s\n", text);
}

int skep_cli_failed(const skep_err *err) {
  if (err->status == SKEP_ERR_CANCELLED) {
    fputs("skep: interrupted\n", stderr);
    return SKEP_CLI_INTERRUPTED;
  }
  const char *kind = "";
  if (err->status == SKEP_ERR_UNSUPPORTED && strstr(err->text, "unsupported") == NULL) kind = "unsupported: ";
  if (err->status == SKEP_ERR_NOMEM && strstr(err->text, "memory") == NULL) kind = "out of memory: ";
  fprintf(stderr, "skep: %s%s\n", kind, err->text);
  if (err->status == SKEP_ERR_NOT_FOUND && strstr(err->text, ":/") != NULL)
    fputs("Only local paths are read: no hdfs:, s3: or file: locations.\n", stderr);
  return SKEP_CLI_FAILED;
}

int skep_cli_wrong_usage(const skep_cli_command *command, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *space = command != NULL ? " " : "", *name = command != NULL ? command->name : "";
  fprintf(stderr, "skep%s%s: %s\nTry 'skep%s%s --help'.\n", space, name, text, space, name);
  return SKEP_CLI_USAGE;
}

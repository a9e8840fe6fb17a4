/* A report: nested objects and lists of named facts, written once and shown as indented text or as JSON.
 *
 * In text a list item stands behind "- ", an inline object on one line. Names and texts may be untrusted bytes: text
 * output quotes them, JSON replaces what is no UTF-8. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/output.h"
#include "column/text.h"

enum { SKEP_REPORT_DEPTH = 24 };

typedef struct skep_report_level {
  bool is_list, is_inline, any; /* any: something was written in it */
} skep_report_level;

typedef struct skep_report {
  skep_cli_output *out;
  bool json;
  bool dash; /* text: the next line begins a list item */
  skep_buf buf;
  unsigned depth; /* open levels; 0 is the top */
  unsigned indent;
  skep_report_level levels[SKEP_REPORT_DEPTH];
} skep_report;

/* Opens the top object. */
void skep_report_begin(skep_report *r, skep_cli_output *out, bool json);
/* Closes it and flushes; SKEP_ERR_IO, SKEP_ERR_NOMEM. */
SKEP_NODISCARD skep_status skep_report_end(skep_report *r, skep_err *err);

/* key NULL: an item of a list. Levels beyond SKEP_REPORT_DEPTH are a mistake of the caller. */
void skep_report_open(skep_report *r, const char *key);        /* object */
void skep_report_open_inline(skep_report *r, const char *key); /* object on one line: scalars and inline objects only */
void skep_report_open_list(skep_report *r, const char *key);
void skep_report_close(skep_report *r);

void skep_report_text(skep_report *r, const char *key, const char *text);
void skep_report_bytes(skep_report *r, const char *key, skep_bytes bytes); /* as text */
void skep_report_hex(skep_report *r, const char *key, skep_bytes bytes);
void skep_report_u64(skep_report *r, const char *key, uint64_t value);
void skep_report_i64(skep_report *r, const char *key, int64_t value);
void skep_report_bool(skep_report *r, const char *key, bool value);
/* What `append` would print, as a text; for values made with skep_text_... */
void skep_report_buf(skep_report *r, const char *key, const skep_buf *value);

#endif

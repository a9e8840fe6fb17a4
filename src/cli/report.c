/* Reports as text and as JSON. */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_BYTES = 64 << 10, MAX_BYTES = 1 << 30 };

static void flush_some(skep_report *r, size_t above) {
  if (r->buf.size <= above || r->buf.status != SKEP_OK) return;
  skep_cli_output_write(r->out, r->buf.data, r->buf.size);
  skep_buf_reset(&r->buf);
}

static void line_start(skep_report *r) {
  unsigned n = r->indent;
  if (r->json) {
    for (unsigned i = 0; i < 2 * r->depth; i++) skep_buf_byte(&r->buf, ' ');
    return;
  }
  for (unsigned i = 0; i + (r->dash ? 1 : 0) < n; i++) skep_buf_text(&r->buf, "  ");
  if (r->dash) skep_buf_text(&r->buf, "- ");
  r->dash = false;
}

static void json_string(skep_report *r, const void *bytes, size_t length) {
  skep_text text = {.style = SKEP_TEXT_JSON};
  if (skep_text_json_string(&text, skep_bytes_of(bytes, length), &r->buf, NULL) != SKEP_OK)
    skep_buf_text(&r->buf, "null");
}

/* What stands before a value: separator, line, indentation, name. */
static void before(skep_report *r, const char *key, bool opens_block) {
  skep_report_level *level = &r->levels[r->depth];
  flush_some(r, FLUSH_BYTES);
  if (r->json) {
    if (level->any) skep_buf_byte(&r->buf, ',');
    if (level->is_inline) {
      if (level->any) skep_buf_byte(&r->buf, ' ');
    } else {
      if (r->depth > 0 || level->any) skep_buf_byte(&r->buf, '\n');
      line_start(r);
    }
    if (key != NULL) {
      json_string(r, key, strlen(key));
      skep_buf_text(&r->buf, ": ");
    }
  } else if (level->is_inline) {
    if (level->any) skep_buf_text(&r->buf, ", ");
    if (key != NULL) skep_buf_printf(&r->buf, "%s ", key);
  } else if (key != NULL) {
    line_start(r);
    skep_buf_printf(&r->buf, opens_block ? "%s:" : "%s: ", key);
  } else if (!opens_block) {
    line_start(r);
    skep_buf_text(&r->buf, "- ");
  }
  level->any = true;
}

static void after(skep_report *r) {
  if (!r->json && !r->levels[r->depth].is_inline) skep_buf_byte(&r->buf, '\n');
}

static void push(skep_report *r, bool is_list, bool is_inline) {
  if (r->depth + 1 >= SKEP_REPORT_DEPTH) abort();
  r->depth++;
  r->levels[r->depth] = (skep_report_level){.is_list = is_list, .is_inline = is_inline};
  if (r->json) skep_buf_byte(&r->buf, is_list ? '[' : '{');
}

void skep_report_begin(skep_report *r, skep_cli_output *out, bool json) {
  *r = (skep_report){.out = out, .json = json};
  skep_buf_init(&r->buf, out->ctx, MAX_BYTES);
  if (json) {
    push(r, false, false);
  } else {
    r->depth = 1;
  }
}

skep_status skep_report_end(skep_report *r, skep_err *err) {
  if (r->json) {
    r->depth = 0;
    skep_buf_text(&r->buf, "\n}\n");
  }
  skep_status status = skep_buf_check(&r->buf, "report", err);
  if (status == SKEP_OK) {
    flush_some(r, 0);
    skep_cli_output_flush(r->out);
    status = skep_cli_output_check(r->out, err);
  }
  skep_buf_fini(&r->buf);
  return status;
}

/* Text: an object in a list begins with its first fact on the line of the dash. */
static void open_block(skep_report *r, const char *key, bool is_list) {
  before(r, key, true);
  if (!r->json) {
    if (key != NULL) {
      skep_buf_byte(&r->buf, '\n');
    } else {
      r->dash = true;
    }
    r->indent++;
  }
  push(r, is_list, false);
}

void skep_report_open(skep_report *r, const char *key) { open_block(r, key, false); }
void skep_report_open_list(skep_report *r, const char *key) { open_block(r, key, true); }

void skep_report_open_inline(skep_report *r, const char *key) {
  before(r, key, false);
  push(r, false, true);
  if (!r->json && r->levels[r->depth - 1].is_inline) skep_buf_byte(&r->buf, '(');
}

void skep_report_close(skep_report *r) {
  skep_report_level level = r->levels[r->depth];
  r->depth--;
  if (r->json) {
    if (!level.is_inline && level.any) {
      skep_buf_byte(&r->buf, '\n');
      line_start(r);
    }
    skep_buf_byte(&r->buf, level.is_list ? ']' : '}');
    return;
  }
  if (level.is_inline) {
    if (r->levels[r->depth].is_inline) {
      skep_buf_byte(&r->buf, ')');
    } else {
      skep_buf_byte(&r->buf, '\n');
    }
    return;
  }
  r->indent--;
  r->dash = false;
}

static void put_quoted(skep_report *r, const uint8_t *bytes, size_t length) {
  char piece[512];
  while (length > 0) { /* in pieces that always fit, cut between characters */
    size_t n = length < 100 ? length : 100;
    while (n > 1 && n < length && (bytes[n] & 0xc0) == 0x80 && n > 96) n--;
    skep_buf_text(&r->buf, skep_quote(piece, sizeof piece, bytes, n));
    bytes += n;
    length -= n;
  }
}

void skep_report_bytes(skep_report *r, const char *key, skep_bytes bytes) {
  before(r, key, false);
  if (r->json) {
    json_string(r, bytes.at, bytes.left);
  } else {
    put_quoted(r, bytes.at, bytes.left);
  }
  after(r);
}

void skep_report_text(skep_report *r, const char *key, const char *text) {
  skep_report_bytes(r, key, skep_bytes_of(text, strlen(text)));
}

void skep_report_buf(skep_report *r, const char *key, const skep_buf *value) {
  skep_report_bytes(r, key, skep_bytes_of(value->data, value->size));
}

void skep_report_hex(skep_report *r, const char *key, skep_bytes bytes) {
  static const char digits[] = "0123456789abcdef";
  before(r, key, false);
  if (r->json) skep_buf_byte(&r->buf, '"');
  for (size_t i = 0; i < bytes.left; i++) {
    skep_buf_byte(&r->buf, (uint8_t)digits[bytes.at[i] >> 4]);
    skep_buf_byte(&r->buf, (uint8_t)digits[bytes.at[i] & 15]);
  }
  if (r->json) skep_buf_byte(&r->buf, '"');
  after(r);
}

void skep_report_u64(skep_report *r, const char *key, uint64_t value) {
  before(r, key, false);
  skep_buf_printf(&r->buf, "%llu", (unsigned long long)value);
  after(r);
}

void skep_report_i64(skep_report *r, const char *key, int64_t value) {
  before(r, key, false);
  skep_buf_i64(&r->buf, value);
  after(r);
}

void skep_report_bool(skep_report *r, const char *key, bool value) {
  before(r, key, false);
  skep_buf_text(&r->buf, r->json ? (value ? "true" : "false") : (value ? "yes" : "no"));
  after(r);
}

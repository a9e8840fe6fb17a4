/* Writing Hive type strings, so that reading them gives the same type again. */
#include "column/type.h"

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Whether the bare form would be read as another name: see bare_name in type_parse.c. */
static bool needs_quotes(const char *name) {
  size_t n = strlen(name);
  return n == 0 || is_blank(name[0]) || is_blank(name[n - 1]) || strpbrk(name, ":<>,`") != NULL;
}

static void print_name(const char *name, skep_buf *out) {
  if (needs_quotes(name)) {
    skep_buf_quoted(out, '`', name);
  } else {
    skep_buf_text(out, name);
  }
}

void skep_type_print(const skep_type *type, skep_buf *out) {
  skep_buf_text(out, skep_kind_name(type->kind));
  if (type->kind == SKEP_DECIMAL) skep_buf_printf(out, "(%u,%u)", type->precision, type->scale);
  if (type->kind == SKEP_CHAR || type->kind == SKEP_VARCHAR) skep_buf_printf(out, "(%u)", type->length);
  if (!skep_kind_is_nested(type->kind)) return;
  skep_buf_byte(out, '<');
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (i != 0) skep_buf_byte(out, ',');
    if (type->kind == SKEP_STRUCT) {
      print_name(type->names[i], out);
      skep_buf_byte(out, ':');
    }
    skep_type_print(type->children[i], out);
  }
  skep_buf_byte(out, '>');
}

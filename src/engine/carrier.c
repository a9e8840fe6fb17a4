/* The types that values travel in through DuckDB. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "engine/engine_int.h"

static duckdb_type primitive(skep_kind kind) {
  switch (kind) {
    case SKEP_BOOLEAN:
      return DUCKDB_TYPE_BOOLEAN;
    case SKEP_TINYINT:
      return DUCKDB_TYPE_TINYINT;
    case SKEP_SMALLINT:
      return DUCKDB_TYPE_SMALLINT;
    case SKEP_INT:
      return DUCKDB_TYPE_INTEGER;
    case SKEP_BIGINT:
      return DUCKDB_TYPE_BIGINT;
    case SKEP_FLOAT:
      return DUCKDB_TYPE_FLOAT;
    case SKEP_DOUBLE:
      return DUCKDB_TYPE_DOUBLE;
    case SKEP_DECIMAL:
      return DUCKDB_TYPE_DECIMAL;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return DUCKDB_TYPE_VARCHAR;
    case SKEP_BINARY:
      return DUCKDB_TYPE_BLOB;
    case SKEP_DATE:
      return DUCKDB_TYPE_DATE;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return DUCKDB_TYPE_HUGEINT;
    case SKEP_LIST:
      return DUCKDB_TYPE_LIST;
    case SKEP_MAP:
      return DUCKDB_TYPE_MAP;
    case SKEP_STRUCT:
    case SKEP_UNION:
      return DUCKDB_TYPE_STRUCT;
    case SKEP_KIND_COUNT:
      break;
  }
  return DUCKDB_TYPE_INVALID;
}

/* DuckDB's fields may not differ in case alone: the second of two gets its position as a suffix. */
static void field_name(const skep_type *type, uint32_t i, skep_buf *out) {
  bool is_taken = false;
  for (uint32_t k = 0; k < i; k++) is_taken = is_taken || strcasecmp(type->names[k], type->names[i]) == 0;
  skep_buf_text(out, type->names[i]);
  if (is_taken) skep_buf_printf(out, "_%u", i);
}

static duckdb_logical_type make_struct(const skep_ctx *ctx, const skep_type *type);

static duckdb_logical_type make(const skep_ctx *ctx, const skep_type *type) {
  if (type->kind == SKEP_DECIMAL) return skep_duck.create_decimal_type((uint8_t)type->precision, (uint8_t)type->scale);
  if (type->kind == SKEP_STRUCT || type->kind == SKEP_UNION) return make_struct(ctx, type);
  if (!skep_kind_is_nested(type->kind)) return skep_duck.create_logical_type(primitive(type->kind));
  duckdb_logical_type first = make(ctx, type->children[0]), out = NULL;
  if (type->kind == SKEP_LIST) {
    out = first == NULL ? NULL : skep_duck.create_list_type(first);
  } else {
    duckdb_logical_type second = make(ctx, type->children[1]);
    out = first == NULL || second == NULL ? NULL : skep_duck.create_map_type(first, second);
    skep_duck.destroy_logical_type(&second);
  }
  skep_duck.destroy_logical_type(&first);
  return out;
}

/* Depth is bounded by the type. */
static duckdb_logical_type make_struct(const skep_ctx *ctx, const skep_type *type) {
  uint32_t extra = type->kind == SKEP_UNION ? 1 : 0, n = type->n_children + extra;
  duckdb_logical_type *types = skep_alloc_zero(ctx, n, sizeof(duckdb_logical_type)), out = NULL;
  const char **names = skep_alloc_zero(ctx, n, sizeof *names);
  skep_buf *texts = skep_alloc_zero(ctx, n, sizeof *texts);
  bool ok = types != NULL && names != NULL && texts != NULL;
  for (uint32_t i = 0; ok && i < n; i++) {
    skep_buf_init(&texts[i], ctx, 1 << 20);
    if (extra == 0) {
      field_name(type, i, &texts[i]);
    } else if (i == 0) {
      skep_buf_text(&texts[i], "tag");
    } else {
      skep_buf_printf(&texts[i], "f%u", i - 1);
    }
    types[i] = i < extra ? skep_duck.create_logical_type(DUCKDB_TYPE_TINYINT) : make(ctx, type->children[i - extra]);
    names[i] = skep_buf_string(&texts[i]);
    ok = types[i] != NULL && texts[i].status == SKEP_OK;
  }
  if (ok) out = skep_duck.create_struct_type(types, names, n);
  for (uint32_t i = 0; types != NULL && texts != NULL && i < n; i++) {
    if (types[i] != NULL) skep_duck.destroy_logical_type(&types[i]);
    skep_buf_fini(&texts[i]);
  }
  skep_release(ctx, types);
  skep_release(ctx, names);
  skep_release(ctx, texts);
  return out;
}

duckdb_logical_type skep_carrier_type(const skep_ctx *ctx, const skep_type *type) { return make(ctx, type); }

static bool children_match(const skep_type *type, duckdb_logical_type carrier) {
  uint32_t extra = type->kind == SKEP_UNION ? 1 : 0;
  if (skep_duck.struct_type_child_count(carrier) != (idx_t)type->n_children + extra) return false;
  for (uint32_t i = 0; i < type->n_children + extra; i++) {
    duckdb_logical_type child = skep_duck.struct_type_child_type(carrier, i);
    bool same = i < extra ? skep_duck.get_type_id(child) == DUCKDB_TYPE_TINYINT
                          : skep_carrier_matches(type->children[i - extra], child);
    skep_duck.destroy_logical_type(&child);
    if (!same) return false;
  }
  return true;
}

bool skep_carrier_matches(const skep_type *type, duckdb_logical_type carrier) {
  if (skep_duck.get_type_id(carrier) != primitive(type->kind)) return false;
  if (type->kind == SKEP_DECIMAL)
    return skep_duck.decimal_width(carrier) == type->precision && skep_duck.decimal_scale(carrier) == type->scale;
  if (type->kind == SKEP_STRUCT || type->kind == SKEP_UNION) return children_match(type, carrier);
  if (!skep_kind_is_nested(type->kind)) return true;
  bool is_map = type->kind == SKEP_MAP;
  duckdb_logical_type child = is_map ? skep_duck.map_type_key_type(carrier) : skep_duck.list_type_child_type(carrier);
  bool same = skep_carrier_matches(type->children[0], child);
  skep_duck.destroy_logical_type(&child);
  if (!same || !is_map) return same;
  child = skep_duck.map_type_value_type(carrier);
  same = skep_carrier_matches(type->children[1], child);
  skep_duck.destroy_logical_type(&child);
  return same;
}

/* ---- texts ---- */

static const char *duckdb_name(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT:
      return "TINYINT";
    case DUCKDB_TYPE_SMALLINT:
      return "SMALLINT";
    case DUCKDB_TYPE_INTEGER:
      return "INTEGER";
    case DUCKDB_TYPE_BIGINT:
      return "BIGINT";
    case DUCKDB_TYPE_HUGEINT:
      return "HUGEINT";
    case DUCKDB_TYPE_FLOAT:
      return "FLOAT";
    case DUCKDB_TYPE_DOUBLE:
      return "DOUBLE";
    case DUCKDB_TYPE_VARCHAR:
      return "VARCHAR";
    case DUCKDB_TYPE_BLOB:
      return "BLOB";
    case DUCKDB_TYPE_DATE:
      return "DATE";
    case DUCKDB_TYPE_TIMESTAMP:
      return "TIMESTAMP";
    case DUCKDB_TYPE_UTINYINT:
      return "UTINYINT";
    case DUCKDB_TYPE_USMALLINT:
      return "USMALLINT";
    case DUCKDB_TYPE_UINTEGER:
      return "UINTEGER";
    case DUCKDB_TYPE_UBIGINT:
      return "UBIGINT";
    case DUCKDB_TYPE_UHUGEINT:
      return "UHUGEINT";
    case DUCKDB_TYPE_INTERVAL:
      return "INTERVAL";
    case DUCKDB_TYPE_SQLNULL:
      return "\"NULL\"";
    default:
      return NULL;
  }
}

static void print_children(duckdb_logical_type type, skep_buf *out) {
  idx_t n = skep_duck.struct_type_child_count(type);
  skep_buf_text(out, "STRUCT(");
  for (idx_t i = 0; i < n; i++) {
    char *name = skep_duck.struct_type_child_name(type, i), quoted[200];
    duckdb_logical_type child = skep_duck.struct_type_child_type(type, i);
    skep_buf_printf(out, "%s%s ", i == 0 ? "" : ", ", skep_quote(quoted, sizeof quoted, name, strlen(name)));
    skep_carrier_print_duckdb(child, out);
    skep_duck.free(name);
    skep_duck.destroy_logical_type(&child);
  }
  skep_buf_text(out, ")");
}

void skep_carrier_print_duckdb(duckdb_logical_type type, skep_buf *out) {
  duckdb_type id = skep_duck.get_type_id(type);
  duckdb_logical_type child;
  switch (id) {
    case DUCKDB_TYPE_DECIMAL:
      skep_buf_printf(out, "DECIMAL(%u,%u)", skep_duck.decimal_width(type), skep_duck.decimal_scale(type));
      break;
    case DUCKDB_TYPE_LIST:
      child = skep_duck.list_type_child_type(type);
      skep_carrier_print_duckdb(child, out);
      skep_duck.destroy_logical_type(&child);
      skep_buf_text(out, "[]");
      break;
    case DUCKDB_TYPE_MAP:
      child = skep_duck.map_type_key_type(type);
      skep_buf_text(out, "MAP(");
      skep_carrier_print_duckdb(child, out);
      skep_duck.destroy_logical_type(&child);
      child = skep_duck.map_type_value_type(type);
      skep_buf_text(out, ", ");
      skep_carrier_print_duckdb(child, out);
      skep_duck.destroy_logical_type(&child);
      skep_buf_text(out, ")");
      break;
    case DUCKDB_TYPE_STRUCT:
      print_children(type, out);
      break;
    default:
      if (duckdb_name(id) != NULL) {
        skep_buf_text(out, duckdb_name(id));
      } else {
        skep_buf_printf(out, "type %d", (int)id);
      }
  }
}

void skep_engine_print_type(const skep_type *type, skep_buf *out) {
  switch (type->kind) {
    case SKEP_DECIMAL:
      skep_buf_printf(out, "DECIMAL(%u,%u)", type->precision, type->scale);
      return;
    case SKEP_LIST:
      skep_engine_print_type(type->children[0], out);
      skep_buf_text(out, "[]");
      return;
    case SKEP_MAP:
      skep_buf_text(out, "MAP(");
      skep_engine_print_type(type->children[0], out);
      skep_buf_text(out, ", ");
      skep_engine_print_type(type->children[1], out);
      skep_buf_text(out, ")");
      return;
    case SKEP_STRUCT:
    case SKEP_UNION:
      skep_buf_text(out, type->kind == SKEP_UNION ? "STRUCT(tag TINYINT" : "STRUCT(");
      for (uint32_t i = 0; i < type->n_children; i++) {
        if (type->kind == SKEP_UNION) {
          skep_buf_printf(out, ", f%u ", i);
        } else {
          skep_buf name;
          skep_buf_init(&name, out->ctx, 1 << 20);
          field_name(type, i, &name);
          if (i != 0) skep_buf_text(out, ", ");
          skep_engine_print_identifier(skep_buf_string(&name), out);
          skep_buf_byte(out, ' ');
          if (name.status != SKEP_OK && out->status == SKEP_OK) out->status = name.status;
          skep_buf_fini(&name);
        }
        skep_engine_print_type(type->children[i], out);
      }
      skep_buf_text(out, ")");
      return;
    default:
      skep_buf_text(out, duckdb_name(primitive(type->kind)));
  }
}

void skep_engine_print_identifier(const char *name, skep_buf *out) { skep_buf_quoted(out, '"', name); }

/* Text with NUL or bytes that are no UTF-8 cannot stand in SQL: it is spelled as a blob and taken for text by a
 * function that does not look at it. */
void skep_engine_print_string(skep_bytes text, skep_buf *out) {
  static const char digits[] = "0123456789ABCDEF";
  size_t n = text.left;
  bool is_plain = skep_utf8_valid_length(text.at, n) == n && (n == 0 || memchr(text.at, 0, n) == NULL);
  skep_buf_text(out, is_plain ? "'" : "skep_text('");
  for (size_t i = 0; i < n; i++) {
    uint8_t c = text.at[i];
    if (is_plain) {
      if (c == '\'') skep_buf_byte(out, '\'');
      skep_buf_byte(out, c);
      continue;
    }
    uint8_t escaped[4] = {'\\', 'x', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
    skep_buf_add(out, escaped, sizeof escaped);
  }
  skep_buf_text(out, is_plain ? "'" : "'::BLOB)");
}

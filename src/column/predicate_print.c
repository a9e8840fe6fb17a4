/* Predicate -> text that parses (and binds) back to the same predicate. */
#include <math.h>

#include "column/predicate_int.h"
#include "column/text_int.h"

static void print_string(skep_bytes bytes, skep_buf *out) {
  skep_buf_byte(out, '\'');
  for (size_t i = 0; i < bytes.left; i++) {
    uint8_t c = bytes.at[i];
    switch (c) {
      case '\'':
        skep_buf_text(out, "\\'");
        break;
      case '\\':
        /* "\%" and "\_" keep their backslash when they are read, and must not become a backslash and a wildcard. */
        skep_buf_text(out, i + 1 < bytes.left && (bytes.at[i + 1] == '%' || bytes.at[i + 1] == '_') ? "\\" : "\\\\");
        break;
      case '\n':
        skep_buf_text(out, "\\n");
        break;
      case '\r':
        skep_buf_text(out, "\\r");
        break;
      case '\t':
        skep_buf_text(out, "\\t");
        break;
      case 0:
        skep_buf_text(out, "\\000");
        break; /* "\0" before digits would be an octal escape */
      default:
        skep_buf_byte(out, c);
    }
  }
  skep_buf_byte(out, '\'');
}

static void print_double(const skep_literal *literal, bool is_string_column, skep_buf *out) {
  uint8_t text[SKEP_FLOAT_TEXT_BYTES];
  skep_bytes shown = {text, (size_t)(skep_text_put_f64(text, literal->f64, SKEP_FLOAT_SHORTEST) - text)};
  if (isfinite(literal->f64)) {
    skep_buf_add(out, shown.at, shown.left);
    skep_buf_byte(out, 'D');
  } else if (is_string_column) { /* only an overflowing number can be meant, a string would be compared as one */
    skep_buf_text(out, literal->f64 < 0 ? "-1E999D" : "1E999D");
  } else {
    print_string(shown, out);
  }
}

static void print_literal(const skep_pred *leaf, const skep_literal *literal, skep_buf *out) {
  if (literal->is_null) {
    skep_buf_text(out, "NULL");
    return;
  }
  bool is_string = leaf->type != NULL && skep_kind_is_bytes(leaf->type->kind);
  switch (literal->kind) {
    case SKEP_LIT_BOOL:
      skep_buf_text(out, literal->i64 != 0 ? "TRUE" : "FALSE");
      break;
    case SKEP_LIT_BYTES:
      print_string(literal->bytes, out);
      break;
    case SKEP_LIT_TS:
      skep_buf_text(out, "TIMESTAMP '");
      skep_text_ts(literal->ts, out);
      skep_buf_byte(out, '\'');
      break;
    case SKEP_LIT_I64:
      if (leaf->type != NULL && leaf->type->kind <= SKEP_BIGINT) {
        skep_buf_i64(out, literal->i64);
        break;
      }
      skep_buf_text(out, "DATE '");
      skep_text_date(literal->i64, out);
      skep_buf_byte(out, '\'');
      break;
    case SKEP_LIT_DECIMAL:
      if (literal->bytes.left != 0) { /* not bound: as it was written */
        skep_buf_add(out, literal->bytes.at, literal->bytes.left);
      } else {
        skep_text_decimal(literal->decimal, literal->scale, false, out);
      }
      break;
    case SKEP_LIT_F64:
      if (literal->bytes.left != 0) {
        skep_buf_add(out, literal->bytes.at, literal->bytes.left);
        skep_buf_byte(out, 'D');
      } else {
        print_double(literal, is_string, out);
      }
      break;
  }
}

static bool needs_quotes(const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < n; i++) {
    char c = name[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return true;
  }
  return n == 0 || skep_pred_is_reserved(name, n);
}

static void print_name(const char *name, skep_buf *out) {
  if (needs_quotes(name)) {
    skep_buf_quoted(out, '`', name);
  } else {
    skep_buf_text(out, name);
  }
}

static void print_column(const skep_pred *leaf, skep_buf *out) {
  for (uint32_t i = 0; i < leaf->path_length; i++) {
    if (i != 0) skep_buf_byte(out, '.');
    print_name(leaf->names[i], out);
  }
}

static const char *operator_text(skep_pred_op op, bool negated) {
  switch (op) {
    case SKEP_PRED_EQ:
      return negated ? " <> " : " = ";
    case SKEP_PRED_NULL_EQ:
      return " <=> ";
    case SKEP_PRED_LT:
      return " < ";
    case SKEP_PRED_LE:
      return " <= ";
    case SKEP_PRED_GT:
      return " > ";
    case SKEP_PRED_GE:
      return " >= ";
    case SKEP_PRED_BETWEEN:
      return negated ? " NOT BETWEEN " : " BETWEEN ";
    case SKEP_PRED_IN:
      return negated ? " NOT IN " : " IN ";
    case SKEP_PRED_LIKE:
      return negated ? " NOT LIKE " : " LIKE ";
    default:
      return negated ? " IS NOT NULL" : " IS NULL";
  }
}

/* NOT of these has a spelling of its own. */
static bool has_negated_form(skep_pred_op op) {
  return op == SKEP_PRED_EQ || op == SKEP_PRED_BETWEEN || op == SKEP_PRED_IN || op == SKEP_PRED_LIKE ||
         op == SKEP_PRED_IS_NULL;
}

static void print_leaf(const skep_pred *leaf, bool negated, skep_buf *out) {
  print_column(leaf, out);
  skep_buf_text(out, operator_text(leaf->op, negated));
  if (leaf->op == SKEP_PRED_IN) skep_buf_byte(out, '(');
  for (uint32_t i = 0; i < leaf->n_literals; i++) {
    if (i != 0) skep_buf_text(out, leaf->op == SKEP_PRED_IN ? ", " : " AND ");
    print_literal(leaf, &leaf->literals[i], out);
  }
  if (leaf->op == SKEP_PRED_IN) skep_buf_byte(out, ')');
}

static void print_in_brackets(const skep_pred *pred, skep_buf *out) {
  bool brackets = pred->op == SKEP_PRED_AND || pred->op == SKEP_PRED_OR;
  if (brackets) skep_buf_byte(out, '(');
  skep_pred_print(pred, out);
  if (brackets) skep_buf_byte(out, ')');
}

void skep_pred_print(const skep_pred *pred, skep_buf *out) {
  switch (pred->op) {
    case SKEP_PRED_CONST:
      skep_buf_text(out, pred->constant == SKEP_TRUE ? "TRUE" : pred->constant == SKEP_FALSE ? "FALSE" : "NULL");
      return;
    case SKEP_PRED_NOT:
      if (has_negated_form(pred->children[0]->op)) {
        print_leaf(pred->children[0], true, out);
      } else {
        skep_buf_text(out, "NOT (");
        skep_pred_print(pred->children[0], out);
        skep_buf_byte(out, ')');
      }
      return;
    case SKEP_PRED_AND:
    case SKEP_PRED_OR:
      for (uint32_t i = 0; i < pred->n_children; i++) {
        if (i != 0) skep_buf_text(out, pred->op == SKEP_PRED_AND ? " AND " : " OR ");
        print_in_brackets(pred->children[i], out);
      }
      return;
    default:
      print_leaf(pred, false, out);
  }
}

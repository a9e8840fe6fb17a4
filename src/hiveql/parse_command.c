/* SET, RESET and other lines that are commands and no SQL: read from the text, without tokens.
 *
 *   set   := SET | SET -v | SET key | SET key '=' value        the value is the rest of the line, trimmed, unquoted
 *   reset := RESET [-d] key*
 *
 * Source: hiveql.md 1.6. */
#include "hiveql/parse_int.h"
#include "hiveql/script.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void trim(const char **text, size_t *length) {
  while (*length > 0 && is_blank(**text)) {
    ++*text;
    --*length;
  }
  while (*length > 0 && is_blank((*text)[*length - 1])) --*length;
}

static skep_status copied(skep_arena *arena, const char *text, size_t length, const char **out, skep_err *err) {
  if (memchr(text, '\0', length) != NULL) return skep_fail(err, SKEP_ERR_SYNTAX, "a NUL byte in a command");
  *out = skep_arena_strndup(arena, text, length);
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "command of %zu bytes", length);
}

static skep_status set(skep_arena *arena, const char *rest, size_t length, skep_set *out, skep_err *err) {
  const char *equal = memchr(rest, '=', length);
  if (length == 0) {
    out->kind = SKEP_SET_ALL;
    return SKEP_OK;
  }
  if (length == 2 && memcmp(rest, "-v", 2) == 0) {
    out->kind = SKEP_SET_VERBOSE;
    return SKEP_OK;
  }
  const char *key = rest;
  size_t key_length = equal == NULL ? length : (size_t)(equal - rest);
  trim(&key, &key_length);
  out->kind = equal == NULL ? SKEP_SET_PRINT : SKEP_SET_ASSIGN;
  if (key_length == 0) return skep_fail(err, SKEP_ERR_SYNTAX, "SET has no name before '='");
  SKEP_TRY(copied(arena, key, key_length, &out->key, err));
  if (equal == NULL) return SKEP_OK;
  const char *value = equal + 1;
  size_t value_length = length - (size_t)(value - rest);
  trim(&value, &value_length);
  return copied(arena, value, value_length, &out->value, err);
}

static skep_status reset(skep_arena *arena, const char *rest, size_t length, skep_reset *out, skep_err *err) {
  const char **keys = skep_arena_zero(arena, length / 2 + 1, sizeof *keys);
  uint32_t n = 0;
  if (keys == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "command of %zu bytes", length);
  while (length > 0) {
    size_t word = 0;
    while (word < length && !is_blank(rest[word])) word++;
    if (word == 2 && memcmp(rest, "-d", 2) == 0 && n == 0) {
      out->all_defaults = true;
    } else {
      SKEP_TRY(copied(arena, rest, word, &keys[n++], err));
    }
    rest += word;
    length -= word;
    trim(&rest, &length);
  }
  out->keys = (skep_name_list){n == 0 ? NULL : keys, n};
  return SKEP_OK;
}

static const char *command_word(skep_command_kind kind) {
  switch (kind) {
    case SKEP_COMMAND_DFS:
      return "dfs";
    case SKEP_COMMAND_ADD:
      return "add";
    case SKEP_COMMAND_LIST:
      return "list";
    case SKEP_COMMAND_DELETE:
      return "delete";
    case SKEP_COMMAND_RELOAD:
      return "reload";
    case SKEP_COMMAND_COMPILE:
      return "compile";
    case SKEP_COMMAND_CRYPTO:
      return "crypto";
    case SKEP_COMMAND_ERASURE:
      return "erasure";
    case SKEP_COMMAND_LLAP:
      return "llap";
    case SKEP_COMMAND_SHELL:
      return "!";
    case SKEP_COMMAND_SOURCE:
      return "source";
    case SKEP_COMMAND_QUIT:
      return "quit";
    case SKEP_COMMAND_NONE:
    case SKEP_COMMAND_SET:
    case SKEP_COMMAND_RESET:
      break;
  }
  return "";
}

skep_status skep_parse_command(skep_arena *arena, const char *text, size_t length, skep_statement *out, skep_err *err) {
  const char *rest;
  size_t rest_length;
  skep_command_kind kind = skep_command_of(text, length, &rest, &rest_length);
  if (kind == SKEP_COMMAND_NONE) return SKEP_END;
  if (rest_length > 0 && rest[rest_length - 1] == ';') rest_length--; /* its end, when nobody cut it off */
  trim(&rest, &rest_length);
  *out = (skep_statement){.pos = {1, 0, 0, 0}};
  out->text_length = length;
  out->text = skep_arena_strndup(arena, text, length);
  if (out->text == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "command of %zu bytes", length);
  if (kind == SKEP_COMMAND_SET) {
    out->kind = SKEP_STMT_SET;
    return set(arena, rest, rest_length, &out->set, err);
  }
  if (kind == SKEP_COMMAND_RESET) {
    out->kind = SKEP_STMT_RESET;
    return reset(arena, rest, rest_length, &out->reset, err);
  }
  out->kind = SKEP_STMT_COMMAND;
  out->command.word = command_word(kind);
  return copied(arena, rest, rest_length, &out->command.rest, err);
}

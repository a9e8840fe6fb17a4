/* Scripts: a state machine over bytes that finds the ends of statements; the first word of a text; ${variables}. */
#include "hiveql/script.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* ---- splitting ------------------------------------------------------------------------------------------------------
 */

void skep_splitter_init(skep_splitter *splitter, const skep_ctx *ctx, size_t max_statement_bytes) {
  *splitter = (skep_splitter){.max_bytes = max_statement_bytes, .line = 1, .scan_line = 1};
  skep_buf_init(&splitter->pending, ctx, SIZE_MAX / 2);
}

void skep_splitter_fini(skep_splitter *splitter) { skep_buf_fini(&splitter->pending); }

static void begin_anew(skep_splitter *s) {
  s->comment_depth = 0;
  s->quote = '\0';
  s->in_line_comment = false;
  s->has_begun = false;
  s->is_command = false;
  s->start = s->at;
}

void skep_splitter_reset(skep_splitter *splitter) {
  skep_buf_reset(&splitter->pending);
  splitter->at = 0;
  begin_anew(splitter);
}

skep_status skep_splitter_feed(skep_splitter *s, const char *bytes, size_t length, skep_err *err) {
  if (s->start > 0) { /* what was handed out is done with */
    memmove(s->pending.data, s->pending.data + s->start, s->pending.size - s->start);
    s->pending.size -= s->start;
    s->at -= s->start;
    s->start = 0;
  }
  skep_buf_add(&s->pending, bytes, length);
  return skep_buf_check(&s->pending, "script", err);
}

static char at(const skep_splitter *s, size_t ahead) {
  size_t i = s->at + ahead;
  return i < s->pending.size ? (char)s->pending.data[i] : '\0';
}

static void step(skep_splitter *s, size_t n) {
  for (size_t i = 0; i < n; i++) s->scan_line += s->pending.data[s->at + i] == '\n';
  s->at += n;
  if (!s->has_begun) s->start = s->at;
}

static void begin(skep_splitter *s) {
  if (s->has_begun) return;
  s->has_begun = true;
  s->start = s->at;
  s->line = s->scan_line;
}

static bool starts(const skep_splitter *s, char first, char second) { return at(s, 0) == first && at(s, 1) == second; }

/* Moves inside a comment or quotes. false: neither is open. */
static bool step_inside(skep_splitter *s) {
  if (s->in_line_comment) {
    s->in_line_comment = at(s, 0) != '\n';
    step(s, 1);
  } else if (s->comment_depth > 0) {
    bool opens = starts(s, '/', '*'), closes = starts(s, '*', '/');
    s->comment_depth = s->comment_depth + opens - closes;
    step(s, opens || closes ? 2 : 1);
  } else if (s->quote != '\0') {
    bool escape = s->quote != '`' && at(s, 0) == '\\' && s->at + 1 < s->pending.size;
    if (!escape && at(s, 0) == s->quote) s->quote = '\0';
    step(s, escape ? 2 : 1);
  } else {
    return false;
  }
  return true;
}

/* Moves over what opens a comment or quotes, over "\;", blanks and plain text. At a ';' it stays. */
static void step_outside(skep_splitter *s) {
  char c = at(s, 0);
  if (starts(s, '-', '-')) {
    s->in_line_comment = true;
    step(s, 2);
  } else if (starts(s, '/', '*')) {
    s->comment_depth = 1;
    s->comment_line = s->scan_line;
    step(s, 2);
  } else if (starts(s, '\\', ';')) {
    begin(s);
    memmove(s->pending.data + s->at, s->pending.data + s->at + 1, s->pending.size - s->at - 1);
    s->pending.size--;
    step(s, 1);
  } else if (is_blank(c)) {
    step(s, 1);
  } else {
    s->is_command = !s->has_begun && c == '!';
    begin(s);
    if (c == '\'' || c == '"' || c == '`') s->quote = c;
    step(s, 1);
  }
}

/* The statement [start, at), whose end mark of `mark` bytes is skipped; NUL-terminated in place, over the mark. */
static void hand_out(skep_splitter *s, size_t mark, skep_script_statement *out) {
  char *text = (char *)s->pending.data + s->start;
  size_t length = s->at - s->start;
  while (length > 0 && (is_blank(text[length - 1]) || (s->is_command && text[length - 1] == ';'))) length--;
  text[length] = '\0';
  *out = (skep_script_statement){text, length, s->line};
  s->scan_line += mark > 0 && s->is_command;
  s->at += mark;
  begin_anew(s);
}

static skep_status next(skep_splitter *s, bool last, skep_script_statement *out, skep_err *err) {
  while (s->at < s->pending.size) {
    char c = at(s, 0);
    /* Marks of two bytes: wait for the second. */
    if (!last && s->at + 1 == s->pending.size && (c == '-' || c == '/' || c == '*' || c == '\\')) return SKEP_END;
    if (s->at - s->start > s->max_bytes) {
      return skep_fail(err, SKEP_ERR_LIMIT, "line %u: a statement of more than %zu bytes", s->line, s->max_bytes);
    }
    if (s->is_command) {
      if (c == '\n') {
        hand_out(s, 1, out);
        return SKEP_OK;
      }
      step(s, 1);
    } else if (step_inside(s)) {
      continue;
    } else if (c != ';') {
      step_outside(s);
    } else if (s->has_begun) {
      hand_out(s, 1, out);
      return SKEP_OK;
    } else {
      step(s, 1); /* an empty statement */
    }
  }
  return SKEP_END;
}

skep_status skep_splitter_next(skep_splitter *splitter, skep_script_statement *out, skep_err *err) {
  return next(splitter, false, out, err);
}

skep_status skep_splitter_finish(skep_splitter *splitter, skep_script_statement *out, skep_err *err) {
  SKEP_TRY(skep_buf_check(&splitter->pending, "script", err));
  skep_status st = next(splitter, true, out, err);
  if (st != SKEP_END || !splitter->has_begun) return st;
  if (!skep_buf_byte(&splitter->pending, '\0')) return skep_buf_check(&splitter->pending, "script", err);
  splitter->pending.size--;
  hand_out(splitter, 0, out);
  return SKEP_OK;
}

bool skep_splitter_pending(const skep_splitter *splitter) { return splitter->has_begun || splitter->comment_depth > 0; }

char skep_splitter_open(const skep_splitter *splitter) { return splitter->comment_depth > 0 ? '*' : splitter->quote; }

/* ---- commands -------------------------------------------------------------------------------------------------------
 */

typedef struct span {
  const char *at;
  size_t left;
} span;

static void skip(span *s, size_t n) {
  s->at += n;
  s->left -= n;
}

/* Over blanks and comments. */
static void skip_blanks(span *s) {
  for (;;) {
    if (s->left > 0 && is_blank(*s->at)) {
      skip(s, 1);
    } else if (s->left > 1 && s->at[0] == '-' && s->at[1] == '-') {
      while (s->left > 0 && *s->at != '\n') skip(s, 1);
    } else if (s->left > 1 && s->at[0] == '/' && s->at[1] == '*') {
      size_t depth = 0;
      do {
        bool opens = s->left > 1 && s->at[0] == '/' && s->at[1] == '*';
        bool closes = s->left > 1 && s->at[0] == '*' && s->at[1] == '/';
        depth = depth + opens - closes;
        skip(s, opens || closes ? 2 : 1);
      } while (depth > 0 && s->left > 0);
    } else {
      return;
    }
  }
}

/* The word at s, as far as it fits, in upper case; s moves behind it and the blanks that follow. */
static void take_word(span *s, char *out, size_t size) {
  size_t n = 0;
  while (s->left > 0 && is_letter(*s->at)) {
    if (n + 1 < size) out[n++] = (char)(*s->at >= 'a' ? *s->at - 32 : *s->at);
    skip(s, 1);
  }
  out[n] = '\0';
  while (s->left > 0 && is_blank(*s->at)) skip(s, 1);
}

static bool is_one_of(const char *word, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(word, words[i]) == 0) return true;
  }
  return false;
}

static skep_command_kind by_second_word(const char *first, span rest) {
  static const char *const resources[] = {"JAR", "JARS", "FILE", "FILES", "ARCHIVE", "ARCHIVES"};
  static const char *const functions[] = {"FUNCTION", "FUNCTIONS"};
  static const char *const sql_sets[] = {"AUTOCOMMIT", "ROLE"};
  char second[16];
  span behind = rest;
  take_word(&behind, second, sizeof second);
  if (strcmp(first, "DELETE") == 0) return is_one_of(second, resources, 6) ? SKEP_COMMAND_DELETE : SKEP_COMMAND_NONE;
  if (strcmp(first, "RELOAD") == 0) return is_one_of(second, functions, 2) ? SKEP_COMMAND_NONE : SKEP_COMMAND_RELOAD;
  bool plain_word = behind.left > 0 && is_letter(*behind.at);
  return plain_word && is_one_of(second, sql_sets, 2) ? SKEP_COMMAND_NONE : SKEP_COMMAND_SET;
}

skep_command_kind skep_command_of(const char *text, size_t length, const char **rest, size_t *rest_length) {
  static const struct {
    const char *word;
    skep_command_kind kind; /* NONE: the second word says */
  } commands[] = {
      {"SET", SKEP_COMMAND_NONE},        {"RESET", SKEP_COMMAND_RESET},     {"DFS", SKEP_COMMAND_DFS},
      {"ADD", SKEP_COMMAND_ADD},         {"LIST", SKEP_COMMAND_LIST},       {"DELETE", SKEP_COMMAND_NONE},
      {"RELOAD", SKEP_COMMAND_NONE},     {"COMPILE", SKEP_COMMAND_COMPILE}, {"CRYPTO", SKEP_COMMAND_CRYPTO},
      {"ERASURE", SKEP_COMMAND_ERASURE}, {"LLAP", SKEP_COMMAND_LLAP},       {"SOURCE", SKEP_COMMAND_SOURCE},
      {"QUIT", SKEP_COMMAND_QUIT},       {"EXIT", SKEP_COMMAND_QUIT},
  };
  char word[16];
  span s = {text, length};
  skip_blanks(&s);
  skep_command_kind kind = SKEP_COMMAND_NONE;
  if (s.left > 0 && *s.at == '!') {
    kind = SKEP_COMMAND_SHELL;
    skip(&s, 1);
    while (s.left > 0 && is_blank(*s.at)) skip(&s, 1);
  } else {
    take_word(&s, word, sizeof word);
    bool ends = word[0] != '\0' && (s.left == 0 || is_blank(s.at[-1]) || *s.at == ';' || *s.at == '=');
    for (size_t i = 0; ends && i < sizeof commands / sizeof commands[0]; i++) {
      if (strcmp(word, commands[i].word) != 0) continue;
      kind = commands[i].kind != SKEP_COMMAND_NONE ? commands[i].kind : by_second_word(word, s);
      if (kind == SKEP_COMMAND_QUIT && s.left > 0 && *s.at != ';') kind = SKEP_COMMAND_NONE;
      break;
    }
  }
  while (s.left > 0 && is_blank(s.at[s.left - 1])) s.left--;
  if (rest != NULL) {
    *rest = s.at;
    *rest_length = s.left;
  }
  return kind;
}

/* ---- variables ------------------------------------------------------------------------------------------------------
 */

/* Length of "${name}" at text, 0 when there is none: a name holds no blank, '$' or '}'. */
static size_t reference_length(const char *text, size_t left) {
  if (left < 4 || text[0] != '$' || text[1] != '{') return 0;
  size_t n = 2;
  while (n < left && text[n] != '}' && text[n] != '$' && text[n] != ' ') n++;
  return n < left && text[n] == '}' && n > 2 ? n + 1 : 0;
}

static const char *look_up(const char *name, skep_variable_lookup *lookup, void *self) {
  static const char *const spaces[] = {"env", "system", "hiveconf", "hivevar"};
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
    size_t n = strlen(spaces[i]);
    if (strncmp(name, spaces[i], n) == 0 && name[n] == ':') return lookup(self, spaces[i], name + n + 1);
  }
  return lookup(self, "hivevar", name);
}

/* One round over the text; *found: something was replaced. */
static void replace_once(const char *text, size_t length, skep_variable_lookup *lookup, void *self, skep_buf *name,
                         skep_buf *out, bool *found) {
  size_t at = 0;
  while (at < length) {
    const char *dollar = memchr(text + at, '$', length - at);
    size_t plain = dollar == NULL ? length - at : (size_t)(dollar - (text + at));
    skep_buf_add(out, text + at, plain);
    at += plain;
    if (at == length) return;
    size_t n = reference_length(text + at, length - at);
    const char *value = NULL;
    if (n > 0) {
      skep_buf_reset(name);
      skep_buf_add(name, text + at + 2, n - 3);
      value = look_up(skep_buf_string(name), lookup, self);
    }
    if (value != NULL) {
      *found = true;
      skep_buf_text(out, value);
      at += n;
    } else {
      skep_buf_byte(out, '$');
      at++;
    }
  }
}

skep_status skep_substitute(const char *text, size_t length, skep_variable_lookup *lookup, void *self, skep_buf *out,
                            skep_err *err) {
  skep_buf rounds[2], name;
  skep_buf_init(&rounds[0], out->ctx, out->max_size);
  skep_buf_init(&rounds[1], out->ctx, out->max_size);
  skep_buf_init(&name, out->ctx, out->max_size);
  skep_status st = SKEP_OK;
  bool found = true;
  for (uint32_t i = 0; found && st == SKEP_OK; i++) {
    skep_buf *to = &rounds[i % 2];
    if (i > SKEP_SUBSTITUTE_DEPTH) {
      st = skep_fail(err, SKEP_ERR_SEMANTIC, "variables refer to each other more than %u deep", SKEP_SUBSTITUTE_DEPTH);
      break;
    }
    found = false;
    skep_buf_reset(to);
    replace_once(text, length, lookup, self, &name, to, &found);
    st = skep_buf_check(to, "statement with its variables", err);
    if (st == SKEP_OK) st = skep_buf_check(&name, "a variable's name", err);
    text = (const char *)to->data;
    length = to->size;
  }
  if (st == SKEP_OK) {
    skep_buf_add(out, text, length);
    st = skep_buf_check(out, "statement with its variables", err);
  }
  skep_buf_fini(&rounds[0]);
  skep_buf_fini(&rounds[1]);
  skep_buf_fini(&name);
  return st;
}

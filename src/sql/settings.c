/* SET and RESET, and the variables that ${...} stands for. Source: hiveql.md 1.6.
 *
 * Settings are session->config. Variables (hivevar:, system:) are kept in a second configuration under their whole
 * name, so that printing them all is one walk. */
#include "sql/settings.h"

#include <stdio.h>

#include "hiveql/ast.h"

typedef enum name_space { SPACE_CONF, SPACE_VAR, SPACE_SYSTEM, SPACE_ENV } name_space;

/* What a name's prefix says; *rest is set to the name behind it. metaconf: settings live with the others. */
static name_space split_name(const char *name, const char **rest) {
  static const struct {
    const char *prefix;
    name_space space;
  } prefixes[] = {{"hiveconf:", SPACE_CONF},
                  {"metaconf:", SPACE_CONF},
                  {"hivevar:", SPACE_VAR},
                  {"system:", SPACE_SYSTEM},
                  {"env:", SPACE_ENV}};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t length = strlen(prefixes[i].prefix);
    if (strncmp(name, prefixes[i].prefix, length) != 0) continue;
    *rest = name + length;
    return prefixes[i].space;
  }
  *rest = name;
  return SPACE_CONF;
}

const char *skep_settings_variable(void *self, const char *space, const char *name) {
  const skep_session *session = self;
  char whole[SKEP_CONFIG_MAX_NAME_BYTES];
  if (strcmp(space, "hiveconf") == 0) return skep_config_get(session->config, name);
  if (strcmp(space, "env") == 0) return session->environment != NULL ? session->environment(name) : NULL;
  int length = snprintf(whole, sizeof whole, "%s:%s", space, name);
  return length < 0 || (size_t)length >= sizeof whole ? NULL : skep_config_get(session->variables, whole);
}

bool skep_session_bool(const skep_session *session, const char *name, bool otherwise) {
  bool value;
  return skep_config_bool(session->config, name, &value, NULL) == SKEP_OK ? value : otherwise;
}

int64_t skep_session_int(const skep_session *session, const char *name, int64_t otherwise) {
  int64_t value;
  return skep_config_int(session->config, name, &value, NULL) == SKEP_OK ? value : otherwise;
}

const char *skep_session_text(const skep_session *session, const char *name, const char *otherwise) {
  const char *value = skep_config_get(session->config, name);
  return value != NULL ? value : otherwise;
}

/* ---- SET ---- */

static skep_status assign(skep_session *session, const char *key, const char *value, skep_err *err) {
  const char *name;
  switch (split_name(key, &name)) {
    case SPACE_CONF:
      return skep_config_set(session->config, name, value, err);
    case SPACE_VAR:
    case SPACE_SYSTEM:
      return skep_config_set(session->variables, key, value, err);
    case SPACE_ENV:
      break;
  }
  return skep_fail(err, SKEP_ERR_SEMANTIC, "env:* variables can not be set.");
}

/* The value that a name has now, or NULL. */
static const char *value_of(skep_session *session, const char *key) {
  const char *name;
  switch (split_name(key, &name)) {
    case SPACE_CONF:
      return skep_config_get(session->config, name);
    case SPACE_VAR:
    case SPACE_SYSTEM:
      return skep_config_get(session->variables, key);
    case SPACE_ENV:
      return session->environment != NULL ? session->environment(name) : NULL;
  }
  return NULL;
}

typedef struct set_print {
  skep_session *session;
  skep_result *result;
  skep_buf line;
} set_print;

static skep_status print_line(void *self, const char *name, const char *value, skep_err *err) {
  set_print *p = self;
  skep_buf_reset(&p->line);
  skep_buf_printf(&p->line, "%s=%s", name, value);
  SKEP_TRY(skep_buf_check(&p->line, "a setting", err));
  return skep_result_texts_row(p->result, &(const char *){skep_buf_string(&p->line)}, err);
}

/* One name: `k=v` or `k is undefined`. */
static skep_status print_one(set_print *p, const char *key, skep_err *err) {
  const char *value = value_of(p->session, key), *name;
  if (value != NULL) return print_line(p, split_name(key, &name) == SPACE_CONF ? name : key, value, err);
  skep_buf_reset(&p->line);
  skep_buf_printf(&p->line, "%s is undefined", key);
  SKEP_TRY(skep_buf_check(&p->line, "a setting", err));
  return skep_result_texts_row(p->result, &(const char *){skep_buf_string(&p->line)}, err);
}

/* What is set; with -v also the defaults of the properties that Skep knows, in one sorted list. */

typedef struct verbose_walk {
  set_print *print;
  size_t next; /* of the known ones that are not printed yet */
} verbose_walk;

static skep_status print_known(void *self, const char *name, const char *value, skep_err *err) {
  verbose_walk *walk = self;
  size_t n;
  const skep_config_property *known = skep_config_known(&n);
  for (; walk->next < n; walk->next++) {
    int order = name == NULL ? -1 : strcmp(known[walk->next].name, name);
    if (order > 0) break;
    if (order < 0) SKEP_TRY(print_line(walk->print, known[walk->next].name, known[walk->next].value, err));
  }
  return name == NULL ? SKEP_OK : print_line(walk->print, name, value, err);
}

static skep_status print_settings(set_print *p, const skep_set *set, skep_err *err) {
  if (set->kind == SKEP_SET_PRINT) return print_one(p, set->key, err);
  if (set->kind == SKEP_SET_ALL) {
    SKEP_TRY(skep_config_each(p->session->config, print_line, p, err));
  } else {
    verbose_walk walk = {p, 0};
    SKEP_TRY(skep_config_each(p->session->config, print_known, &walk, err));
    SKEP_TRY(print_known(&walk, NULL, NULL, err));
  }
  return skep_config_each(p->session->variables, print_line, p, err);
}

skep_status skep_set_run(skep_session *session, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_set *set = &statement->set;
  if (set->kind == SKEP_SET_ASSIGN) return assign(session, set->key, set->value, err);
  set_print p = {.session = session};
  SKEP_TRY(skep_result_texts_new(session, &(const char *){"set"}, 1, &p.result, err));
  skep_buf_init(&p.line, session->ctx, SKEP_CONFIG_MAX_NAME_BYTES + SKEP_CONFIG_MAX_VALUE_BYTES + 32);
  skep_status st = print_settings(&p, set, err);
  skep_buf_fini(&p.line);
  if (st == SKEP_OK) {
    *out = p.result;
  } else {
    skep_result_free(p.result);
  }
  return st;
}

/* ---- RESET ---- */

/* Back to what the session was opened with (RESET -d k: to Hive's default). */
static skep_status reset_one(skep_session *session, const char *key, bool to_default, skep_err *err) {
  const char *name;
  name_space space = split_name(key, &name);
  if (space == SPACE_VAR || space == SPACE_SYSTEM) {
    skep_config_unset(session->variables, key);
    return SKEP_OK;
  }
  const char *opened = to_default ? NULL : skep_config_get(session->opened_with, name);
  if (opened != NULL) return skep_config_set(session->config, name, opened, err);
  skep_config_unset(session->config, name);
  return SKEP_OK;
}

skep_status skep_reset_run(skep_session *session, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_reset *reset = &statement->reset;
  (void)out;
  for (uint32_t i = 0; i < reset->keys.n; i++)
    SKEP_TRY(reset_one(session, reset->keys.items[i], reset->all_defaults, err));
  if (reset->keys.n != 0) return SKEP_OK;
  skep_config *fresh;
  SKEP_TRY(skep_config_copy(session->opened_with, &fresh, err));
  skep_config_free(session->config);
  session->config = fresh;
  return SKEP_OK;
}

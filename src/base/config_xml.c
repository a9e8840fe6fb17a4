/* hive-site.xml through expat. Entities cannot be declared, so that a small file cannot become a large text; expat
 * itself allocates with malloc (its hooks carry no context), in proportion to the size that is checked first. */
#include <expat.h>
#include <string.h>

#include "base/buf.h"
#include "base/config_int.h"

typedef enum place { OUTSIDE, IN_CONFIGURATION, IN_PROPERTY, IN_NAME, IN_VALUE, IN_FINAL, IN_UNKNOWN } place;

typedef struct reader {
  skep_config *config;
  XML_Parser parser;
  place place;
  size_t unknown_depth; /* elements open below an unknown one, it included */
  place before_unknown;
  bool has_name, has_value;
  skep_buf name, value, final_text;
  skep_status status; /* the first failure; stops the parser */
  skep_err *err;
} reader;

static void stop(reader *r, skep_status status) {
  if (r->status != SKEP_OK) return;
  if (status == SKEP_ERR_ARGUMENT) status = SKEP_ERR_CORRUPT; /* a bad value is the file's mistake */
  r->status = skep_wrap(r->err, status, "line %lu", (unsigned long)XML_GetCurrentLineNumber(r->parser));
  XML_StopParser(r->parser, XML_FALSE);
}

static void refuse(reader *r, const char *what) { stop(r, skep_fail(r->err, SKEP_ERR_UNSUPPORTED, "%s", what)); }

static void begin_property(reader *r) {
  skep_buf_reset(&r->name);
  skep_buf_reset(&r->value);
  skep_buf_reset(&r->final_text);
  r->has_name = false;
  r->has_value = false;
  r->place = IN_PROPERTY;
}

static void begin_unknown(reader *r) {
  r->before_unknown = r->place;
  r->unknown_depth = 1;
  r->place = IN_UNKNOWN;
}

static void on_start(void *self, const XML_Char *element, const XML_Char **attributes) {
  (void)attributes;
  reader *r = self;
  const char *colon = strrchr(element, ':');
  if (strcmp(colon == NULL ? element : colon + 1, "include") == 0) {
    refuse(r, "include elements are not read");
    return;
  }
  switch (r->place) {
    case OUTSIDE:
      if (strcmp(element, "configuration") != 0) {
        stop(r, skep_fail(r->err, SKEP_ERR_CORRUPT, "the root element is not <configuration>"));
        return;
      }
      r->place = IN_CONFIGURATION;
      return;
    case IN_CONFIGURATION:
      if (strcmp(element, "property") == 0) {
        begin_property(r);
      } else {
        begin_unknown(r);
      }
      return;
    case IN_PROPERTY:
      if (strcmp(element, "name") == 0) {
        r->place = IN_NAME;
        r->has_name = true;
        skep_buf_reset(&r->name);
      } else if (strcmp(element, "value") == 0) {
        r->place = IN_VALUE;
        r->has_value = true;
        skep_buf_reset(&r->value);
      } else if (strcmp(element, "final") == 0) {
        r->place = IN_FINAL;
      } else {
        begin_unknown(r);
      }
      return;
    case IN_NAME:
    case IN_VALUE:
    case IN_FINAL:
      begin_unknown(r);
      return;
    case IN_UNKNOWN:
      r->unknown_depth++;
      return;
  }
}

/* The name without the blanks that people put around it; in place. */
static const char *trimmed(skep_buf *buf) {
  const char *text = skep_buf_string(buf);
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) length--;
  if (length > 0) buf->data[length] = '\0';
  while (length > 0 && *text != '\0' && strchr(" \t\r\n", *text) != NULL) text++;
  return length == 0 ? "" : text;
}

static void end_property(reader *r) {
  r->place = IN_CONFIGURATION;
  if (!r->has_name || !r->has_value) return; /* Hadoop ignores such a property too */
  skep_status status = skep_buf_check(&r->name, "a property's name", r->err);
  if (status == SKEP_OK) status = skep_buf_check(&r->value, "a property's value", r->err);
  if (status == SKEP_OK) status = skep_buf_check(&r->final_text, "a property's <final>", r->err);
  if (status == SKEP_OK) {
    bool final = strcmp(trimmed(&r->final_text), "true") == 0;
    status = skep_config_set_from_file(r->config, trimmed(&r->name), skep_buf_string(&r->value), final, r->err);
  }
  if (status != SKEP_OK) stop(r, status);
}

static void on_end(void *self, const XML_Char *element) {
  (void)element;
  reader *r = self;
  switch (r->place) {
    case OUTSIDE:
      return;
    case IN_CONFIGURATION:
      r->place = OUTSIDE;
      return;
    case IN_PROPERTY:
      end_property(r);
      return;
    case IN_NAME:
    case IN_VALUE:
    case IN_FINAL:
      r->place = IN_PROPERTY;
      return;
    case IN_UNKNOWN:
      if (--r->unknown_depth == 0) r->place = r->before_unknown;
      return;
  }
}

static void on_text(void *self, const XML_Char *text, int length) {
  reader *r = self;
  skep_buf *target = r->place == IN_NAME ? &r->name : r->place == IN_VALUE ? &r->value : &r->final_text;
  if (r->place == IN_NAME || r->place == IN_VALUE || r->place == IN_FINAL) skep_buf_add(target, text, (size_t)length);
}

static void on_entity_declared(void *self, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                               const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                               const XML_Char *notation) {
  (void)name, (void)is_parameter, (void)value, (void)length;
  (void)base, (void)system_id, (void)public_id, (void)notation;
  refuse(self, "entity declarations are not read");
}

static void on_entity_skipped(void *self, const XML_Char *name, int is_parameter) {
  (void)name, (void)is_parameter;
  refuse(self, "an entity is used whose declaration is elsewhere");
}

static skep_status parse(reader *r, const char *bytes, size_t size) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetEntityDeclHandler(r->parser, on_entity_declared);
  XML_SetSkippedEntityHandler(r->parser, on_entity_skipped);
  enum XML_Status done = XML_Parse(r->parser, bytes, (int)size, XML_TRUE);
  if (r->status != SKEP_OK) return r->status;
  if (done == XML_STATUS_OK) return SKEP_OK;
  enum XML_Error code = XML_GetErrorCode(r->parser);
  if (code == XML_ERROR_NO_MEMORY) return skep_fail(r->err, SKEP_ERR_NOMEM, "out of memory for an XML parser");
  return skep_fail(r->err, SKEP_ERR_CORRUPT, "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(r->parser),
                   XML_ErrorString(code));
}

skep_status skep_config_read_xml(skep_config *config, const void *bytes, size_t size, skep_err *err) {
  if (size > SKEP_CONFIG_MAX_XML_BYTES) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a configuration of %zu bytes, at most %d are read", size,
                     SKEP_CONFIG_MAX_XML_BYTES);
  }
  reader r = {.config = config, .err = err, .parser = XML_ParserCreate(NULL)};
  if (r.parser == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for an XML parser");
  const skep_ctx *ctx = skep_config_ctx(config);
  skep_buf_init(&r.name, ctx, SKEP_CONFIG_MAX_NAME_BYTES);
  skep_buf_init(&r.value, ctx, SKEP_CONFIG_MAX_VALUE_BYTES);
  skep_buf_init(&r.final_text, ctx, 64);
  skep_status status = parse(&r, size == 0 ? "" : bytes, size);
  XML_ParserFree(r.parser);
  skep_buf_fini(&r.name);
  skep_buf_fini(&r.value);
  skep_buf_fini(&r.final_text);
  return status;
}

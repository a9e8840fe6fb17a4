/* A PostgreSQL URL without its secrets: libpq takes it apart, and says which options are passwords. */
#include <string.h>

#include "db/pg_int.h"

/* Percent-encodes all but what means nothing in a URL. */
static void add_encoded(skep_buf *out, const char *text) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/,",
                    hex[] = "0123456789ABCDEF";
  for (; *text != 0; text++) {
    uint8_t c = (uint8_t)*text;
    if (strchr(plain, c) != NULL) {
      (void)skep_buf_byte(out, c);
    } else {
      const uint8_t code[] = {'%', (uint8_t)hex[c >> 4], (uint8_t)hex[c & 15]};
      (void)skep_buf_add(out, code, sizeof code);
    }
  }
}

static const char *value_of(const PQconninfoOption *options, const char *keyword) {
  for (const PQconninfoOption *o = options; o->keyword != NULL; o++) {
    if (strcmp(o->keyword, keyword) == 0 && o->val != NULL && o->val[0] != 0) return o->val;
  }
  return NULL;
}

/* libpq marks what is to be typed unseen with '*'; its newest secrets are not known to an older one under that mark. */
static bool is_secret(const PQconninfoOption *o) {
  static const char *const words[] = {"password", "secret", "scram_"};
  if (o->dispchar != NULL && o->dispchar[0] == '*') return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strstr(o->keyword, words[i]) != NULL) return true;
  }
  return false;
}

static void print(const PQconninfoOption *options, skep_buf *out) {
  const char *user = value_of(options, "user"), *host = value_of(options, "host"), *port = value_of(options, "port"),
             *name = value_of(options, "dbname");
  bool host_inside = host != NULL && strpbrk(host, "/,:@") == NULL; /* else a socket, several, IPv6: an option */
  bool port_inside = host_inside && port != NULL && strchr(port, ',') == NULL;
  const char *begins = "?";
  (void)skep_buf_text(out, "postgresql://");
  if (user != NULL) add_encoded(out, user), (void)skep_buf_byte(out, '@');
  if (host_inside) add_encoded(out, host);
  if (port_inside) (void)skep_buf_byte(out, ':'), add_encoded(out, port);
  (void)skep_buf_byte(out, '/');
  if (name != NULL) add_encoded(out, name);
  for (const PQconninfoOption *o = options; o->keyword != NULL; o++) {
    bool inside = strcmp(o->keyword, "user") == 0 || strcmp(o->keyword, "dbname") == 0 ||
                  (host_inside && strcmp(o->keyword, "host") == 0) || (port_inside && strcmp(o->keyword, "port") == 0);
    if (o->val == NULL || inside || is_secret(o)) continue;
    (void)skep_buf_text(out, begins);
    (void)skep_buf_text(out, o->keyword);
    (void)skep_buf_byte(out, '=');
    add_encoded(out, o->val);
    begins = "&";
  }
}

skep_status pg_url_public(const char *url, skep_buf *out, skep_err *err) {
  char *message = NULL;
  PQconninfoOption *options = PQconninfoParse(url, &message);
  PQfreemem(message); /* may quote the URL */
  if (options == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "the metastore's URL cannot be understood");
  print(options, out);
  PQconninfoFree(options);
  return SKEP_OK;
}

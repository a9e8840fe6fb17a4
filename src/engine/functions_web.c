/* JSON documents and URLs. */
#include "column/text.h"
#include "engine/function.h"
#include "engine/json.h"

#define EACH_ROW(c, i)                 \
  for (int64_t i = 0; i < (c)->n; i++) \
    if (skep_row_valid(c, i))

enum { MAX_JSON_BYTES = 1 << 28 };

static skep_status json_row(skep_call *c, int64_t i, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, c->ctx, MAX_JSON_BYTES);
  const skep_json *root = skep_json_parse(&arena, skep_arg_bytes(c, 0, i));
  const skep_json *found = root == NULL ? NULL : skep_json_find(&arena, root, skep_arg_bytes(c, 1, i));
  skep_status status = SKEP_OK;
  if (found == NULL) {
    skep_call_set_null(c, i);
  } else {
    skep_buf_reset(c->text);
    skep_json_print(found, c->text);
    status = skep_call_put_text(c, i, err);
  }
  skep_arena_fini(&arena);
  return status;
}

static skep_status get_json_object(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) SKEP_TRY(json_row(c, i, err));
  return SKEP_OK;
}

/* ---- URLs, as java.net.URL takes them apart ---- */

typedef struct url {
  skep_bytes protocol, authority, user, host, path, query, reference;
  bool has_authority, has_user, has_query, has_reference;
} url;

/* What is before the first of `stops`; the rest stays in *text. */
static skep_bytes take_until(skep_bytes *text, const char *stops) {
  size_t n = 0;
  while (n < text->left && (text->at[n] == 0 || strchr(stops, text->at[n]) == NULL)) n++;
  skep_bytes out = skep_bytes_of(text->at, n);
  *text = skep_bytes_of(text->at + n, text->left - n);
  return out;
}

static bool take_char(skep_bytes *text, uint8_t c) {
  if (text->left == 0 || *text->at != c) return false;
  *text = skep_bytes_of(text->at + 1, text->left - 1);
  return true;
}

static bool is_known_protocol(skep_bytes name) {
  static const char *const known[] = {"http", "https", "ftp", "file", "jar", "mailto", "jrt", "jmod"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (skep_text_equals(name, known[i])) return true;
  }
  return false;
}

static bool parse_url(skep_bytes text, url *out) {
  url u = {.has_query = false};
  text = skep_text_trim(text);
  u.protocol = take_until(&text, ":/");
  if (!take_char(&text, ':') || !is_known_protocol(u.protocol)) return false;
  skep_bytes rest = text;
  u.has_reference = false;
  if (text.left != 0) {
    const uint8_t *hash = memchr(text.at, '#', text.left);
    if (hash != NULL) {
      u.has_reference = true;
      u.reference = skep_bytes_of(hash + 1, text.left - (size_t)(hash + 1 - text.at));
      rest.left = (size_t)(hash - text.at);
    }
  }
  if (rest.left >= 2 && rest.at[0] == '/' && rest.at[1] == '/') {
    rest = skep_bytes_of(rest.at + 2, rest.left - 2);
    u.has_authority = true;
    u.authority = take_until(&rest, "/?");
    skep_bytes host = u.authority;
    const uint8_t *at = host.left == 0 ? NULL : memchr(host.at, '@', host.left);
    if (at != NULL) {
      u.has_user = true;
      u.user = skep_bytes_of(host.at, (size_t)(at - host.at));
      host = skep_bytes_of(at + 1, host.left - u.user.left - 1);
    }
    u.host = host.left != 0 && host.at[0] == '[' ? host : take_until(&host, ":");
  }
  u.path = take_until(&rest, "?");
  u.has_query = take_char(&rest, '?');
  u.query = rest;
  *out = u;
  return true;
}

/* The value of "key=" in a query; false: none. */
static bool query_value(skep_bytes query, skep_bytes key, skep_bytes *out) {
  while (query.left != 0) {
    skep_bytes pair = take_until(&query, "&");
    take_char(&query, '&');
    if (pair.left <= key.left || pair.at[key.left] != '=') continue;
    if (key.left != 0 && memcmp(pair.at, key.at, key.left) != 0) continue;
    *out = skep_bytes_of(pair.at + key.left + 1, pair.left - key.left - 1);
    return true;
  }
  return false;
}

/* The part of a name; false: the URL has none, or there is no such part. */
static bool part_of_url(skep_call *c, const url *u, skep_bytes name, skep_bytes *out) {
  struct {
    const char *name;
    bool is_there;
    skep_bytes value;
  } parts[] = {{"HOST", true, u->host},           {"PATH", true, u->path},
               {"QUERY", u->has_query, u->query}, {"REF", u->has_reference, u->reference},
               {"PROTOCOL", true, u->protocol},   {"AUTHORITY", u->has_authority, u->authority},
               {"USERINFO", u->has_user, u->user}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strlen(parts[i].name) != name.left || memcmp(parts[i].name, name.at, name.left) != 0) continue;
    *out = parts[i].value;
    return parts[i].is_there;
  }
  if (name.left != 4 || memcmp(name.at, "FILE", 4) != 0) return false;
  skep_buf_reset(c->text);
  skep_buf_add(c->text, u->path.at, u->path.left);
  if (u->has_query) skep_buf_byte(c->text, '?');
  skep_buf_add(c->text, u->query.at, u->query.left);
  *out = skep_bytes_of(c->text->data, c->text->size);
  return true;
}

static skep_status parse_urls(skep_call *c, skep_err *err) {
  (void)err;
  EACH_ROW(c, i) {
    url u;
    skep_bytes part = skep_arg_bytes(c, 1, i), value;
    bool found = parse_url(skep_arg_bytes(c, 0, i), &u) && part_of_url(c, &u, part, &value);
    if (found && c->n_args > 2)
      found = part.left == 5 && memcmp(part.at, "QUERY", 5) == 0 && query_value(value, skep_arg_bytes(c, 2, i), &value);
    if (found) {
      skep_call_put_bytes(c, i, value.at, value.left);
    } else {
      skep_call_set_null(c, i);
    }
  }
  return SKEP_OK;
}

#define TO_MAP(d1, d2)                                                                                      \
  " AS map_from_entries(skep_map_entries(list_transform(string_split_regex(skep_utf8(s), " d1               \
  "), "                                                                                                     \
  "lambda e: struct_pack(key := string_split_regex(e, " d2 ")[1], value := CASE WHEN regexp_matches(e, " d2 \
  ") "                                                                                                      \
  "THEN substr(e, length(string_split_regex(e, " d2 ")[1]) + length(regexp_extract(e, " d2 ")) + 1) END))))"

const skep_function skep_functions_web[] = {
    {.name = "skep_get_json_object", .args = "vv", .result = 'v', .body = get_json_object},
    {.name = "skep_parse_url", .args = "vv", .result = 'v', .body = parse_urls},
    {.name = "skep_parse_url", .args = "vvv", .result = 'v', .body = parse_urls},
    {.name = "skep_str_to_map",
     .macro = "(s)" TO_MAP("','", "':'") ", (s, d1)" TO_MAP("skep_utf8(d1)", "':'") ", (s, d1, d2)" TO_MAP(
         "skep_utf8(d1)", "skep_utf8(d2)")},
    {.name = NULL},
};

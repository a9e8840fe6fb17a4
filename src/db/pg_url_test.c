/* URLs without passwords. What they mean is libpq's: each is taken apart again and compared. */
#include "db/pg_int.h"

#include "support/test.h"

static const PQconninfoOption *find(const PQconninfoOption *options, const char *keyword) {
  for (; options->keyword != NULL; options++) {
    if (strcmp(options->keyword, keyword) == 0) return options;
  }
  return NULL;
}

/* The same options with the same values, but for the passwords. */
static void assert_same(const char *url, const char *public) {
  PQconninfoOption *a = PQconninfoParse(url, NULL), *b = PQconninfoParse(public, NULL);
  assert_non_null(a);
  assert_non_null(b);
  for (const PQconninfoOption *o = a; o->keyword != NULL; o++) {
    const PQconninfoOption *other = find(b, o->keyword);
    bool secret = strstr(o->keyword, "password") != NULL;
    if (secret || o->val == NULL || o->val[0] == 0) {
      assert_true(other->val == NULL || other->val[0] == 0);
    } else {
      assert_string_equal(other->val, o->val);
    }
  }
  PQconninfoFree(a);
  PQconninfoFree(b);
}

static void a_url_loses_its_passwords_and_nothing_else(void **state) {
  static const struct {
    const char *url, *public;
  } cases[] = {
      {"postgresql://ann:sesame@db.example:5433/hive", "postgresql://ann@db.example:5433/hive"},
      {"postgres://db/hive", "postgresql://db/hive"},
      {"postgresql://", "postgresql:///"},
      {"postgresql://ann:a%40b%3Ac@h/d?sslmode=verify-full&sslrootcert=/etc/ca.pem&sslpassword=sesame",
       "postgresql://ann@h/d?sslmode=verify-full&sslrootcert=/etc/ca.pem"},
      {"postgresql:///d?password=sesame&host=/tmp/a b&user=o'n%26", "postgresql://o%27n%26@/d?host=/tmp/a%20b"},
      {"postgresql://h1:1,h2:2/d?target_session_attrs=read-write",
       "postgresql:///d?host=h1,h2&port=1,2&target_session_attrs=read-write"},
      {"postgresql://[::1]:5432/d", "postgresql:///d?port=5432&host=%3A%3A1"},
      {"postgresql:///d?options=-csearch_path%3Dhive", "postgresql:///d?options=-csearch_path%3Dhive"},
      {"postgresql:///?service=hive", "postgresql:///?service=hive"},
  };
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_buf text;
    skep_err err = {0};
    skep_buf_init(&text, &ctx, 4096);
    assert_ok(pg_url_public(cases[i].url, &text, &err), err);
    assert_same(cases[i].url, skep_buf_string(&text));
    if (i != 5 && i != 6) assert_string_equal(skep_buf_string(&text), cases[i].public); /* the order is libpq's */
    assert_null(strstr(skep_buf_string(&text), "sesame"));
    skep_buf_fini(&text);
  }
}

static void what_is_no_url_is_not_repeated(void **state) {
  skep_ctx ctx;
  skep_buf text;
  skep_err err = {0};
  (void)state;
  skep_ctx_init(&ctx);
  skep_buf_init(&text, &ctx, 4096);
  assert_int_equal(pg_url_public("postgresql://u:sesame@h/d?nonsense=1", &text, &err), SKEP_ERR_ARGUMENT);
  assert_null(strstr(err.text, "sesame"));
  skep_buf_fini(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_url_loses_its_passwords_and_nothing_else),
      cmocka_unit_test(what_is_no_url_is_not_repeated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

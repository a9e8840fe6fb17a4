/* Configuration: Hive's spelling of values, hive-site.xml as Hadoop reads it, hostile XML. */
#include "base/config.h"

#include <stdlib.h>

#include "support/failing_alloc.h"
#include "support/test.h"

static skep_config *new_config(skep_ctx *ctx) {
  skep_err err = {0};
  skep_config *config;
  skep_ctx_init(ctx);
  assert_ok(skep_config_new(ctx, &config, &err), err);
  return config;
}

static void times_are_spelled_as_in_hive(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t ms; /* -1: refused */
  } cases[] = {
      {"300", 300000},
      {"300s", 300000},
      {"5m", 300000},
      {" 5 min ", 300000},
      {"5minutes", 300000},
      {"1d", 86400000},
      {"2days", 172800000},
      {"12h", 43200000},
      {"1HOUR", 3600000},
      {"250ms", 250},
      {"250msec", 250},
      {"1999us", 1},
      {"1500000ns", 1},
      {"7L", 7000},
      {"+3sec", 3000},
      {"0", 0},
      {"", -1},
      {"s", -1},
      {"5 x", -1},
      {"5mi", -1},
      {"5.5s", -1},
      {"5s6", -1},
      {"9223372036854775807", -1},
      {"1e3", -1},
      {"9223372036854775808ms", -1},
      {"9223372036854775807ms", INT64_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t ms = -1;
    bool ok = skep_parse_ms(cases[i].text, 1000000000, &ms);
    if (ok != (cases[i].ms != -1) || (ok && ms != cases[i].ms)) {
      fail_msg("'%s' gives %d, %lld", cases[i].text, ok, (long long)ms);
    }
  }
  int64_t ms;
  assert_true(skep_parse_ms("-5m", 1000000000, &ms));
  assert_int_equal(ms, -300000);
}

static void sizes_are_spelled_as_in_hive_and_hadoop(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool ok;
    uint64_t bytes;
  } cases[] = {
      {"0", true, 0},
      {"1024", true, 1024},
      {"64kb", true, 65536},
      {"64 KB", true, 65536},
      {"64k", true, 65536},
      {"256mb", true, 1u << 28},
      {"1g", true, 1u << 30},
      {"3tb", true, UINT64_C(3) << 40},
      {"2PB", true, UINT64_C(2) << 50},
      {"7b", true, 7},
      {"7bytes", true, 7},
      {"15e", true, UINT64_C(15) << 60},
      {"16e", false, 0},
      {"-1", false, 0},
      {"1kib", false, 0},
      {"k", false, 0},
      {"", false, 0},
      {"1 zb", false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t bytes = 0;
    bool ok = skep_parse_bytes(cases[i].text, &bytes);
    if (ok != cases[i].ok || (ok && bytes != cases[i].bytes)) fail_msg("'%s' gives %d", cases[i].text, ok);
  }
}

static void integers_and_booleans_have_no_loose_ends(void **state) {
  (void)state;
  int64_t number;
  bool yes = false;
  assert_true(skep_parse_int(" -9223372036854775808 ", &number));
  assert_true(number == INT64_MIN);
  assert_true(skep_parse_int("9223372036854775807", &number));
  assert_true(number == INT64_MAX);
  assert_false(skep_parse_int("9223372036854775808", &number));
  assert_false(skep_parse_int("0x10", &number));
  assert_false(skep_parse_int("--1", &number));
  assert_false(skep_parse_int("1 2", &number));
  assert_true(skep_parse_bool(" True\n", &yes));
  assert_true(yes);
  assert_true(skep_parse_bool("FALSE", &yes));
  assert_false(yes);
  assert_false(skep_parse_bool("yes", &yes));
  assert_false(skep_parse_bool("truely", &yes));
}

static void defaults_hold_until_a_value_is_set(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err = {0};
  skep_config *config = new_config(&ctx);
  int64_t ms;
  assert_ok(skep_config_ms(config, "hive.txn.timeout", &ms, &err), err);
  assert_int_equal(ms, 300000);
  assert_ok(skep_config_set(config, "hive.txn.timeout", "20", &err), err);
  assert_ok(skep_config_ms(config, "hive.txn.timeout", &ms, &err), err);
  assert_int_equal(ms, 20000);
  assert_fails(skep_config_set(config, "hive.txn.timeout", "soon", &err), SKEP_ERR_ARGUMENT, err,
               "property hive.txn.timeout: 'soon' is not a time such as 300s, 5m or a number of seconds");
  assert_string_equal(skep_config_get(config, "hive.txn.timeout"), "20");
  assert_null(skep_config_get(config, "my.own"));
  assert_fails(skep_config_ms(config, "my.own", &ms, &err), SKEP_ERR_NOT_FOUND, err, "property my.own is not set");
  assert_ok(skep_config_set(config, "my.own", "x\x1b", &err), err);
  assert_fails(skep_config_ms(config, "my.own", &ms, &err), SKEP_ERR_ARGUMENT, err, "'x\\x1b' is not a time");
  assert_fails(skep_config_set(config, "", "x", &err), SKEP_ERR_ARGUMENT, err, "without a name");
  skep_config_free(config);
}

static void typed_values_name_what_is_wrong(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err = {0};
  skep_config *config = new_config(&ctx);
  bool yes = true;
  int64_t number;
  uint64_t bytes;
  assert_ok(skep_config_bool(config, "orc.proleptic.gregorian.default", &yes, &err), err);
  assert_false(yes);
  assert_ok(skep_config_int(config, "hive.compactor.delta.num.threshold", &number, &err), err);
  assert_int_equal(number, 10);
  assert_ok(skep_config_bytes(config, "hive.exec.orc.default.stripe.size", &bytes, &err), err);
  assert_int_equal(bytes, 64 << 20);
  assert_ok(skep_config_set(config, "x", "maybe", &err), err);
  assert_fails(skep_config_bool(config, "x", &yes, &err), SKEP_ERR_ARGUMENT, err, "'maybe' is not true or false");
  assert_fails(skep_config_int(config, "x", &number, &err), SKEP_ERR_ARGUMENT, err, "'maybe' is not an integer");
  assert_fails(skep_config_bytes(config, "x", &bytes, &err), SKEP_ERR_ARGUMENT, err, "'maybe' is not a size");
  assert_fails(skep_config_bool(config, "y", &yes, &err), SKEP_ERR_NOT_FOUND, err, "property y is not set");
  skep_config_free(config);
}

static void every_default_fits_its_kind_and_the_table_is_sorted(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err = {0};
  skep_config *config = new_config(&ctx);
  size_t n;
  const skep_config_property *known = skep_config_known(&n);
  assert_true(n > 0);
  for (size_t i = 0; i < n; i++) {
    if (i > 0) assert_true(strcmp(known[i - 1].name, known[i].name) < 0);
    assert_ok(skep_config_set(config, known[i].name, known[i].value, &err), err);
  }
  skep_config_free(config);
}

static const char site[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>\n"
    "<configuration>\n"
    "  <!-- a comment -->\n"
    "  <property><name> hive.metastore.warehouse.dir\n</name><value>/data/w&amp;h</value>\n"
    "    <description>with <b>markup</b> in it</description></property>\n"
    "  <property><name>hive.txn.timeout</name><value>5m</value><final>true</final></property>\n"
    "  <property><name>twice</name><value>first</value></property>\n"
    "  <property><name>twice</name><value> second <![CDATA[<x>]]></value></property>\n"
    "  <property><name>no.value</name></property>\n"
    "  <property><name>empty</name><value></value></property>\n"
    "  <unknown><property><name>inside</name><value>x</value></property></unknown>\n"
    "</configuration>\n";

static void hive_site_is_read_as_hadoop_reads_it(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err = {0};
  skep_config *config = new_config(&ctx);
  int64_t ms;
  assert_ok(skep_config_read_xml(config, site, sizeof site - 1, &err), err);
  assert_string_equal(skep_config_get(config, "hive.metastore.warehouse.dir"), "/data/w&h");
  assert_ok(skep_config_ms(config, "hive.txn.timeout", &ms, &err), err);
  assert_int_equal(ms, 300000);
  assert_string_equal(skep_config_get(config, "twice"), " second <x>");
  assert_string_equal(skep_config_get(config, "empty"), "");
  assert_null(skep_config_get(config, "no.value"));
  assert_null(skep_config_get(config, "inside"));
  assert_fails(skep_config_set(config, "hive.txn.timeout", "1", &err), SKEP_ERR_ARGUMENT, err, "is final");
  static const char later[] =
      "<configuration><property><name>hive.txn.timeout</name><value>9s</value></property>"
      "<property><name>empty</name><value>full</value></property></configuration>";
  assert_ok(skep_config_read_xml(config, later, sizeof later - 1, &err), err);
  assert_string_equal(skep_config_get(config, "hive.txn.timeout"), "5m");
  assert_string_equal(skep_config_get(config, "empty"), "full");
  skep_config_free(config);
}

static void broken_and_hostile_xml_is_refused_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *xml;
    skep_status status;
    const char *part;
  } cases[] = {
      {"", SKEP_ERR_CORRUPT, "line 1: no element found"},
      {"not xml", SKEP_ERR_CORRUPT, "line 1: syntax error"},
      {"<a/>", SKEP_ERR_CORRUPT, "line 1: the root element is not <configuration>"},
      {"<configuration>\n<property>\n</configuration>", SKEP_ERR_CORRUPT, "line 3: mismatched tag"},
      {"<configuration>\n<property><name>hive.txn.timeout</name><value>x</value></property>\n</configuration>",
       SKEP_ERR_CORRUPT, "line 2: property hive.txn.timeout: 'x' is not a time"},
      {"<configuration><property><name></name><value>x</value></property></configuration>", SKEP_ERR_CORRUPT,
       "line 1: a property without a name"},
      {"<!DOCTYPE c [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><configuration>&b;</configuration>",
       SKEP_ERR_UNSUPPORTED, "line 1: entity declarations are not read"},
      {"<!DOCTYPE c [<!ENTITY f SYSTEM \"/etc/hostname\">]><configuration>&f;</configuration>", SKEP_ERR_UNSUPPORTED,
       "entity declarations are not read"},
      {"<!DOCTYPE c SYSTEM "
       "\"c.dtd\"><configuration><property><name>a</name><value>&x;</value></property></configuration>",
       SKEP_ERR_UNSUPPORTED, "an entity is used whose declaration is elsewhere"},
      {"<configuration>&x;</configuration>", SKEP_ERR_CORRUPT, "undefined entity"},
      {"<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include "
       "href=\"/etc/hostname\"/></configuration>",
       SKEP_ERR_UNSUPPORTED, "include elements are not read"},
      {"<configuration><property><name>\xff</name></property></configuration>", SKEP_ERR_CORRUPT, "not well-formed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_ctx ctx;
    skep_err err = {0};
    skep_config *config = new_config(&ctx);
    assert_fails(skep_config_read_xml(config, cases[i].xml, strlen(cases[i].xml), &err), cases[i].status, err,
                 cases[i].part);
    skep_config_free(config);
  }
}

static void limits_hold(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err = {0};
  skep_config *config = new_config(&ctx);
  char *large = calloc(1, SKEP_CONFIG_MAX_XML_BYTES + 2);
  assert_fails(skep_config_read_xml(config, large, SKEP_CONFIG_MAX_XML_BYTES + 1, &err), SKEP_ERR_LIMIT, err,
               "at most 16777216 are read");
  memset(large, 'x', SKEP_CONFIG_MAX_VALUE_BYTES + 1);
  assert_fails(skep_config_set(config, "a", large, &err), SKEP_ERR_LIMIT, err, "value is longer than 1048576");
  assert_fails(skep_config_set(config, large, "a", &err), SKEP_ERR_LIMIT, err, "name is longer than 1024");
  int n = snprintf(large, 64, "<configuration><property><name>a</name><value>");
  memset(large + n, 'x', SKEP_CONFIG_MAX_VALUE_BYTES + 1);
  n += SKEP_CONFIG_MAX_VALUE_BYTES + 1;
  n += snprintf(large + n, 64, "</value></property></configuration>");
  assert_fails(skep_config_read_xml(config, large, (size_t)n, &err), SKEP_ERR_LIMIT, err,
               "line 1: a property's value is longer than 1048576 bytes");
  free(large);
  for (int i = 0; i < SKEP_CONFIG_MAX_PROPERTIES; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    assert_ok(skep_config_set(config, name, "", &err), err);
  }
  assert_fails(skep_config_set(config, "one more", "", &err), SKEP_ERR_LIMIT, err, "more than 10000 properties");
  assert_ok(skep_config_set(config, "p17", "changed", &err), err);
  skep_config_free(config);
}

static skep_status join(void *self, const char *name, const char *value, skep_err *err) {
  (void)err;
  char *out = self;
  size_t used = strlen(out);
  snprintf(out + used, 64 - used, "%s=%s;", name, value);
  return SKEP_OK;
}

static void set_properties_are_listed_in_order(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err = {0};
  skep_config *config = new_config(&ctx);
  char out[64] = "";
  assert_ok(skep_config_set(config, "b", "2", &err), err);
  assert_ok(skep_config_set(config, "a", "1", &err), err);
  assert_ok(skep_config_set(config, "c", "3", &err), err);
  assert_ok(skep_config_each(config, join, out, &err), err);
  assert_string_equal(out, "a=1;b=2;c=3;");
  skep_config_free(config);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_config *config;
    failing_alloc_arm(&memory, n);
    skep_status status = skep_config_new(&ctx, &config, NULL);
    if (status == SKEP_OK) status = skep_config_read_xml(config, site, sizeof site - 1, NULL);
    skep_config_free(config);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_int_equal(status, SKEP_OK);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_spelled_as_in_hive),
      cmocka_unit_test(sizes_are_spelled_as_in_hive_and_hadoop),
      cmocka_unit_test(integers_and_booleans_have_no_loose_ends),
      cmocka_unit_test(defaults_hold_until_a_value_is_set),
      cmocka_unit_test(typed_values_name_what_is_wrong),
      cmocka_unit_test(every_default_fits_its_kind_and_the_table_is_sorted),
      cmocka_unit_test(hive_site_is_read_as_hadoop_reads_it),
      cmocka_unit_test(broken_and_hostile_xml_is_refused_with_its_line),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(set_properties_are_listed_in_order),
      cmocka_unit_test(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names: directories, files, buckets, partition components. */
#include "acid/name.h"

#include "support/test.h"

typedef struct dir_case {
  const char *name;
  skep_dir_name want;
  const char *canonical; /* NULL: the name itself */
} dir_case;

/* Source: acid-format facts 1.1, 2.7, 11.3 and the golden tables; public bug reports Trino #9894, #8920, #4927. */
static const dir_case dir_cases[] = {
    {"base_0000005", {SKEP_DIR_BASE, 5, 5, -1, 0}, NULL},
    {"base_5", {SKEP_DIR_BASE, 5, 5, -1, 0}, "base_0000005"},
    {"base_0000004_v0000023", {SKEP_DIR_BASE, 4, 4, -1, 23}, NULL},
    {"base_10000001", {SKEP_DIR_BASE, 10000001, 10000001, -1, 0}, NULL},
    {"base_1234567890", {SKEP_DIR_BASE, 1234567890, 1234567890, -1, 0}, NULL},
    {"base_-9223372036854775808", {SKEP_DIR_BASE, INT64_MIN, INT64_MIN, -1, 0}, NULL},
    {"base_9223372036854775807", {SKEP_DIR_BASE, INT64_MAX, INT64_MAX, -1, 0}, NULL},
    {"delta_0000001_0000001_0000", {SKEP_DIR_DELTA, 1, 1, 0, 0}, NULL},
    {"delta_40_60", {SKEP_DIR_DELTA, 40, 60, -1, 0}, "delta_0000040_0000060"},
    {"delta_0000063_63", {SKEP_DIR_DELTA, 63, 63, -1, 0}, "delta_0000063_0000063"},
    {"delta_0060_60_7", {SKEP_DIR_DELTA, 60, 60, 7, 0}, "delta_0000060_0000060_0007"},
    {"delta_10000001_10000001_0000", {SKEP_DIR_DELTA, 10000001, 10000001, 0, 0}, NULL},
    {"delta_0000001_0000004_v0000019", {SKEP_DIR_DELTA, 1, 4, -1, 19}, NULL},
    {"delta_0000001_0000004_v123456789", {SKEP_DIR_DELTA, 1, 4, -1, 123456789}, NULL},
    {"delta_0000001_0000001_0003_v0000019", {SKEP_DIR_DELTA, 1, 1, 3, 19}, NULL},
    {"delta_0000001_0000001_12345", {SKEP_DIR_DELTA, 1, 1, 12345, 0}, NULL},
    {"delete_delta_0000002_0000002_0000", {SKEP_DIR_DELETE_DELTA, 2, 2, 0, 0}, NULL},
    {"delete_delta_0000001_0000004_v0000370", {SKEP_DIR_DELETE_DELTA, 1, 4, -1, 370}, NULL},
    {"delete_delta_64_64", {SKEP_DIR_DELETE_DELTA, 64, 64, -1, 0}, "delete_delta_0000064_0000064"},
    {"HIVE_UNION_SUBDIR_15", {SKEP_DIR_OTHER, 0, 0, -1, 0}, ""},
    {"subdir", {SKEP_DIR_OTHER, 0, 0, -1, 0}, ""},
    {"delta", {SKEP_DIR_OTHER, 0, 0, -1, 0}, ""},
    {"Base_5", {SKEP_DIR_OTHER, 0, 0, -1, 0}, ""},
    {"", {SKEP_DIR_OTHER, 0, 0, -1, 0}, ""},
};

static void directory_names_are_parsed_and_printed(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf printed;
  skep_buf_init(&printed, &ctx, 1000);
  for (size_t i = 0; i < sizeof dir_cases / sizeof *dir_cases; i++) {
    const dir_case *c = &dir_cases[i];
    skep_err err = {0};
    skep_dir_name name;
    assert_ok(skep_dir_name_parse(c->name, &name, &err), err);
    assert_int_equal(name.kind, c->want.kind);
    assert_int_equal(name.min_write_id, c->want.min_write_id);
    assert_int_equal(name.max_write_id, c->want.max_write_id);
    assert_int_equal(name.statement, c->want.statement);
    assert_int_equal(name.visibility_txn, c->want.visibility_txn);
    skep_buf_reset(&printed);
    skep_dir_name_print(&name, &printed);
    assert_string_equal(skep_buf_string(&printed), c->canonical == NULL ? c->name : c->canonical);
  }
  skep_buf_fini(&printed);
}

static void a_prefix_with_another_rest_is_an_error_not_another_directory(void **state) {
  (void)state;
  static const struct {
    const char *name, *message;
  } cases[] = {
      {"base_", "no write id follows"},
      {"base_x", "no write id follows"},
      {"base_5_old", "no write id follows"},
      {"base_-5", "no write id follows"},
      {"base_+5", "no write id follows"},
      {"base_9223372036854775808", "no write id follows"},
      {"base_5_v", "the part after _v is no transaction id"},
      {"base_5_v3x", "the part after _v is no transaction id"},
      {"base_5_v-3", "the part after _v is no transaction id"},
      {"delta_", "no write ids follow"},
      {"delta_v1", "no write ids follow"},
      {"delta_5", "no write ids follow"},
      {"delta_5_", "no write ids follow"},
      {"delta_5_x", "no write ids follow"},
      {"delta_5_5_", "no write ids follow"},
      {"delta_5_5_0_0", "no write ids follow"},
      {"delta_5_5_0_tmp", "no write ids follow"},
      {"delta_5_5_v3_v4", "the part after _v is no transaction id"},
      {"delta_5_4", "in the wrong order"},
      {"delta_5_5_2147483648", "statement id is too large"},
      {"delete_delta_", "no write ids follow"},
      {"delete_delta_1_1\n", "\\x0a\" starts like one of an ACID table"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_err err = {0};
    skep_dir_name name;
    assert_int_equal(skep_dir_name_parse(cases[i].name, &name, &err), SKEP_ERR_CORRUPT);
    assert_int_equal(name.kind, SKEP_DIR_OTHER);
    assert_non_null(strstr(err.text, cases[i].message));
  }
}

static void file_names_say_kind_bucket_attempt_and_copy(void **state) {
  (void)state;
  static const struct {
    const char *name;
    skep_file_name want;
  } cases[] = {
      {"bucket_00000", {SKEP_DATA_BUCKET, 0, -1, 0}},
      {"bucket_0", {SKEP_DATA_BUCKET, 0, -1, 0}},
      {"bucket_00012_3", {SKEP_DATA_BUCKET, 12, 3, 0}},
      {"bucket_00000_0", {SKEP_DATA_BUCKET, 0, 0, 0}},
      {"bucket_123456_10", {SKEP_DATA_BUCKET, 123456, 10, 0}},
      {"000012_0", {SKEP_DATA_ORIGINAL, 12, -1, 0}},
      {"000001_1000", {SKEP_DATA_ORIGINAL, 1, -1, 0}},
      {"000000_0_copy_1", {SKEP_DATA_ORIGINAL, 0, -1, 1}},
      {"000003_0_copy_10", {SKEP_DATA_ORIGINAL, 3, -1, 10}},
      {"bucket_00000_flush_length", {SKEP_FILE_FLUSH_LENGTH, -1, -1, 0}},
      {"bucket_00000_0_flush_length", {SKEP_FILE_FLUSH_LENGTH, -1, -1, 0}},
      {"_orc_acid_version", {SKEP_FILE_ACID_VERSION, -1, -1, 0}},
      {"_metadata_acid", {SKEP_FILE_METADATA, -1, -1, 0}},
      {"_SUCCESS", {SKEP_FILE_HIDDEN, -1, -1, 0}},
      {".hive-staging_hive_2026", {SKEP_FILE_HIDDEN, -1, -1, 0}},
      {"_tmp.delta_0000001_0000001_0000", {SKEP_FILE_HIDDEN, -1, -1, 0}},
      {"bucket_", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"bucket_x", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"bucket_00000_", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"bucket_00000_0_1", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"bucket_99999999999999999999", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"000000_0.gz", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"000000_0.merged", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"000000_0_copy_", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"000000", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"in1.txt", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"random", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
      {"", {SKEP_FILE_UNKNOWN, -1, -1, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_file_name name;
    skep_file_name_parse(cases[i].name, &name);
    assert_int_equal(name.kind, cases[i].want.kind);
    assert_int_equal(name.bucket, cases[i].want.bucket);
    assert_int_equal(name.attempt, cases[i].want.attempt);
    assert_int_equal(name.copy, cases[i].want.copy);
  }
}

static void bucket_properties_decode_and_encode(void **state) {
  (void)state;
  static const struct { /* acid-format facts 3.2 */
    int32_t writer, statement, property;
  } cases[] = {{0, 0, 536870912}, {0, 1, 536870913}, {0, 2, 536870914},  {1, 0, 536936448},      {1, 1, 536936449},
               {2, 0, 537001984}, {3, 0, 537067520}, {7, 16, 537329680}, {4095, 4095, 805244927}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_bucket bucket;
    assert_int_equal(skep_bucket_encode(cases[i].writer, cases[i].statement), cases[i].property);
    assert_true(skep_bucket_decode(cases[i].property, &bucket));
    assert_int_equal(bucket.version, 1);
    assert_int_equal(bucket.writer, cases[i].writer);
    assert_int_equal(bucket.statement, cases[i].statement);
  }
  skep_bucket plain;
  assert_true(skep_bucket_decode(7, &plain));
  assert_int_equal(plain.version, 0);
  assert_int_equal(plain.writer, 7);
  assert_false(skep_bucket_decode(1 << 30, &plain)); /* version 2 */
  assert_false(skep_bucket_decode(-1, &plain));      /* version 7 */
}

static void partition_components_unescape_as_hive_does(void **state) {
  (void)state;
  static const struct {
    const char *component, *name, *value;
  } cases[] = {
      {"k=v", "k", "v"},
      {"pd=2024-01-02 03%3A04%3A05", "pd", "2024-01-02 03:04:05"},
      {"s=y%2Fz", "s", "y/z"},
      {"s=100%", "s", "100%"},
      {"s=%4", "s", "%4"},
      {"s=%zz", "s", "%zz"},
      {"s=%+1|%-0", "s", "\x01|"}, /* Java's parser takes a sign; %-0 is a NUL, checked below by length */
      {"s=%-1", "s", "%-1"},
      {"s=%e9", "s", "\xc3\xa9"},
      {"s=\xc3\xa9", "s", "\xc3\xa9"},
      {"a%3Db=c=d", "a=b", "c=d"},
      {"s=", "s", ""},
      {"k=__HIVE_DEFAULT_PARTITION__", "k", "__HIVE_DEFAULT_PARTITION__"},
  };
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf name, value;
  skep_buf_init(&name, &ctx, 100);
  skep_buf_init(&value, &ctx, 100);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_buf_reset(&name);
    skep_buf_reset(&value);
    assert_true(skep_partition_component_parse(cases[i].component, &name, &value));
    assert_string_equal(skep_buf_string(&name), cases[i].name);
    assert_string_equal(skep_buf_string(&value), cases[i].value);
  }
  skep_buf_reset(&value);
  assert_true(skep_partition_component_parse("s=%+1|%-0", &name, &value));
  assert_int_equal(value.size, 3);
  assert_false(skep_partition_component_parse("subdir", &name, &value));
  assert_false(skep_partition_component_parse("=v", &name, &value));
  skep_buf_fini(&name);
  skep_buf_fini(&value);
}

static void escaping_covers_exactly_hives_characters(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf out, name, value;
  skep_buf_init(&out, &ctx, 2000);
  skep_buf_init(&name, &ctx, 2000);
  skep_buf_init(&value, &ctx, 2000);
  char all[256];
  for (int i = 0; i < 256; i++) all[i] = (char)i;
  skep_buf_text(&out, "k=");
  skep_partition_escape(all, sizeof all, &out);
  assert_non_null(strstr(skep_buf_string(&out), "%1F !%22%23$%25&%27()%2A+,-.%2F0"));
  assert_non_null(strstr(skep_buf_string(&out), "9%3A;<%3D>%3F@A"));
  assert_non_null(strstr(skep_buf_string(&out), "Z%5B%5C%5D%5E_`a"));
  assert_non_null(strstr(skep_buf_string(&out), "z%7B|}~%7F\x80"));
  assert_true(skep_partition_component_parse(skep_buf_string(&out), &name, &value));
  assert_int_equal(value.size, sizeof all);
  assert_memory_equal(value.data, all, sizeof all);
  skep_buf_reset(&out);
  skep_partition_escape("", 0, &out);
  assert_string_equal(skep_buf_string(&out), SKEP_DEFAULT_PARTITION);
  skep_buf_fini(&out);
  skep_buf_fini(&name);
  skep_buf_fini(&value);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(directory_names_are_parsed_and_printed),
      cmocka_unit_test(a_prefix_with_another_rest_is_an_error_not_another_directory),
      cmocka_unit_test(file_names_say_kind_bucket_attempt_and_copy),
      cmocka_unit_test(bucket_properties_decode_and_encode),
      cmocka_unit_test(partition_components_unescape_as_hive_does),
      cmocka_unit_test(escaping_covers_exactly_hives_characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

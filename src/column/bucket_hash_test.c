/* Bucket hashes against Hive's own answers (tests/data/hive/bucket_hash.tsv). */
#include "column/bucket_hash.h"

#include "column/values_testing.h"

enum { MAX_CELLS = 8 };

static size_t split(char *line, char **cells) {
  size_t n = 0;
  line[strcspn(line, "\n")] = '\0';
  for (char *at = line; at != NULL && n < MAX_CELLS; n++) {
    char *tab = strchr(at, '\t');
    cells[n] = at;
    if (tab != NULL) *tab++ = '\0';
    at = tab;
  }
  return n;
}

static void append_hex(fixture *f, skep_vec *vec, const skep_forms *forms, const char *hex) {
  char bytes[64];
  size_t n = strlen(hex) / 2;
  for (size_t i = 0; i < n; i++) {
    unsigned value = 0;
    assert_int_equal(sscanf(hex + 2 * i, "%2x", &value), 1);
    bytes[i] = (char)value;
  }
  skep_vec one = {0};
  assert_int_equal(skep_vec_init(&one, &f->ctx, vec->type, forms, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&one, skep_bytes_of(bytes, n), &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append(vec, &one, 0, 1, &f->err), SKEP_OK);
  skep_vec_fini(&one);
}

static uint32_t hash_one(const skep_vec *vec, int version) {
  uint32_t hash = 12345;
  skep_err err;
  assert_int_equal(skep_bucket_hash(&vec, 1, version, NULL, vec->length - 1, 1, &hash, &err), SKEP_OK);
  return hash;
}

/* Every typed line, each value in each form that a column of the type can have. */
static void hashes_and_buckets_are_hives(void **state) {
  static const skep_forms forms[] = {
      {0},
      {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, false, true},
  };
  fixture *f = *state;
  FILE *file = fopen(SKEP_SOURCE_DIR "/tests/data/hive/bucket_hash.tsv", "r");
  char line[512], *cells[MAX_CELLS];
  size_t n_checked = 0;
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file) != NULL) {
    assert_int_equal(split(line, cells), 6);
    if (strcmp(cells[0], "expr") == 0 || strcmp(cells[0], "columns") == 0) continue;
    for (size_t k = 0; k < 2; k++) {
      skep_vec vec = {0};
      make_vec(f, &vec, cells[0], &forms[k], NULL, 0);
      if (strcmp(cells[0], "binary") == 0 && strcmp(cells[2], "0") != 0) {
        append_hex(f, &vec, &forms[k], cells[1]);
      } else {
        append_entry(f, &vec, &forms[k], strcmp(cells[1], "\\N") == 0 ? NULL : cells[1]);
      }
      for (int version = 1; version <= 2; version++) {
        uint32_t hash = hash_one(&vec, version);
        if ((int32_t)hash != strtol(cells[1 + version], NULL, 10))
          fail_msg("%s %s version %d: %d", cells[0], cells[1], version, (int32_t)hash);
        assert_int_equal(skep_bucket_of_hash(hash, 8), strtol(cells[3 + version], NULL, 10));
      }
      skep_vec_fini(&vec);
    }
    n_checked++;
  }
  fclose(file);
  assert_int_equal(n_checked, 149);
}

static void check(const char *what, const skep_vec *vec, int32_t v1, int32_t v2) {
  uint32_t h1 = hash_one(vec, 1), h2 = hash_one(vec, 2);
  if ((int32_t)h1 != v1 || (int32_t)h2 != v2) fail_msg("%s: %d %d", what, (int32_t)h1, (int32_t)h2);
}

/* A nested vector of one entry: all entries of its children belong to it. */
static void one_entry(fixture *f, skep_vec *vec) {
  assert_int_equal(skep_vec_reserve(vec, 1, false, &f->err), SKEP_OK);
  if (vec->form == SKEP_FORM_LIST) ((int32_t *)vec->offsets.data)[1] = (int32_t)vec->children[0].length;
  vec->length = 1;
}

static void list_of(fixture *f, skep_vec *vec, const char *type, const char *const *texts, size_t n) {
  static const skep_forms forms = {0};
  assert_int_equal(skep_vec_init(vec, &f->ctx, type_of(f, type), &forms, &f->err), SKEP_OK);
  for (size_t i = 0; i < n; i++) append_entry(f, &vec->children[0], &forms, texts[i]);
  one_entry(f, vec);
}

static void lists_combine_their_elements(void **state) {
  static const struct {
    const char *type, *texts[3];
    size_t n;
    int32_t v1, v2;
  } cases[] = {
      {"array<int>", {"5", "8", "13"}, 3, 5066, 854573875},
      {"array<tinyint>", {"5", "8"}, 2, 163, 163},
      {"array<smallint>", {"5", "8", "13"}, 3, 5066, -905011156},
      {"array<int>", {NULL}, 1, 0, 0},
      {"array<string>", {"a", "b"}, 2, 3105, -710710698},
      {"array<decimal(3,2)>", {"1.50", "2.25"}, 2, 21423, -1969108895},
      {"array<date>", {"2015-11-19"}, 1, 16758, 8542395},
      {"array<timestamp>", {"2015-11-19 05:06:07.123"}, 1, -758676753, -407326110},
      {"array<double>", {"1.5"}, 1, 1073217536, 76905473},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_vec vec = {0};
    list_of(f, &vec, cases[i].type, cases[i].texts, cases[i].n);
    check(cases[i].type, &vec, cases[i].v1, cases[i].v2);
    skep_vec_fini(&vec);
  }
}

static void lists_of_lists_combine_twice(void **state) {
  static const skep_forms forms = {0};
  static const char *const texts[] = {"10", "20", "-10", "-20"};
  fixture *f = *state;
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "array<array<bigint>>"), &forms, &f->err), SKEP_OK);
  skep_vec *inner = &vec.children[0];
  for (size_t i = 0; i < 4; i++) append_entry(f, &inner->children[0], &forms, texts[i]);
  assert_int_equal(skep_vec_reserve(inner, 2, false, &f->err), SKEP_OK);
  ((int32_t *)inner->offsets.data)[1] = 2;
  ((int32_t *)inner->offsets.data)[2] = 4;
  inner->length = 2;
  one_entry(f, &vec);
  check("array(array(10,20),array(-10,-20))", &vec, 10528, -1504300509);
  skep_vec_fini(&vec);
}

/* Also with more elements than one block of the implementation holds. */
static void long_lists_are_hashed_in_blocks(void **state) {
  static const skep_forms forms = {0};
  fixture *f = *state;
  skep_vec vec = {0};
  uint32_t v1 = 0;
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "array<tinyint>"), &forms, &f->err), SKEP_OK);
  for (int i = 0; i < 1000; i++) {
    append_entry(f, &vec.children[0], &forms, i % 2 == 0 ? "3" : "-7");
    v1 = 31 * v1 + (uint32_t)(i % 2 == 0 ? 3 : -7);
  }
  one_entry(f, &vec);
  check("1000 elements", &vec, (int32_t)v1, (int32_t)v1);
  skep_vec_fini(&vec);
}

static void values_of_maps_have_javas_hash_in_both_versions(void **state) {
  static const struct {
    const char *type, *keys[3], *values[3];
    size_t n;
    int32_t v1, v2;
  } cases[] = {
      {"map<string,bigint>", {"key"}, {"123"}, 1, 106020, 710698560},
      {"map<string,bigint>", {"key", "key2", "key3"}, {"123", "123456789", "-123456"}, 3, 127880789, -1910999650},
      {"map<int,string>", {"1"}, {"a"}, 1, 96, 1321153020},
      {"map<string,double>", {"d"}, {"1.5"}, 1, 1073217636, 798781293},
      {"map<string,string>", {"s"}, {"v"}, 1, 5, -1513242818},
      {"map<string,timestamp>", {"t"}, {"2015-11-19 05:06:07.123"}, 1, -758676837, -958433563},
      {"map<string,decimal(3,2)>", {"dec"}, {"1.50"}, 1, 99792, -636788365},
  };
  static const skep_forms forms = {0};
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_vec vec = {0};
    assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, cases[i].type), &forms, &f->err), SKEP_OK);
    for (size_t k = 0; k < cases[i].n; k++) {
      append_entry(f, &vec.children[0], &forms, cases[i].keys[k]);
      append_entry(f, &vec.children[1], &forms, cases[i].values[k]);
    }
    one_entry(f, &vec);
    check(cases[i].type, &vec, cases[i].v1, cases[i].v2);
    skep_vec_fini(&vec);
  }
}

static void structs_combine_fields_and_unions_hash_their_value(void **state) {
  static const skep_forms forms = {0};
  fixture *f = *state;
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "struct<a:int,b:string>"), &forms, &f->err), SKEP_OK);
  append_entry(f, &vec.children[0], &forms, "1");
  append_entry(f, &vec.children[1], &forms, "x");
  one_entry(f, &vec);
  check("named_struct('a',1,'b','x')", &vec, 151, -1375925603);
  append_entry(f, &vec.children[0], &forms, NULL);
  append_entry(f, &vec.children[1], &forms, "x");
  vec.length = 2;
  check("named_struct('a',null,'b','x')", &vec, 120, 618006682);
  skep_vec_fini(&vec);

  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "uniontype<int,string>"), &forms, &f->err), SKEP_OK);
  append_entry(f, &vec.children[0], &forms, "5");
  one_entry(f, &vec);
  check("create_union(0,5,'a')", &vec, 5, 2056229551);
  skep_vec_fini(&vec);
}

static void columns_combine_in_order(void **state) {
  static const struct {
    const char *types[3], *texts[3];
    uint32_t n;
    int32_t v1, v2;
  } cases[] = {
      {{"int", "string"}, {"1", "a"}, 2, 128, -907245731},
      {{"string", "int"}, {"a", "1"}, 2, 3008, 648697731},
      {{"int", "int"}, {NULL, "1"}, 2, 1, 1321152925},
      {{"int", "int"}, {"1", NULL}, 2, 31, -1993932285},
      {{"string", "bigint", "date"}, {"k1", "100000000000", "2020-02-28"}, 3, -963133953, -1877765050},
      {{"decimal(10,2)", "string"}, {"1.50", "\xc3\xa9"}, 2, 12468, 493165928},
  };
  static const skep_forms forms = {0};
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_vec vecs[3] = {{0}};
    const skep_vec *columns[3];
    uint32_t hash;
    for (uint32_t k = 0; k < cases[i].n; k++) {
      make_vec(f, &vecs[k], cases[i].types[k], &forms, &cases[i].texts[k], 1);
      columns[k] = &vecs[k];
    }
    assert_int_equal(skep_bucket_hash(columns, cases[i].n, 1, NULL, 0, 1, &hash, &f->err), SKEP_OK);
    assert_int_equal((int32_t)hash, cases[i].v1);
    assert_int_equal(skep_bucket_hash(columns, cases[i].n, 2, NULL, 0, 1, &hash, &f->err), SKEP_OK);
    assert_int_equal((int32_t)hash, cases[i].v2);
    for (uint32_t k = 0; k < cases[i].n; k++) skep_vec_fini(&vecs[k]);
  }
}

/* CHAR arrives padded or stripped; a NUL at the end goes only where padding would have followed it. */
static void chars_hash_the_same_padded_or_not(void **state) {
  static const skep_forms forms = {0};
  fixture *f = *state;
  const char *const texts[] = {"ab", "ab   "};
  skep_vec vec = {0};
  make_vec(f, &vec, "char(5)", &forms, texts, 2);
  const skep_vec *columns[] = {&vec};
  for (int version = 1; version <= 2; version++) {
    uint32_t hashes[2];
    assert_int_equal(skep_bucket_hash(columns, 1, version, NULL, 0, 2, hashes, &f->err), SKEP_OK);
    assert_int_equal(hashes[0], hashes[1]);
  }
  skep_vec_fini(&vec);
}

static void listed_rows_are_hashed_as_alone(void **state) {
  static const skep_forms forms = {0};
  fixture *f = *state;
  skep_vec vec = {0};
  make_vec(f, &vec, "int", &forms, NULL, 0);
  for (int i = 0; i < 700; i++) append_entry(f, &vec, &forms, i % 3 == 0 ? NULL : i % 3 == 1 ? "17" : "-4");
  const skep_vec *columns[] = {&vec};
  uint32_t all[700], some[400];
  int32_t rows[400];
  for (int i = 0; i < 400; i++) rows[i] = i < 300 ? i : 300 + (i - 300) * 4;
  assert_int_equal(skep_bucket_hash(columns, 1, 2, NULL, 0, 700, all, &f->err), SKEP_OK);
  assert_int_equal(skep_bucket_hash(columns, 1, 2, rows, 0, 400, some, &f->err), SKEP_OK);
  for (int i = 0; i < 400; i++) assert_int_equal(some[i], all[rows[i]]);
  skep_vec_fini(&vec);
}

static void what_has_no_hash_is_refused(void **state) {
  static const skep_forms forms = {0};
  fixture *f = *state;
  const char *const texts[] = {"2020-01-01 00:00:00"};
  skep_vec vec = {0};
  uint32_t hash[2];
  make_vec(f, &vec, "timestamp", &forms, texts, 1);
  const skep_vec *columns[] = {&vec};
  assert_int_equal(skep_bucket_hash(columns, 1, 3, NULL, 0, 1, hash, &f->err), SKEP_ERR_UNSUPPORTED);
  assert_string_equal(f->err.text, "bucketing version 3: 1 and 2 are known");
  assert_int_equal(skep_bucket_hash(columns, 1, 2, NULL, 0, 2, hash, &f->err), SKEP_ERR_ARGUMENT);
  assert_string_equal(f->err.text, "rows 0 to 2 of a column of 1");
  vec.type = type_of(f, "timestamp with local time zone");
  assert_int_equal(skep_bucket_hash(columns, 1, 2, NULL, 0, 1, hash, &f->err), SKEP_ERR_UNSUPPORTED);
  skep_vec_fini(&vec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(hashes_and_buckets_are_hives, set_up, tear_down),
      cmocka_unit_test_setup_teardown(lists_combine_their_elements, set_up, tear_down),
      cmocka_unit_test_setup_teardown(lists_of_lists_combine_twice, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_lists_are_hashed_in_blocks, set_up, tear_down),
      cmocka_unit_test_setup_teardown(values_of_maps_have_javas_hash_in_both_versions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(structs_combine_fields_and_unions_hash_their_value, set_up, tear_down),
      cmocka_unit_test_setup_teardown(columns_combine_in_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(chars_hash_the_same_padded_or_not, set_up, tear_down),
      cmocka_unit_test_setup_teardown(listed_rows_are_hashed_as_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_has_no_hash_is_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

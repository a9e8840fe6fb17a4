/* Foreign Arrow arrays: every layout by hand with its bytes, slices, and arrays that contradict themselves. */
#include "column/arrow.h"
#include "support/failing_alloc.h"
#include "support/vec_testing.h"

static skep_ctx ctx;
static failing_alloc memory;
static skep_arena arena;
static skep_err err;

static int set_up(void **state) {
  (void)state;
  failing_alloc_ctx(&memory, &ctx);
  skep_arena_init(&arena, &ctx, 1 << 24);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  skep_arena_fini(&arena);
  assert_int_equal(failing_alloc_live(&memory), 0);
  return 0;
}

static const skep_type *parsed(const char *text) {
  const skep_type *type;
  assert_ok(skep_type_parse(&arena, text, strlen(text), &type, &err), err);
  return type;
}

/* Foreign memory that lives on the stack of the test. */
static void not_released_s(struct ArrowSchema *schema) { schema->release = NULL; }
static void not_released_a(struct ArrowArray *array) { array->release = NULL; }

static struct ArrowSchema schema_of(const char *format) {
  return (struct ArrowSchema){.format = format, .name = "x", .flags = ARROW_FLAG_NULLABLE, .release = not_released_s};
}
static struct ArrowArray array_of(int64_t length, int64_t n_buffers, const void **buffers) {
  return (struct ArrowArray){.length = length, .n_buffers = n_buffers, .buffers = buffers, .release = not_released_a};
}

/* Imports into a vector of the schema's own type. */
static void import(skep_vec *vec, const struct ArrowSchema *schema, const struct ArrowArray *array,
                   const skep_forms *forms) {
  const skep_type *type;
  assert_ok(skep_arrow_import_type(&arena, schema, &type, &err), err);
  assert_ok(skep_vec_init(vec, &ctx, type, forms, &err), err);
  assert_ok(skep_arrow_import_vec(vec, schema, array, &err), err);
  assert_vec_sound(vec);
  assert_int_equal(vec->length, array->length);
}

static void assert_text(const skep_vec *vec, int64_t i, const char *expected) {
  assert_int_equal(skep_vec_is_valid(vec, i), expected != NULL);
  if (expected == NULL) return;
  skep_bytes bytes = skep_vec_bytes(vec, i);
  assert_int_equal(bytes.left, strlen(expected));
  if (bytes.left != 0) assert_memory_equal(bytes.at, expected, bytes.left);
}

static const skep_forms forms_list[] = {
    {0},
    {.boolean = SKEP_FORM_BOOL_BYTES, .timestamp = SKEP_FORM_TS_US, .string = SKEP_FORM_VIEW, .narrow_decimals = true},
    {.timestamp = SKEP_FORM_TS_NS},
};
enum { N_FORMS = 3 };

/* ---- types ---- */

static void formats_become_hive_types(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"b", "boolean"},
      {"c", "tinyint"},
      {"C", "smallint"},
      {"s", "smallint"},
      {"S", "int"},
      {"i", "int"},
      {"I", "bigint"},
      {"l", "bigint"},
      {"L", "decimal(20,0)"},
      {"f", "float"},
      {"g", "double"},
      {"u", "string"},
      {"U", "string"},
      {"vu", "string"},
      {"z", "binary"},
      {"Z", "binary"},
      {"vz", "binary"},
      {"w:16", "binary"},
      {"d:38,10", "decimal(38,10)"},
      {"d:9,2,32", "decimal(9,2)"},
      {"d:18,2,64", "decimal(18,2)"},
      {"tdD", "date"},
      {"tdm", "date"},
      {"tss:", "timestamp"},
      {"tsm:", "timestamp"},
      {"tsu:", "timestamp"},
      {"tsn:", "timestamp"},
      {"tsn:Europe/Berlin", "timestamp with local time zone"},
      {"+s", "struct<>"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ArrowSchema schema = schema_of(cases[i][0]);
    const skep_type *type;
    assert_ok(skep_arrow_import_type(&arena, &schema, &type, &err), err);
    assert_true(skep_type_equal(type, parsed(cases[i][1])));
  }
}

static void formats_without_a_hive_type_are_named(void **state) {
  (void)state;
  static const struct {
    const char *format;
    skep_status status;
    const char *message;
  } cases[] = {
      {"n", SKEP_ERR_UNSUPPORTED, "Arrow format \"n\" has no Hive type"},
      {"e", SKEP_ERR_UNSUPPORTED, "Arrow format \"e\" has no Hive type"},
      {"d:39,2", SKEP_ERR_UNSUPPORTED, "\"d:39,2\" has no Hive type"},
      {"d:50,2,256", SKEP_ERR_UNSUPPORTED, "\"d:50,2,256\" has no Hive type"},
      {"d:5,-2", SKEP_ERR_UNSUPPORTED, "\"d:5,-2\" has no Hive type"},
      {"d:5,6", SKEP_ERR_UNSUPPORTED, "\"d:5,6\" has no Hive type"},
      {"ttu", SKEP_ERR_UNSUPPORTED, "\"ttu\" has no Hive type"},
      {"tDs", SKEP_ERR_UNSUPPORTED, "\"tDs\" has no Hive type"},
      {"tiM", SKEP_ERR_UNSUPPORTED, "\"tiM\" has no Hive type"},
      {"+vl", SKEP_ERR_UNSUPPORTED, "\"+vl\" has no Hive type"},
      {"+r", SKEP_ERR_UNSUPPORTED, "\"+r\" has no Hive type"},
      {"", SKEP_ERR_UNSUPPORTED, "\"\" has no Hive type"},
      {"quite\x01wrong", SKEP_ERR_UNSUPPORTED, "\"quite\\x01wrong\" has no Hive type"},
      {"d", SKEP_ERR_CORRUPT, "Arrow format \"d\" is malformed"},
      {"d:", SKEP_ERR_CORRUPT, "\"d:\" is malformed"},
      {"d:5", SKEP_ERR_CORRUPT, "\"d:5\" is malformed"},
      {"d:5,2,", SKEP_ERR_CORRUPT, "\"d:5,2,\" is malformed"},
      {"d:5,2x", SKEP_ERR_CORRUPT, "\"d:5,2x\" is malformed"},
      {"t", SKEP_ERR_UNSUPPORTED, "\"t\""},
      {"ts", SKEP_ERR_CORRUPT, "\"ts\" is malformed"},
      {"tsu", SKEP_ERR_CORRUPT, "\"tsu\" is malformed"},
      {"tsx:", SKEP_ERR_CORRUPT, "\"tsx:\" is malformed"},
      {"w", SKEP_ERR_CORRUPT, "\"w\" is malformed"},
      {"w:x", SKEP_ERR_CORRUPT, "\"w:x\" is malformed"},
      {"w:1234567890", SKEP_ERR_CORRUPT, "\"w:1234567890\" is malformed"},
      {"+", SKEP_ERR_UNSUPPORTED, "\"+\""},
      {"+w", SKEP_ERR_CORRUPT, "\"+w\" is malformed"},
      {"+ux:", SKEP_ERR_CORRUPT, "\"+ux:\" is malformed"},
      {"+ud", SKEP_ERR_CORRUPT, "\"+ud\" is malformed"},
      {"+ud:", SKEP_ERR_CORRUPT, "Arrow format \"+ud:\" with 0 children"},
      {"+ud:1", SKEP_ERR_CORRUPT, "\"+ud:1\" is malformed"},
      {"+l", SKEP_ERR_CORRUPT, "Arrow format \"+l\" with 0 children"},
      {"+m", SKEP_ERR_CORRUPT, "Arrow format \"+m\" with 0 children"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ArrowSchema schema = schema_of(cases[i].format);
    const skep_type *type;
    assert_fails(skep_arrow_import_type(&arena, &schema, &type, &err), cases[i].status, err, cases[i].message);
    assert_null(type);
  }
}

static void broken_schemas_are_refused(void **state) {
  (void)state;
  const skep_type *type;
  struct ArrowSchema leaf = schema_of("i"), other = schema_of("n"), gone = schema_of("i"), root = schema_of("+s");
  struct ArrowSchema *children[2] = {&leaf, NULL};
  gone.release = NULL;
  assert_fails(skep_arrow_import_type(&arena, &gone, &type, &err), SKEP_ERR_CORRUPT, err, "missing or released");
  root.children = children;
  root.n_children = 2;
  assert_fails(skep_arrow_import_type(&arena, &root, &type, &err), SKEP_ERR_CORRUPT, err,
               "child 1 of an Arrow schema is missing or released");
  children[1] = &other;
  assert_fails(skep_arrow_import_type(&arena, &root, &type, &err), SKEP_ERR_UNSUPPORTED, err,
               "x: Arrow format \"n\" has no Hive type");
  root.n_children = -1;
  assert_fails(skep_arrow_import_type(&arena, &root, &type, &err), SKEP_ERR_CORRUPT, err, "missing or released");
  struct ArrowSchema map = schema_of("+m");
  map.children = children;
  map.n_children = 1;
  assert_fails(skep_arrow_import_type(&arena, &map, &type, &err), SKEP_ERR_CORRUPT, err, "no struct of two");
  static const char *const ids[] = {"+ud:0", "+ud:0,1,2", "+ud:0,0", "+ud:0,128", "+ud:0,", "+ud:,0", "+ud:0;1"};
  children[1] = &leaf;
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    struct ArrowSchema unions = schema_of(ids[i]);
    unions.children = children;
    unions.n_children = 2;
    assert_fails(skep_arrow_import_type(&arena, &unions, &type, &err), SKEP_ERR_CORRUPT, err, "is malformed");
  }
  struct ArrowSchema coded = schema_of("u");
  coded.dictionary = &leaf;
  assert_fails(skep_arrow_import_type(&arena, &coded, &type, &err), SKEP_ERR_CORRUPT, err, "\"u\" is malformed");
  coded.format = "i";
  leaf.dictionary = &other;
  assert_fails(skep_arrow_import_type(&arena, &coded, &type, &err), SKEP_ERR_UNSUPPORTED, err, "dictionary of a dict");
  leaf.dictionary = NULL;
  struct ArrowSchema loop = schema_of("+l"), *self = &loop; /* a schema that contains itself */
  loop.children = &self;
  loop.n_children = 1;
  assert_fails(skep_arrow_import_type(&arena, &loop, &type, &err), SKEP_ERR_LIMIT, err, "nested deeper than 64");
}

/* ---- values ---- */

static void unsigned_integers_fit_the_next_type(void **state) {
  (void)state;
  static const uint8_t u8[] = {0, 200, 255};
  static const uint16_t u16[] = {0, 40000, 65535};
  static const uint32_t u32[] = {0, 3000000000, UINT32_MAX};
  static const uint64_t u64[] = {0, 1, UINT64_MAX};
  const struct {
    const char *format;
    const void *data;
    skep_i128 last;
  } cases[] = {{"C", u8, 255}, {"S", u16, 65535}, {"I", u32, UINT32_MAX}, {"L", u64, UINT64_MAX}};
  for (size_t i = 0; i < 4; i++) {
    const void *buffers[2] = {NULL, cases[i].data};
    struct ArrowSchema schema = schema_of(cases[i].format);
    struct ArrowArray array = array_of(3, 2, buffers);
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[1]);
    skep_i128 value = 0;
    size_t width = skep_form_width(vec.form);
    memcpy(&value, (const uint8_t *)vec.values.data + 2 * width, width);
    assert_true(value == cases[i].last);
    skep_vec_fini(&vec);
  }
}

static void decimals_of_any_width_become_any_form(void **state) {
  (void)state;
  static const int32_t d32[] = {-9999, 0, 9999};
  static const int64_t d64[] = {-9999, 0, 9999};
  static const skep_i128 d128[] = {-9999, 0, 9999};
  const struct {
    const char *format;
    const void *data;
  } cases[] = {{"d:4,2,32", d32}, {"d:4,2,64", d64}, {"d:4,2,128", d128}, {"d:4,2", d128}};
  for (size_t i = 0; i < 8; i++) {
    const void *buffers[2] = {NULL, cases[i / 2].data};
    struct ArrowSchema schema = schema_of(cases[i / 2].format);
    struct ArrowArray array = array_of(3, 2, buffers);
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[i % 2]);
    if (i % 2 == 1) {
      const int16_t *values = vec.values.data;
      assert_true(values[0] == -9999 && values[1] == 0 && values[2] == 9999);
    } else {
      const skep_i128 *values = vec.values.data;
      assert_true(values[0] == -9999 && values[1] == 0 && values[2] == 9999);
    }
    skep_vec_fini(&vec);
  }
}

static void decimals_beyond_their_precision_are_refused(void **state) {
  (void)state;
  static const skep_i128 values[] = {1, -10000};
  const void *buffers[2] = {NULL, values};
  struct ArrowSchema schema = schema_of("d:4,2");
  struct ArrowArray array = array_of(2, 2, buffers);
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("decimal(4,2)"), &forms_list[1], &err), err);
  assert_fails(skep_arrow_import_vec(&vec, &schema, &array, &err), SKEP_ERR_RANGE, err,
               "row 1: a decimal has more than 4 digits");
  assert_int_equal(vec.length, 0);
  skep_vec_fini(&vec);
}

static void timestamps_of_any_unit_become_any_form(void **state) {
  (void)state;
  static const int64_t seconds[] = {-1, 1000}, ms[] = {-1000, 1000000}, us[] = {-1000000, 1000000000},
                       ns[] = {-1000000000, 1000000000000};
  const struct {
    const char *format;
    const int64_t *data;
  } cases[] = {{"tss:", seconds}, {"tsm:UTC", ms}, {"tsu:", us}, {"tsn:Asia/Tokyo", ns}};
  for (size_t i = 0; i < 4 * N_FORMS; i++) {
    const void *buffers[2] = {NULL, cases[i % 4].data};
    struct ArrowSchema schema = schema_of(cases[i % 4].format);
    struct ArrowArray array = array_of(2, 2, buffers);
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[i / 4]);
    const int64_t *values = vec.values.data;
    const skep_ts *times = vec.values.data;
    if (vec.form == SKEP_FORM_TS) {
      assert_true(times[0].seconds == -1 && times[0].nanos == 0 && times[1].seconds == 1000);
    } else {
      int64_t units = vec.form == SKEP_FORM_TS_US ? 1000000 : 1000000000;
      assert_true(values[0] == -units && values[1] == 1000 * units);
    }
    skep_vec_fini(&vec);
  }
  const void *buffers[2] = {NULL, seconds};
  static const int64_t far[] = {253402300799};
  buffers[1] = far;
  struct ArrowSchema schema = schema_of("tss:");
  struct ArrowArray array = array_of(1, 2, buffers);
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("timestamp"), &forms_list[2], &err), err);
  assert_fails(skep_arrow_import_vec(&vec, &schema, &array, &err), SKEP_ERR_RANGE, err,
               "row 0: timestamp 9999-12-31 23:59:59 does not fit 64-bit nanoseconds");
  skep_vec_fini(&vec);
}

static void dates_in_milliseconds_are_cut_to_days(void **state) {
  (void)state;
  static const int64_t ms[] = {0, 86399999, 86400000, -1, INT64_MAX};
  const void *buffers[2] = {NULL, ms};
  struct ArrowSchema schema = schema_of("tdm");
  struct ArrowArray array = array_of(4, 2, buffers);
  skep_vec vec;
  import(&vec, &schema, &array, &forms_list[0]);
  const int32_t *days = vec.values.data;
  assert_true(days[0] == 0 && days[1] == 0 && days[2] == 1 && days[3] == -1);
  array.length = 5;
  assert_fails(skep_arrow_import_vec(&vec, &schema, &array, &err), SKEP_ERR_RANGE, err,
               "row 4: a date of 106751991167");
  skep_vec_fini(&vec);
}

static void booleans_are_read_at_any_bit(void **state) {
  (void)state;
  static const uint8_t bits[] = {0xb4, 0x01}, validity[] = {0x7f, 0xff};
  const void *buffers[2] = {validity, bits};
  struct ArrowSchema schema = schema_of("b");
  struct ArrowArray array = array_of(7, 2, buffers);
  array.offset = 2;
  array.null_count = -1;
  for (size_t f = 0; f < 2; f++) {
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[f]);
    static const bool expected[] = {true, false, true, true, false, true, true};
    assert_int_equal(vec.null_count, 1);
    for (int64_t i = 0; i < 7; i++) {
      assert_int_equal(skep_vec_is_valid(&vec, i), i != 5);
      if (i == 5) continue;
      bool value = f == 1 ? ((uint8_t *)vec.values.data)[i] : skep_bit_get(vec.values.data, i);
      assert_int_equal(value, expected[i]);
    }
    skep_vec_fini(&vec);
  }
}

static void strings_of_every_layout_are_copied(void **state) {
  (void)state;
  static const char bytes[] = "zzonetwothirteen bytes";
  static const int32_t small[] = {2, 5, 8, 8, 22};
  static const int64_t large[] = {2, 5, 8, 8, 22};
  static const char fixed[] = "onetwosix";
  static const struct {
    int32_t length;
    char inlined[4];
    int32_t buffer, offset;
  } views[] = {{3, "one", 0, 0}, {3, "two", 0, 0}, {0, "", 0, 0}, {14, "thir", 1, 8}};
  static const int64_t sizes[] = {0, 22};
  const void *small_buffers[] = {NULL, small, bytes}, *large_buffers[] = {NULL, large, bytes},
             *view_buffers[] = {NULL, views, NULL, bytes, sizes}, *fixed_buffers[] = {NULL, fixed};
  static const char *const expected[] = {"one", "two", "", "thirteen bytes"};
  static const char *const expected_fixed[] = {"one", "two", "six"};
  const struct {
    const char *format;
    const void **buffers;
    int64_t n_buffers, length;
    const char *const *expected;
  } cases[] = {
      {"u", small_buffers, 3, 4, expected},         {"z", small_buffers, 3, 4, expected},
      {"U", large_buffers, 3, 4, expected},         {"Z", large_buffers, 3, 4, expected},
      {"vu", view_buffers, 5, 4, expected},         {"vz", view_buffers, 5, 4, expected},
      {"w:3", fixed_buffers, 2, 3, expected_fixed},
  };
  static const uint8_t validity[] = {0x0d}; /* entry 1 is NULL */
  for (size_t i = 0; i < sizeof cases / sizeof *cases * 4; i++) {
    size_t c = i / 4, f = i % 2, nulls = i / 2 % 2;
    struct ArrowSchema schema = schema_of(cases[c].format);
    struct ArrowArray array = array_of(cases[c].length, cases[c].n_buffers, cases[c].buffers);
    cases[c].buffers[0] = nulls ? validity : NULL;
    array.null_count = nulls ? -1 : 0;
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[f]);
    for (int64_t k = 0; k < array.length; k++) assert_text(&vec, k, nulls && k == 1 ? NULL : cases[c].expected[k]);
    skep_vec_fini(&vec);
  }
}

static void codes_of_every_width_are_expanded(void **state) {
  (void)state;
  static const int8_t c8[] = {2, 0, 1, 2};
  static const int16_t c16[] = {2, 0, 1, 2};
  static const int32_t c32[] = {2, 0, 1, 2};
  static const int64_t c64[] = {2, 0, 1, 2};
  const struct {
    const char *format;
    const void *codes;
  } cases[] = {{"c", c8}, {"C", c8}, {"s", c16}, {"S", c16}, {"i", c32}, {"I", c32}, {"l", c64}, {"L", c64}};
  static const uint8_t code_validity[] = {0x0d}, value_validity[] = {0x06}; /* code 1 is NULL; so is value 0 */
  static const int32_t offsets[] = {0, 1, 4, 17, 18};
  const void *strings[] = {value_validity, offsets, "xonethirteen bytey"};
  static const int64_t numbers[] = {5, 6, 7, 8};
  const void *integers[] = {value_validity, numbers};
  for (size_t i = 0; i < 16; i++) {
    const void *buffers[] = {code_validity, cases[i / 2].codes};
    struct ArrowSchema schema = schema_of(cases[i / 2].format), values = schema_of("u"), ints = schema_of("l");
    struct ArrowArray array = array_of(4, 2, buffers), dictionary = array_of(3, 3, strings);
    array.null_count = -1;
    dictionary.null_count = 1;
    schema.dictionary = &values;
    array.dictionary = &dictionary;
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[i % 2]);
    assert_text(&vec, 0, "thirteen byte");
    assert_text(&vec, 1, NULL);
    assert_text(&vec, 2, "one");
    assert_text(&vec, 3, "thirteen byte");
    skep_vec_fini(&vec);
    buffers[0] = NULL; /* now code 1 (value 0) reaches a NULL in the dictionary */
    array.null_count = 0;
    import(&vec, &schema, &array, &forms_list[i % 2]);
    assert_text(&vec, 1, NULL);
    assert_text(&vec, 2, "one");
    assert_int_equal(vec.null_count, 1);
    skep_vec_fini(&vec);
    /* a dictionary of numbers, seen through an offset */
    dictionary = array_of(3, 2, integers);
    dictionary.offset = 1;
    schema.dictionary = &ints;
    buffers[0] = code_validity;
    array.null_count = 1;
    import(&vec, &schema, &array, &forms_list[i % 2]);
    assert_int_equal(vec.null_count, 1);
    assert_false(skep_vec_is_valid(&vec, 1));
    assert_int_equal(((int64_t *)vec.values.data)[0], 8);
    assert_int_equal(((int64_t *)vec.values.data)[2], 7);
    skep_vec_fini(&vec);
  }
}

static void lists_of_every_layout_leave_out_what_is_below_nulls(void **state) {
  (void)state;
  static const int32_t numbers[] = {9, 1, 2, 3, 4, 5, 6, 7};
  static const int32_t small[] = {1, 3, 5, 5, 8};
  static const int64_t large[] = {1, 3, 5, 5, 8};
  static const uint8_t validity[] = {0x0d}; /* entry 1 is NULL, with elements 3 and 4 below it */
  const void *item_buffers[] = {NULL, numbers}, *small_buffers[] = {validity, small},
             *large_buffers[] = {validity, large};
  struct ArrowSchema item = schema_of("i"), *items = &item;
  struct ArrowArray numbers_array = array_of(8, 2, item_buffers), *children = &numbers_array;
  for (int i = 0; i < 2; i++) {
    struct ArrowSchema schema = schema_of(i == 0 ? "+l" : "+L");
    struct ArrowArray array = array_of(4, 2, i == 0 ? small_buffers : large_buffers);
    schema.n_children = array.n_children = 1;
    schema.children = &items;
    array.children = &children;
    array.null_count = 1;
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[0]);
    static const int32_t offsets[] = {0, 2, 2, 2, 5}, values[] = {1, 2, 5, 6, 7};
    assert_memory_equal(vec.offsets.data, offsets, sizeof offsets);
    assert_memory_equal(vec.children[0].values.data, values, sizeof values);
    assert_false(skep_vec_is_valid(&vec, 1));
    skep_vec_fini(&vec);
  }
  const void *fixed_buffers[] = {validity};
  struct ArrowSchema schema = schema_of("+w:2");
  struct ArrowArray array = array_of(3, 1, fixed_buffers);
  schema.n_children = array.n_children = 1;
  schema.children = &items;
  array.children = &children;
  array.null_count = 1;
  array.offset = 0;
  skep_vec vec;
  import(&vec, &schema, &array, &forms_list[0]);
  static const int32_t values[] = {9, 1, 4, 5};
  assert_memory_equal(vec.children[0].values.data, values, sizeof values);
  skep_vec_fini(&vec);
}

static void a_null_struct_has_null_children(void **state) {
  (void)state;
  static const int32_t numbers[] = {1, 2, 3, 4};
  static const uint8_t validity[] = {0x0b}; /* struct 2 is NULL, its child is not */
  const void *struct_buffers[] = {validity}, *number_buffers[] = {NULL, numbers};
  struct ArrowSchema child = schema_of("i"), *schemas = &child, schema = schema_of("+s");
  struct ArrowArray number = array_of(4, 2, number_buffers), *arrays = &number, array = array_of(4, 1, struct_buffers);
  schema.n_children = array.n_children = 1;
  schema.children = &schemas;
  array.children = &arrays;
  array.null_count = -1;
  skep_vec vec;
  import(&vec, &schema, &array, &forms_list[0]);
  assert_false(skep_vec_is_valid(&vec.children[0], 2));
  assert_int_equal(vec.children[0].null_count, 1);
  assert_int_equal(((int32_t *)vec.children[0].values.data)[3], 4);
  skep_vec_fini(&vec);
}

static void unions_of_both_kinds_become_dense(void **state) {
  (void)state;
  static const int8_t ids[] = {5, 9, 5, 9, 9};
  static const int32_t places[] = {0, 0, 1, 1, 2}, numbers[] = {1, 10, 3, 30, 50};
  static const int32_t dense_numbers[] = {1, 3}, offsets[] = {0, 1, 2, 3, 4, 5}, dense_offsets[] = {0, 1, 2, 3};
  const void *number_buffers[] = {NULL, numbers}, *text_buffers[] = {NULL, offsets, "abcde"};
  const void *dense_number_buffers[] = {NULL, dense_numbers}, *dense_text_buffers[] = {NULL, dense_offsets, "bde"};
  const void *buffers[] = {ids, places};
  struct ArrowSchema number = schema_of("i"), text = schema_of("u"), *schemas[] = {&number, &text};
  for (int sparse = 0; sparse < 2; sparse++) {
    struct ArrowSchema schema = schema_of(sparse ? "+us:5,9" : "+ud:5,9");
    struct ArrowArray numbers_array = sparse ? array_of(5, 2, number_buffers) : array_of(2, 2, dense_number_buffers);
    struct ArrowArray texts_array = sparse ? array_of(5, 3, text_buffers) : array_of(3, 3, dense_text_buffers);
    struct ArrowArray *arrays[] = {&numbers_array, &texts_array}, array = array_of(5, sparse ? 1 : 2, buffers);
    schema.n_children = array.n_children = 2;
    schema.children = schemas;
    array.children = arrays;
    skep_vec vec;
    import(&vec, &schema, &array, &forms_list[0]);
    static const int8_t tags[] = {0, 1, 0, 1, 1};
    assert_memory_equal(vec.values.data, tags, sizeof tags);
    assert_int_equal(((int32_t *)vec.children[0].values.data)[1], 3);
    assert_text(&vec.children[1], 0, "b");
    assert_text(&vec.children[1], 2, "e");
    skep_vec_fini(&vec);
  }
}

/* ---- slices ---- */

static void slices_show_what_they_cover(void **state) {
  (void)state;
  static const char *const types[] = {
      "boolean",
      "int",
      "decimal(20,2)",
      "string",
      "timestamp",
      "array<string>",
      "map<int,boolean>",
      "struct<a:boolean,b:string,c:array<struct<d:int>>>",
      "struct<u:uniontype<int,string>,b:boolean>",
  };
  static const skep_forms forms[] = {{.timestamp = SKEP_FORM_TS_US},
                                     {.timestamp = SKEP_FORM_TS_NS, .keep_dictionaries = true}};
  for (size_t t = 0; t < 2 * sizeof types / sizeof *types; t++) {
    const skep_type *type = parsed(types[t / 2]);
    unsigned nulls = strstr(types[t / 2], "union") == NULL ? 20 : 0;
    skep_vec vec, before, back;
    assert_ok(skep_vec_init(&vec, &ctx, type, &forms[t % 2], &err), err);
    assert_ok(skep_vec_init(&before, &ctx, type, &forms[t % 2], &err), err);
    assert_ok(skep_vec_init(&back, &ctx, type, &forms[t % 2], &err), err);
    vec_random_fill(&vec, 100, 21, nulls);
    vec_random_fill(&before, 100, 21, nulls);
    struct ArrowSchema schema;
    struct ArrowArray array;
    assert_ok(skep_arrow_export_schema(&ctx, type, &forms[t % 2], &schema, &err), err);
    assert_ok(skep_arrow_export_vec(&vec, &forms[t % 2], SKEP_UTF8_FAIL, &array, &err), err);
    struct ArrowArray slice = array; /* shares everything; only the original is released */
    for (int64_t offset = 0; offset < 30; offset += 7) {
      slice.offset = offset;
      slice.length = 100 - 2 * offset;
      slice.null_count = array.null_count == 0 ? 0 : -1;
      assert_ok(skep_arrow_import_vec(&back, &schema, &slice, &err), err);
      assert_vec_sound(&back);
      assert_int_equal(back.length, slice.length);
      for (int64_t i = 0; i < slice.length; i++) assert_entry_equal(&back, i, &before, offset + i);
    }
    array.release(&array);
    schema.release(&schema);
    skep_vec_fini(&vec);
    skep_vec_fini(&before);
    skep_vec_fini(&back);
  }
}

static void a_child_has_an_offset_of_its_own(void **state) {
  (void)state;
  static const int32_t numbers[] = {0, 1, 2, 3, 4, 5, 6};
  const void *struct_buffers[] = {NULL}, *number_buffers[] = {NULL, numbers};
  struct ArrowSchema child = schema_of("i"), *schemas = &child, schema = schema_of("+s");
  struct ArrowArray number = array_of(5, 2, number_buffers), *arrays = &number, array = array_of(3, 1, struct_buffers);
  number.offset = 2;
  array.offset = 1;
  schema.n_children = array.n_children = 1;
  schema.children = &schemas;
  array.children = &arrays;
  skep_vec vec;
  import(&vec, &schema, &array, &forms_list[0]);
  assert_memory_equal(vec.children[0].values.data, numbers + 3, 3 * sizeof *numbers);
  array.length = 5;
  assert_fails(skep_arrow_import_vec(&vec, &schema, &array, &err), SKEP_ERR_CORRUPT, err,
               "column x: Arrow array: entries 1 to 6 of 5 are asked for");
  skep_vec_fini(&vec);
}

/* ---- arrays that contradict themselves ---- */

static void refuse(const struct ArrowSchema *schema, const struct ArrowArray *array, skep_status status,
                   const char *message) {
  const skep_type *type;
  skep_vec vec;
  assert_ok(skep_arrow_import_type(&arena, schema, &type, &err), err);
  assert_ok(skep_vec_init(&vec, &ctx, type, &forms_list[0], &err), err);
  assert_fails(skep_arrow_import_vec(&vec, schema, array, &err), status, err, message);
  assert_int_equal(vec.length, 0);
  skep_vec_fini(&vec);
}

static void counts_that_cannot_be_are_refused(void **state) {
  (void)state;
  static const int32_t numbers[] = {1, 2};
  const void *buffers[] = {NULL, numbers}, *none[] = {NULL, NULL};
  struct ArrowSchema schema = schema_of("i");
  const struct ArrowArray good = array_of(2, 2, buffers);
  struct ArrowArray bad = good;
  bad.length = -1;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "Arrow array: length -1, offset 0, 0 NULLs");
  bad = good;
  bad.offset = -1;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "length 2, offset -1");
  bad = good;
  bad.offset = INT64_MAX;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "offset 9223372036854775807");
  bad = good;
  bad.null_count = 3;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "3 NULLs");
  bad.null_count = 1;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "1 NULLs but no validity bitmap");
  bad.null_count = -2;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "-2 NULLs");
  bad = good;
  bad.n_buffers = 3;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "3 buffers where 2 are expected");
  bad = good;
  bad.buffers = NULL;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "2 buffers where 2");
  bad.buffers = none;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "buffer 1 is NULL");
  bad = good;
  bad.n_children = 1;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "1 children where 0 are expected");
  bad = good;
  bad.release = NULL;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "missing or released");
  bad = good;
  bad.dictionary = &bad;
  refuse(&schema, &bad, SKEP_ERR_CORRUPT, "its schema differs about a dictionary");
}

static void another_type_is_refused(void **state) {
  (void)state;
  static const int32_t numbers[] = {1, 2};
  const void *buffers[] = {NULL, numbers};
  struct ArrowSchema schema = schema_of("i");
  struct ArrowArray array = array_of(2, 2, buffers);
  static const char *const types[] = {"bigint", "date", "string", "struct<a:int>", "decimal(10,0)"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    skep_vec vec;
    assert_ok(skep_vec_init(&vec, &ctx, parsed(types[i]), &forms_list[0], &err), err);
    assert_fails(skep_arrow_import_vec(&vec, &schema, &array, &err), SKEP_ERR_ARGUMENT, err,
                 "Arrow format \"i\" does not fit a column of type ");
    skep_vec_fini(&vec);
  }
}

static void offsets_out_of_order_are_refused(void **state) {
  (void)state;
  static const int32_t down[] = {0, 3, 2}, negative[] = {-1, 0, 1}, far[] = {0, 1, 9};
  static const uint8_t validity[] = {3};
  const void *strings[] = {NULL, down, "abc"}, *lists[] = {NULL, down};
  struct ArrowSchema text = schema_of("u"), list = schema_of("+l"), item = schema_of("i"), *items = &item;
  struct ArrowArray texts = array_of(2, 3, strings);
  static const int32_t numbers[] = {1, 2, 3};
  const void *number_buffers[] = {NULL, numbers};
  struct ArrowArray inner = array_of(3, 2, number_buffers), *children = &inner, array = array_of(2, 2, lists);
  list.n_children = array.n_children = 1;
  list.children = &items;
  array.children = &children;
  for (int i = 0; i < 2; i++) {
    strings[0] = lists[0] = i == 0 ? NULL : validity;
    texts.null_count = array.null_count = -i;
    strings[1] = lists[1] = down;
    refuse(&text, &texts, SKEP_ERR_CORRUPT, "offsets 3 and 2 at entry 1 do not ascend");
    refuse(&list, &array, SKEP_ERR_CORRUPT, "offsets 3 and 2 at entry 1 do not ascend");
    strings[1] = lists[1] = negative;
    refuse(&text, &texts, SKEP_ERR_CORRUPT, "offsets -1 and 0 at entry 0 do not ascend");
    refuse(&list, &array, SKEP_ERR_CORRUPT, "offsets -1 and 0 at entry 0 do not ascend");
    lists[1] = far;
    refuse(&list, &array, SKEP_ERR_CORRUPT, "element: Arrow array: entries 0 to 9 of 3 are asked for");
    strings[1] = far;
    strings[2] = NULL;
    refuse(&text, &texts, SKEP_ERR_CORRUPT, "strings are there but no buffer with bytes");
    strings[2] = "abc";
  }
}

static void huge_lists_are_a_limit(void **state) {
  (void)state;
  static const int64_t huge[] = {0, INT64_C(1) << 40};
  const void *lists[] = {NULL, huge}, *no_buffers[] = {NULL};
  struct ArrowSchema list = schema_of("+L"), item = schema_of("+s"), *items = &item;
  struct ArrowArray inner = array_of(INT64_C(1) << 40, 1, no_buffers), *children = &inner,
                    array = array_of(1, 2, lists);
  list.n_children = array.n_children = 1;
  list.children = &items;
  array.children = &children;
  refuse(&list, &array, SKEP_ERR_LIMIT, "more than 2147483647 list elements");
  list.format = "+w:999999999";
  array.n_buffers = 1;
  array.length = 3;
  refuse(&list, &array, SKEP_ERR_LIMIT, "more than 2147483647 list elements");
  array.offset = INT64_C(1) << 50;
  array.length = 1;
  refuse(&list, &array, SKEP_ERR_CORRUPT, "of lists of 999999999 elements");
  refuse(&item, &inner, SKEP_ERR_LIMIT, "1099511627776 entries");
}

static void views_outside_their_buffer_are_refused(void **state) {
  (void)state;
  typedef struct view {
    int32_t length;
    char prefix[4];
    int32_t buffer, offset;
  } view;
  static const int64_t sizes[] = {20};
  view bad;
  const void *buffers[] = {NULL, &bad, "twenty bytes of text", sizes};
  struct ArrowSchema schema = schema_of("vu");
  struct ArrowArray array = array_of(1, 4, buffers);
  static const struct {
    view view;
    const char *message;
  } cases[] = {
      {{-1, "", 0, 0}, "view 0 has length -1 in buffer 0 of 1 at 0"},
      {{13, "", 1, 0}, "view 0 has length 13 in buffer 1 of 1 at 0"},
      {{13, "", -1, 0}, "in buffer -1 of 1"},
      {{13, "", 0, -1}, "at -1"},
      {{13, "", 0, 8}, "view 0 ends at 21, its buffer has 20 bytes"},
      {{INT32_MAX, "", 0, INT32_MAX}, "view 0 ends at 4294967294"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bad = cases[i].view;
    refuse(&schema, &array, SKEP_ERR_CORRUPT, cases[i].message);
  }
  array.n_buffers = 2;
  refuse(&schema, &array, SKEP_ERR_CORRUPT, "2 buffers where 3 are expected");
}

static void tags_and_codes_out_of_range_are_refused(void **state) {
  (void)state;
  static const int8_t ids[] = {0, 2}, negative_ids[] = {0, -1}, good_ids[] = {0, 1};
  static const int32_t places[] = {0, 1}, negative_places[] = {-1, 0}, numbers[] = {1};
  const void *buffers[] = {ids, places}, *number_buffers[] = {NULL, numbers};
  struct ArrowSchema number = schema_of("i"), *schemas[] = {&number, &number}, schema = schema_of("+ud:0,1");
  struct ArrowArray child = array_of(1, 2, number_buffers), *arrays[] = {&child, &child},
                    array = array_of(2, 2, buffers);
  schema.n_children = array.n_children = 2;
  schema.children = schemas;
  array.children = arrays;
  refuse(&schema, &array, SKEP_ERR_CORRUPT, "entry 1 has type id 2, which the union does not have");
  buffers[0] = negative_ids;
  refuse(&schema, &array, SKEP_ERR_CORRUPT, "entry 1 has type id -1");
  buffers[0] = good_ids;
  refuse(&schema, &array, SKEP_ERR_CORRUPT, "member 1: Arrow array: entries 1 to 2 of 1 are asked for");
  buffers[1] = negative_places;
  refuse(&schema, &array, SKEP_ERR_CORRUPT, "member 0: Arrow array: entries -1 to 0 of 1 are asked for");

  static const int8_t codes[] = {0, 3};
  static const uint64_t wide_codes[] = {0, UINT64_MAX};
  static const int32_t offsets[] = {0, 1, 2, 3};
  const void *code_buffers[] = {NULL, codes}, *strings[] = {NULL, offsets, "abc"};
  struct ArrowSchema coded = schema_of("c"), text = schema_of("u");
  struct ArrowArray coded_array = array_of(2, 2, code_buffers), dictionary = array_of(3, 3, strings);
  coded.dictionary = &text;
  coded_array.dictionary = &dictionary;
  refuse(&coded, &coded_array, SKEP_ERR_CORRUPT, "code 3 at entry 1, the dictionary has 3 entries");
  code_buffers[1] = wide_codes;
  coded.format = "L";
  refuse(&coded, &coded_array, SKEP_ERR_CORRUPT, "code -1 at entry 1");
  dictionary.release = NULL;
  refuse(&coded, &coded_array, SKEP_ERR_CORRUPT, "missing or released");
}

static void null_keys_and_entries_of_maps_are_refused(void **state) {
  (void)state;
  static const int32_t offsets[] = {0, 2}, numbers[] = {1, 2};
  static const uint8_t one_null[] = {1};
  const void *map_buffers[] = {NULL, offsets}, *entry_buffers[] = {NULL}, *key_buffers[] = {NULL, numbers};
  struct ArrowSchema number = schema_of("i"), *pair[] = {&number, &number}, entry = schema_of("+s"), *entries = &entry,
                     map = schema_of("+m");
  struct ArrowArray key = array_of(2, 2, key_buffers), *key_value[] = {&key, &key},
                    entry_array = array_of(2, 1, entry_buffers), *children = &entry_array,
                    array = array_of(1, 2, map_buffers);
  entry.n_children = entry_array.n_children = 2;
  entry.children = pair;
  entry_array.children = key_value;
  map.n_children = array.n_children = 1;
  map.children = &entries;
  array.children = &children;
  skep_vec vec;
  import(&vec, &map, &array, &forms_list[0]);
  assert_int_equal(vec.children[1].length, 2);
  skep_vec_fini(&vec);
  key_buffers[0] = one_null;
  key.null_count = 1;
  refuse(&map, &array, SKEP_ERR_CORRUPT, "a key of a map is NULL");
  key_buffers[0] = NULL;
  key.null_count = 0;
  entry_buffers[0] = one_null;
  entry_array.null_count = -1;
  refuse(&map, &array, SKEP_ERR_CORRUPT, "an entry of a map is NULL");
}

/* Any value in the buffers that say where things are gives values or a status, never a fault. */
static void changed_places_never_fault(void **state) {
  (void)state;
  static const skep_forms forms = {.keep_dictionaries = true};
  const skep_type *type = parsed("struct<a:array<int>,b:uniontype<int,string>,c:string,d:map<int,array<boolean>>>");
  skep_vec vec, back;
  assert_ok(skep_vec_init(&vec, &ctx, type, &forms, &err), err);
  assert_ok(skep_vec_init(&back, &ctx, type, &forms, &err), err);
  vec_testing_use_dict(&vec);
  vec_random_fill(&vec, 50, 9, 0);
  struct ArrowSchema schema;
  struct ArrowArray array;
  assert_ok(skep_arrow_export_schema(&ctx, type, &forms, &schema, &err), err);
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), err);
  vec_random r = {.state = 12345};
  void *places[] = {(void *)(uintptr_t)array.children[0]->buffers[1], (void *)(uintptr_t)array.children[1]->buffers[1],
                    (void *)(uintptr_t)array.children[2]->buffers[1], (void *)(uintptr_t)array.children[3]->buffers[1],
                    (void *)(uintptr_t)array.children[1]->buffers[0]};
  for (int n = 0; n < 20000; n++) {
    size_t which = vec_random_next(&r) % 5;
    size_t at = vec_random_next(&r) % (which == 4 ? 12 : 50);
    int32_t value = (int32_t)(vec_random_next(&r) % 4 == 0 ? vec_random_next(&r) : vec_random_next(&r) % 120), old;
    memcpy(&old, (int32_t *)places[which] + at, sizeof old);
    memcpy((int32_t *)places[which] + at, &value, sizeof value);
    skep_status st = skep_arrow_import_vec(&back, &schema, &array, &err);
    assert_true(st == SKEP_OK || st == SKEP_ERR_CORRUPT || st == SKEP_ERR_LIMIT);
    if (st == SKEP_OK) assert_vec_sound(&back);
    memcpy((int32_t *)places[which] + at, &old, sizeof old);
  }
  array.release(&array);
  schema.release(&schema);
  skep_vec_fini(&vec);
  skep_vec_fini(&back);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(formats_become_hive_types),
      TEST(formats_without_a_hive_type_are_named),
      TEST(broken_schemas_are_refused),
      TEST(unsigned_integers_fit_the_next_type),
      TEST(decimals_of_any_width_become_any_form),
      TEST(decimals_beyond_their_precision_are_refused),
      TEST(timestamps_of_any_unit_become_any_form),
      TEST(dates_in_milliseconds_are_cut_to_days),
      TEST(booleans_are_read_at_any_bit),
      TEST(strings_of_every_layout_are_copied),
      TEST(codes_of_every_width_are_expanded),
      TEST(lists_of_every_layout_leave_out_what_is_below_nulls),
      TEST(a_null_struct_has_null_children),
      TEST(unions_of_both_kinds_become_dense),
      TEST(slices_show_what_they_cover),
      TEST(a_child_has_an_offset_of_its_own),
      TEST(counts_that_cannot_be_are_refused),
      TEST(another_type_is_refused),
      TEST(offsets_out_of_order_are_refused),
      TEST(huge_lists_are_a_limit),
      TEST(views_outside_their_buffer_are_refused),
      TEST(tags_and_codes_out_of_range_are_refused),
      TEST(null_keys_and_entries_of_maps_are_refused),
      TEST(changed_places_never_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The Arrow doors: schemas, what moves and what is converted, round trips over all types and forms, streams. Foreign
 * arrays are in arrow_import_test.c. */
#include "column/arrow.h"

#include <errno.h>
#include <stdlib.h>

#include "support/failing_alloc.h"
#include "support/vec_testing.h"

static skep_ctx ctx;
static failing_alloc memory;
static skep_arena arena;
static skep_err err;
static char logged[256];
static int n_logged;

static void keep_line(void *self, skep_log_level level, const char *line) {
  (void)self;
  (void)level;
  n_logged++;
  snprintf(logged, sizeof logged, "%s", line);
}

static int set_up(void **state) {
  (void)state;
  failing_alloc_ctx(&memory, &ctx);
  ctx.log = keep_line;
  ctx.log_level = SKEP_LOG_INFO;
  n_logged = 0;
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

/* ---- schemas ---- */

static void schemas_have_the_formats_of_the_specification(void **state) {
  (void)state;
  static const struct {
    const char *type, *format, *format_ns;
  } cases[] = {
      {"boolean", "b", "b"},
      {"tinyint", "c", "c"},
      {"smallint", "s", "s"},
      {"int", "i", "i"},
      {"bigint", "l", "l"},
      {"float", "f", "f"},
      {"double", "g", "g"},
      {"decimal(38,10)", "d:38,10", "d:38,10"},
      {"string", "u", "u"},
      {"char(3)", "u", "u"},
      {"varchar(3)", "u", "u"},
      {"binary", "z", "z"},
      {"date", "tdD", "tdD"},
      {"timestamp", "tsu:", "tsn:"},
      {"timestamp with local time zone", "tsu:UTC", "tsn:UTC"},
      {"array<int>", "+l", "+l"},
      {"map<int,string>", "+m", "+m"},
      {"struct<a:int>", "+s", "+s"},
      {"uniontype<int,string,date>", "+ud:0,1,2", "+ud:0,1,2"},
  };
  static const skep_forms us = {0}, ns = {.timestamp = SKEP_FORM_TS_NS};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ArrowSchema schema;
    assert_ok(skep_arrow_export_schema(&ctx, parsed(cases[i].type), &us, &schema, &err), err);
    assert_string_equal(schema.format, cases[i].format);
    assert_int_equal(schema.flags, ARROW_FLAG_NULLABLE);
    assert_string_equal(schema.name, "");
    schema.release(&schema);
    assert_null(schema.release);
    assert_ok(skep_arrow_export_schema(&ctx, parsed(cases[i].type), &ns, &schema, &err), err);
    assert_string_equal(schema.format, cases[i].format_ns);
    schema.release(&schema);
  }
}

static void nested_schemas_name_their_children(void **state) {
  (void)state;
  static const skep_forms forms = {.keep_dictionaries = true};
  struct ArrowSchema schema, moved;
  const skep_type *type = parsed("struct<m:map<string,array<date>>,u:uniontype<int,binary>>");
  assert_ok(skep_arrow_export_schema(&ctx, type, &forms, &schema, &err), err);
  const struct ArrowSchema *map = schema.children[0], *entries = map->children[0];
  assert_string_equal(map->name, "m");
  assert_string_equal(entries->format, "+s");
  assert_string_equal(entries->name, "entries");
  assert_int_equal(entries->flags, 0);
  assert_string_equal(entries->children[0]->name, "key");
  assert_int_equal(entries->children[0]->flags, 0);
  assert_string_equal(entries->children[0]->format, "i"); /* codes */
  assert_string_equal(entries->children[0]->dictionary->format, "u");
  assert_string_equal(entries->children[1]->name, "value");
  assert_int_equal(entries->children[1]->flags, ARROW_FLAG_NULLABLE);
  assert_string_equal(entries->children[1]->children[0]->name, "item");
  assert_string_equal(schema.children[1]->children[1]->name, "1");
  assert_string_equal(schema.children[1]->children[1]->dictionary->format, "z");
  moved = *schema.children[0]; /* a consumer may move a child out and release it later */
  schema.children[0]->release = NULL;
  schema.release(&schema);
  assert_string_equal(moved.children[0]->name, "entries");
  moved.release(&moved);
}

static void a_union_of_127_members_has_a_schema(void **state) {
  (void)state;
  skep_buf text;
  skep_buf_init(&text, &ctx, 10000);
  skep_buf_text(&text, "uniontype<int");
  for (int i = 0; i < 126; i++) skep_buf_text(&text, ",int");
  skep_buf_text(&text, ">");
  static const skep_forms forms = {0};
  struct ArrowSchema schema;
  assert_ok(skep_arrow_export_schema(&ctx, parsed(skep_buf_string(&text)), &forms, &schema, &err), err);
  assert_non_null(strstr(schema.format, ",125,126"));
  const skep_type *back;
  assert_ok(skep_arrow_import_type(&arena, &schema, &back, &err), err);
  assert_true(skep_type_equal(back, parsed(skep_buf_string(&text))));
  schema.release(&schema);
  skep_buf_fini(&text);
}

/* ---- round trips ---- */

static const char *const types[] = {
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(4,2)",
    "decimal(9,0)",
    "decimal(18,5)",
    "decimal(38,10)",
    "string",
    "binary",
    "date",
    "timestamp",
    "timestamp with local time zone",
    "array<int>",
    "array<array<string>>",
    "map<string,array<double>>",
    "struct<>",
    "struct<a:boolean,b:string,c:struct<d:decimal(20,3),e:array<smallint>>>",
    "struct<m:map<int,struct<x:map<string,boolean>,y:timestamp>>>",
};
static const char *const union_types[] = {
    "uniontype<int,string>",
    "struct<u:uniontype<array<uniontype<boolean,string>>,struct<a:int,b:map<int,string>>,double>>",
};

static const skep_forms all_forms[] = {
    {0},
    {.boolean = SKEP_FORM_BOOL_BYTES, .timestamp = SKEP_FORM_TS_US, .string = SKEP_FORM_VIEW, .narrow_decimals = true},
    {.timestamp = SKEP_FORM_TS_NS, .keep_dictionaries = true},
    {.string = SKEP_FORM_VIEW, .keep_dictionaries = true},
};
enum { N_FORMS = sizeof all_forms / sizeof *all_forms };

/* Microseconds are what SKEP_FORM_TS is exported as. */
static void cut_nanoseconds(skep_vec *vec) {
  skep_ts *times = vec->values.data;
  for (int64_t i = 0; vec->form == SKEP_FORM_TS && i < vec->length; i++) times[i].nanos -= times[i].nanos % 1000;
  for (uint32_t i = 0; i < vec->n_children; i++) cut_nanoseconds(&vec->children[i]);
}

static void fill(skep_vec *vec, const skep_type *type, const skep_forms *forms, bool dictionaries, int64_t n,
                 unsigned nulls) {
  assert_ok(skep_vec_init(vec, &ctx, type, forms, &err), err);
  if (dictionaries) vec_testing_use_dict(vec);
  vec_random_fill(vec, n, 11, nulls);
  cut_nanoseconds(vec);
}

/* Exports a filled vector and imports it again; compares with an equal one that was kept. */
static void check_round_trip(const skep_type *type, const skep_forms *forms, bool dictionaries, int64_t n,
                             unsigned nulls) {
  skep_vec vec, before, back;
  struct ArrowSchema schema;
  struct ArrowArray array;
  fill(&vec, type, forms, dictionaries, n, nulls);
  fill(&before, type, forms, dictionaries, n, nulls);
  skep_form form = vec.form;
  assert_ok(skep_arrow_export_schema(&ctx, type, forms, &schema, &err), err);
  assert_ok(skep_arrow_export_vec(&vec, forms, SKEP_UTF8_FAIL, &array, &err), err);
  assert_true(vec.length == 0 && vec.form == form);
  assert_int_equal(array.length, n);
  const skep_type *back_type;
  assert_ok(skep_arrow_import_type(&arena, &schema, &back_type, &err), err);
  assert_true(skep_type_equal(back_type, type));
  assert_ok(skep_vec_init(&back, &ctx, back_type, forms, &err), err);
  assert_ok(skep_arrow_import_vec(&back, &schema, &array, &err), err);
  array.release(&array);
  schema.release(&schema);
  assert_int_equal(back.length, n);
  assert_vec_sound(&back);
  for (int64_t i = 0; i < n; i++) assert_entry_equal(&back, i, &before, i);
  vec_random_fill(&vec, 10, 3, nulls); /* ready to be filled again */
  assert_vec_sound(&vec);
  skep_vec_fini(&vec);
  skep_vec_fini(&before);
  skep_vec_fini(&back);
}

static void what_is_exported_comes_back_equal(void **state) {
  (void)state;
  static const int64_t lengths[] = {0, 1, 8, 100};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    for (size_t f = 0; f < 2 * N_FORMS; f++) {
      for (size_t n = 0; n < 4; n++) {
        check_round_trip(parsed(types[t]), &all_forms[f / 2], f % 2 == 1, lengths[n], 0);
        check_round_trip(parsed(types[t]), &all_forms[f / 2], f % 2 == 1, lengths[n], 30);
      }
    }
  }
  for (size_t t = 0; t < 2; t++) {
    for (size_t f = 0; f < 2 * N_FORMS; f++) {
      check_round_trip(parsed(union_types[t]), &all_forms[f / 2], f % 2 == 1, 100, 0);
    }
  }
}

static void null_unions_become_nulls_of_their_first_child(void **state) {
  (void)state;
  for (size_t f = 0; f < 2 * N_FORMS; f++) {
    const skep_forms *forms = &all_forms[f / 2];
    const skep_type *type = parsed("uniontype<string,int,array<string>>");
    skep_vec vec, before, back;
    struct ArrowSchema schema;
    struct ArrowArray array;
    fill(&vec, type, forms, f % 2 == 1, 200, 25);
    fill(&before, type, forms, f % 2 == 1, 200, 25);
    assert_ok(skep_arrow_export_schema(&ctx, type, forms, &schema, &err), err);
    assert_ok(skep_arrow_export_vec(&vec, forms, SKEP_UTF8_FAIL, &array, &err), err);
    assert_int_equal(array.n_buffers, 2);
    assert_int_equal(array.null_count, 0);
    const int8_t *ids = array.buffers[0];
    const int32_t *offsets = array.buffers[1];
    int32_t next[3] = {0, 0, 0};
    for (int64_t i = 0; i < 200; i++) assert_int_equal(offsets[i], next[ids[i]]++); /* ascending in each child */
    assert_ok(skep_vec_init(&back, &ctx, type, forms, &err), err);
    assert_ok(skep_arrow_import_vec(&back, &schema, &array, &err), err);
    assert_vec_sound(&back);
    for (int64_t i = 0; i < 200; i++) {
      if (skep_vec_is_valid(&before, i)) {
        assert_entry_equal(&back, i, &before, i);
      } else {
        assert_true(skep_vec_is_valid(&back, i));
        assert_int_equal(((const int8_t *)back.values.data)[i], 0);
        assert_false(skep_vec_is_valid(&back.children[0], ((const int32_t *)back.offsets.data)[i]));
      }
    }
    array.release(&array);
    schema.release(&schema);
    skep_vec_fini(&vec);
    skep_vec_fini(&before);
    skep_vec_fini(&back);
  }
}

/* ---- what moves ---- */

static void buffers_of_arrow_forms_move_without_a_copy(void **state) {
  (void)state;
  static const skep_forms forms = {.timestamp = SKEP_FORM_TS_US};
  skep_vec vec;
  fill(&vec, parsed("struct<a:bigint,b:string,c:timestamp,d:array<boolean>,e:decimal(20,0)>"), &forms, false, 100, 30);
  const void *a = vec.children[0].values.data, *b_offsets = vec.children[1].offsets.data,
             *b_heap = vec.children[1].heap.data, *c = vec.children[2].values.data,
             *d_offsets = vec.children[3].offsets.data, *d = vec.children[3].children[0].values.data,
             *e = vec.children[4].values.data, *validity = vec.children[0].validity.data;
  struct ArrowArray array;
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_REPLACE, &array, &err), err);
  assert_ptr_equal(array.children[0]->buffers[0], validity);
  assert_ptr_equal(array.children[0]->buffers[1], a);
  assert_ptr_equal(array.children[1]->buffers[1], b_offsets);
  assert_ptr_equal(array.children[1]->buffers[2], b_heap);
  assert_ptr_equal(array.children[2]->buffers[1], c);
  assert_ptr_equal(array.children[3]->buffers[1], d_offsets);
  assert_ptr_equal(array.children[3]->children[0]->buffers[1], d);
  assert_ptr_equal(array.children[4]->buffers[1], e);
  assert_null(vec.children[0].values.data);
  struct ArrowArray moved = *array.children[1];
  array.children[1]->release = NULL;
  array.release(&array);
  assert_ptr_equal(moved.buffers[2], b_heap);
  moved.release(&moved);
  skep_vec_fini(&vec);
}

static void dictionaries_are_shown_without_a_copy(void **state) {
  (void)state;
  static const skep_forms forms = {.keep_dictionaries = true};
  skep_vec vec;
  fill(&vec, parsed("string"), &forms, true, 50, 10);
  const skep_dict *dict = vec.dict;
  struct ArrowArray array;
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), err);
  skep_vec_fini(&vec);
  assert_int_equal(array.n_buffers, 2);
  assert_int_equal(array.dictionary->length, 8);
  assert_int_equal(array.dictionary->n_buffers, 3);
  assert_ptr_equal(array.dictionary->buffers[1], dict->offsets);
  assert_ptr_equal(array.dictionary->buffers[2], dict->bytes);
  array.release(&array);
}

static void arrays_outlive_their_context(void **state) {
  (void)state;
  static const skep_forms forms = {.keep_dictionaries = true};
  skep_ctx *gone = malloc(sizeof *gone);
  assert_non_null(gone);
  *gone = ctx;
  skep_vec vec;
  struct ArrowSchema schema;
  struct ArrowArray array;
  const skep_type *type = parsed("struct<a:string,b:map<int,string>>");
  assert_ok(skep_vec_init(&vec, gone, type, &forms, &err), err);
  vec_testing_use_dict(&vec);
  vec_random_fill(&vec, 20, 1, 10);
  assert_ok(skep_arrow_export_schema(gone, type, &forms, &schema, &err), err);
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), err);
  skep_vec_fini(&vec);
  free(gone);
  array.release(&array);
  schema.release(&schema);
}

static void lent_buffers_are_copied(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  int32_t values[4] = {1, 2, 3, 4};
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("int"), &forms, &err), err);
  vec.values = (skep_vbuf){values, sizeof values, true};
  vec.length = 4;
  struct ArrowArray array;
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), err);
  assert_ptr_not_equal(array.buffers[1], values);
  assert_memory_equal(array.buffers[1], values, sizeof values);
  assert_ptr_equal(vec.values.data, values);
  array.release(&array);
  skep_vec_fini(&vec);
}

static void empty_arrays_have_an_offset_of_zero(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("struct<a:string,b:array<int>,c:map<int,int>>"), &forms, &err), err);
  struct ArrowArray array;
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), err);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(array.children[i]->length, 0);
    assert_int_equal(*(const int32_t *)array.children[i]->buffers[1], 0);
    assert_null(array.children[i]->buffers[0]);
  }
  assert_non_null(array.children[0]->buffers[2]);
  assert_int_equal(array.children[2]->children[0]->n_children, 2);
  array.release(&array);
  skep_vec_fini(&vec);
}

/* ---- timestamps ---- */

static void put_time(skep_vec *vec, int64_t seconds, int32_t nanos) {
  assert_ok(skep_vec_reserve(vec, vec->length + 1, false, &err), err);
  ((skep_ts *)vec->values.data)[vec->length++] = (skep_ts){seconds, nanos, 0};
}

static void timestamps_are_cut_towards_the_past(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("timestamp"), &forms, &err), err);
  put_time(&vec, 0, 1999);
  put_time(&vec, -1, 999999999);             /* a nanosecond before 1970 */
  put_time(&vec, -62135596800, 0);           /* 0001-01-01 00:00:00 */
  put_time(&vec, 253402300799, 999999999);   /* 9999-12-31 23:59:59.999999999 */
  put_time(&vec, -9223372036855, 224192000); /* the least int64 */
  put_time(&vec, 9223372036854, 775807999);  /* the greatest */
  struct ArrowArray array;
  assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), err);
  const int64_t *us = array.buffers[1];
  assert_true(us[0] == 1 && us[1] == -1 && us[2] == -62135596800000000 && us[3] == 253402300799999999);
  assert_true(us[4] == INT64_MIN && us[5] == INT64_MAX);
  array.release(&array);
  put_time(&vec, 9223372036854, 775808000);
  assert_fails(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), SKEP_ERR_RANGE, err,
               "does not fit 64-bit microseconds");
  assert_null(array.release);
  assert_int_equal(vec.length, 0);
  skep_vec_fini(&vec);
}

static void nanoseconds_out_of_range_are_named(void **state) {
  (void)state;
  static const skep_forms plain = {0}, ns = {.timestamp = SKEP_FORM_TS_NS};
  skep_vec vec;
  struct ArrowArray array;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("struct<t:timestamp>"), &plain, &err), err);
  put_time(&vec.children[0], -9223372037, 145224192); /* 1677-09-21 00:12:43.145224192, the least int64 */
  put_time(&vec.children[0], 9223372036, 854775807);  /* 2262-04-11 23:47:16.854775807, the greatest */
  vec.length = 2;
  assert_ok(skep_arrow_export_vec(&vec, &ns, SKEP_UTF8_FAIL, &array, &err), err);
  const int64_t *values = array.children[0]->buffers[1];
  assert_true(values[0] == INT64_MIN && values[1] == INT64_MAX);
  array.release(&array);
  static const struct {
    int64_t seconds;
    int32_t nanos;
    const char *message;
  } cases[] = {
      {9223372036, 854775808,
       "column t: row 1: timestamp 2262-04-11 23:47:16.854775808 does not fit 64-bit nanoseconds"},
      {-9223372037, 145224191,
       "column t: row 1: timestamp 1677-09-21 00:12:43.145224191 does not fit 64-bit nanoseconds"},
      {253402300799, 0, "column t: row 1: timestamp 9999-12-31 23:59:59 does not fit 64-bit nanoseconds"},
  };
  for (size_t i = 0; i < 3; i++) {
    put_time(&vec.children[0], 0, 0);
    put_time(&vec.children[0], cases[i].seconds, cases[i].nanos);
    vec.length = 2;
    assert_fails(skep_arrow_export_vec(&vec, &ns, SKEP_UTF8_FAIL, &array, &err), SKEP_ERR_RANGE, err, cases[i].message);
  }
  /* A NULL is not looked at. */
  put_time(&vec.children[0], 253402300799, 0);
  assert_ok(skep_vec_need_validity(&vec.children[0], &err), err);
  ((uint8_t *)vec.children[0].validity.data)[0] = 0;
  vec.children[0].null_count = 1;
  vec.length = 1;
  assert_ok(skep_arrow_export_vec(&vec, &ns, SKEP_UTF8_FAIL, &array, &err), err);
  array.release(&array);
  skep_vec_fini(&vec);
}

/* ---- UTF-8 ---- */

static void put_text(skep_vec *vec, const char *text, size_t size) {
  assert_ok(skep_vec_reserve(vec, vec->length + 1, false, &err), err);
  vec_testing_put_bytes(vec, (const uint8_t *)text, size);
  vec->length++;
}

static const struct {
  const char *text;
  size_t size;
  const char *replaced;
} broken[] = {
    {"plain ascii, longer than eight bytes", 36, "plain ascii, longer than eight bytes"},
    {"\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x90\x9d", 9, "\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x90\x9d"},
    {"a\xff"
     "b",
     3,
     "a\xef\xbf\xbd"
     "b"},
    {"\xe6\xbc", 2, "\xef\xbf\xbd"},                             /* a start of three: one replacement */
    {"\xf0\x9f\x90x", 4, "\xef\xbf\xbdx"},                       /* a start of four */
    {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate: no start at all */
    {"\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
    {"", 0, ""},
    {"\xc3", 1, "\xef\xbf\xbd"}, /* with the next one a whole character, but not within a string */
    {"\xa4", 1, "\xef\xbf\xbd"},
};
enum { N_BROKEN = sizeof broken / sizeof *broken };

static void check_replaced(const struct ArrowArray *strings) {
  const int32_t *offsets = strings->buffers[1];
  const char *bytes = strings->buffers[2];
  for (int i = 0; i < N_BROKEN; i++) {
    assert_int_equal(offsets[i + 1] - offsets[i], strlen(broken[i].replaced));
    assert_memory_equal(bytes + offsets[i], broken[i].replaced, strlen(broken[i].replaced));
  }
}

static void broken_utf8_is_replaced_and_said(void **state) {
  (void)state;
  for (size_t f = 0; f < 2; f++) {
    skep_vec vec;
    assert_ok(skep_vec_init(&vec, &ctx, parsed("string"), &all_forms[f], &err), err);
    for (int i = 0; i < N_BROKEN; i++) put_text(&vec, broken[i].text, broken[i].size);
    struct ArrowArray array;
    n_logged = 0;
    assert_ok(skep_arrow_export_vec(&vec, &all_forms[f], SKEP_UTF8_REPLACE, &array, &err), err);
    assert_int_equal(n_logged, 1);
    assert_non_null(strstr(logged, "U+FFFD"));
    check_replaced(&array);
    array.release(&array);
    skep_vec_fini(&vec);
  }
}

static void halves_of_a_character_in_two_strings_are_broken(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("string"), &forms, &err), err);
  put_text(&vec, "\xc3", 1);
  put_text(&vec, "\xa4", 1);
  struct ArrowArray array;
  assert_fails(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), SKEP_ERR_RANGE, err,
               "row 0: invalid UTF-8 at byte 0 of the string \"\\xc3\"");
  skep_vec_fini(&vec);
}

static void broken_utf8_can_fail_or_pass(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  skep_vec vec;
  struct ArrowArray array;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("struct<s:array<varchar(9)>,b:binary>"), &forms, &err), err);
  for (int pass = 0; pass < 2; pass++) {
    put_text(&vec.children[0].children[0], "good", 4);
    put_text(&vec.children[0].children[0],
             "a\xff"
             "b",
             3);
    put_text(&vec.children[1], "\xff\xfe", 2);
    assert_ok(skep_vec_reserve(&vec.children[0], 1, false, &err), err);
    ((int32_t *)vec.children[0].offsets.data)[1] = 2;
    vec.children[0].length = vec.length = 1;
    if (pass == 0) {
      assert_fails(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), SKEP_ERR_RANGE, err,
                   "column s: element: row 1: invalid UTF-8 at byte 1 of the string \"a\\xffb\"");
      assert_null(array.release);
    } else {
      assert_ok(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_AS_IS, &array, &err), err);
      assert_memory_equal(array.children[0]->children[0]->buffers[2],
                          "gooda\xff"
                          "b",
                          7);
      assert_memory_equal(array.children[1]->buffers[2], "\xff\xfe", 2);
      array.release(&array);
    }
  }
  assert_int_equal(n_logged, 0);
  skep_vec_fini(&vec);
}

static void broken_dictionaries_are_replaced_under_the_same_codes(void **state) {
  (void)state;
  static const skep_forms forms = {.keep_dictionaries = true};
  skep_dict *dict;
  uint32_t *offsets;
  uint8_t *bytes;
  assert_ok(skep_dict_new(&ctx, N_BROKEN, 100, &dict, &offsets, &bytes, &err), err);
  offsets[0] = 0;
  for (int i = 0; i < N_BROKEN; i++) {
    memcpy(bytes + offsets[i], broken[i].text, broken[i].size);
    offsets[i + 1] = offsets[i] + (uint32_t)broken[i].size;
  }
  skep_vec vec;
  assert_ok(skep_vec_init(&vec, &ctx, parsed("string"), &forms, &err), err);
  for (int pass = 0; pass < 3; pass++) {
    vec.form = SKEP_FORM_DICT;
    assert_ok(skep_vec_reserve(&vec, 3, false, &err), err);
    ((int32_t *)vec.values.data)[0] = 0;
    ((int32_t *)vec.values.data)[1] = pass == 1 ? 0 : 2;
    ((int32_t *)vec.values.data)[2] = 1;
    vec.length = 3;
    vec.dict = skep_dict_ref(dict);
    struct ArrowArray array;
    if (pass == 2) {
      assert_fails(skep_arrow_export_vec(&vec, &forms, SKEP_UTF8_FAIL, &array, &err), SKEP_ERR_RANGE, err,
                   "row 1: invalid UTF-8 at byte 1");
      continue;
    }
    /* Failing on request looks at the values that are there (none is broken in pass 1), not at the whole dictionary. */
    assert_ok(skep_arrow_export_vec(&vec, &forms, pass == 0 ? SKEP_UTF8_REPLACE : SKEP_UTF8_FAIL, &array, &err), err);
    assert_int_equal(((const int32_t *)array.buffers[1])[2], 1);
    check_replaced(array.dictionary);
    array.release(&array);
  }
  assert_int_equal(n_logged, 1);
  skep_vec_fini(&vec);
  skep_dict_unref(dict);
}

/* ---- streams ---- */

typedef struct counting_source {
  int n_batches, at;
  bool fails, broken_text, released;
} counting_source;

static skep_status source_next(void *self, skep_batch *batch, skep_err *e) {
  counting_source *s = self;
  if (s->at == s->n_batches) {
    return s->fails ? skep_fail(e, SKEP_ERR_CORRUPT, "stripe %d is broken", s->at) : SKEP_END;
  }
  s->at++;
  skep_vec *column = &batch->root.children[0];
  if (s->broken_text) {
    put_text(column, "\xff", 1);
  } else {
    vec_random_fill(column, s->at, 1, 0);
  }
  batch->root.length = column->length;
  return SKEP_OK;
}
static void source_release(void *self) { ((counting_source *)self)->released = true; }

static void a_stream_hands_out_batches_until_the_end(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  counting_source source = {.n_batches = 3};
  struct ArrowArrayStream stream;
  const skep_type *type = parsed("struct<a:int>");
  assert_ok(skep_arrow_stream(&ctx, type, &forms, SKEP_UTF8_REPLACE,
                              (skep_batch_source){source_next, source_release, &source}, &stream, &err),
            err);
  struct ArrowSchema schema;
  assert_int_equal(stream.get_schema(&stream, &schema), 0);
  assert_string_equal(schema.children[0]->name, "a");
  schema.release(&schema);
  struct ArrowArray array, kept;
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(stream.get_next(&stream, &array), 0);
    assert_int_equal(array.length, i);
    if (i == 3) {
      kept = array;
    } else {
      array.release(&array);
    }
  }
  for (int i = 0; i < 2; i++) {
    assert_int_equal(stream.get_next(&stream, &array), 0);
    assert_null(array.release);
  }
  assert_null(stream.get_last_error(&stream));
  stream.release(&stream);
  assert_null(stream.release);
  assert_true(source.released);
  assert_int_equal(kept.children[0]->length, 3); /* arrays outlive the stream */
  kept.release(&kept);
}

static void a_stream_repeats_its_error(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  counting_source source = {.n_batches = 1, .fails = true};
  struct ArrowArrayStream stream;
  assert_ok(skep_arrow_stream(&ctx, parsed("struct<a:int>"), &forms, SKEP_UTF8_REPLACE,
                              (skep_batch_source){source_next, source_release, &source}, &stream, &err),
            err);
  struct ArrowArray array;
  assert_int_equal(stream.get_next(&stream, &array), 0);
  array.release(&array);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(stream.get_next(&stream, &array), EIO);
    assert_string_equal(stream.get_last_error(&stream), "stripe 1 is broken");
    assert_null(array.release);
  }
  stream.release(&stream);
}

static void a_stream_says_once_that_it_replaced(void **state) {
  (void)state;
  static const skep_forms forms = {0};
  counting_source source = {.n_batches = 3, .broken_text = true};
  struct ArrowArrayStream stream;
  assert_ok(skep_arrow_stream(&ctx, parsed("struct<a:string>"), &forms, SKEP_UTF8_REPLACE,
                              (skep_batch_source){source_next, source_release, &source}, &stream, &err),
            err);
  struct ArrowArray array;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(stream.get_next(&stream, &array), 0);
    array.release(&array);
  }
  assert_int_equal(n_logged, 1);
  stream.release(&stream);
}

/* ---- memory ---- */

static skep_status scenario(const skep_type *type, const skep_forms *forms, const skep_vec *content, bool *made) {
  skep_vec vec = {0}, back = {0};
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  skep_status st = skep_vec_init(&vec, &ctx, type, &all_forms[0], &err);
  if (st == SKEP_OK) st = skep_vec_append(&vec, content, 0, content->length, &err);
  if (st == SKEP_OK) st = skep_arrow_export_schema(&ctx, type, forms, &schema, &err);
  if (st == SKEP_OK) st = skep_arrow_export_vec(&vec, forms, SKEP_UTF8_REPLACE, &array, &err);
  if (st == SKEP_OK) st = skep_vec_init(&back, &ctx, type, &all_forms[0], &err);
  if (st == SKEP_OK) st = skep_arrow_import_vec(&back, &schema, &array, &err);
  *made = st == SKEP_OK;
  if (schema.release != NULL) schema.release(&schema);
  if (array.release != NULL) array.release(&array);
  skep_vec_fini(&vec);
  skep_vec_fini(&back);
  return st;
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  ctx.log = NULL;
  const skep_type *type =
      parsed("struct<a:string,b:array<map<int,string>>,c:uniontype<string,boolean>,d:decimal(20,0),e:timestamp>");
  skep_vec content;
  fill(&content, type, &all_forms[0], false, 40, 20);
  uint64_t live = failing_alloc_live(&memory);
  for (size_t f = 0; f < N_FORMS; f++) {
    for (uint64_t n = 1;; n++) {
      bool made;
      failing_alloc_arm(&memory, n);
      skep_status st = scenario(type, &all_forms[f], &content, &made);
      assert_int_equal(failing_alloc_live(&memory), live);
      if (!failing_alloc_fired(&memory)) {
        assert_true(made);
        break;
      }
      assert_int_equal(st, SKEP_ERR_NOMEM);
    }
  }
  failing_alloc_arm(&memory, 0);
  skep_vec_fini(&content);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(schemas_have_the_formats_of_the_specification),
      TEST(nested_schemas_name_their_children),
      TEST(a_union_of_127_members_has_a_schema),
      TEST(what_is_exported_comes_back_equal),
      TEST(null_unions_become_nulls_of_their_first_child),
      TEST(buffers_of_arrow_forms_move_without_a_copy),
      TEST(dictionaries_are_shown_without_a_copy),
      TEST(arrays_outlive_their_context),
      TEST(lent_buffers_are_copied),
      TEST(empty_arrays_have_an_offset_of_zero),
      TEST(timestamps_are_cut_towards_the_past),
      TEST(nanoseconds_out_of_range_are_named),
      TEST(broken_utf8_is_replaced_and_said),
      TEST(halves_of_a_character_in_two_strings_are_broken),
      TEST(broken_utf8_can_fail_or_pass),
      TEST(broken_dictionaries_are_replaced_under_the_same_codes),
      TEST(a_stream_hands_out_batches_until_the_end),
      TEST(a_stream_repeats_its_error),
      TEST(a_stream_says_once_that_it_replaced),
      TEST(failing_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

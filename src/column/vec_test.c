/* Vectors: memory, lending, limits, and every operation over every type, form and nesting with random content. */
#include "column/vec.h"

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
    "char(3)",
    "varchar(3)",
    "binary",
    "date",
    "timestamp",
    "timestamp with local time zone",
    "array<int>",
    "array<string>",
    "array<array<boolean>>",
    "map<string,array<double>>",
    "struct<>",
    "struct<a:boolean,b:string,c:struct<d:decimal(20,3),e:array<smallint>>>",
    "uniontype<int,string>",
    "uniontype<array<uniontype<boolean,string>>,struct<a:int,b:map<int,string>>,double>",
    "struct<operation:int,row:struct<a:uniontype<int,array<string>>,b:map<string,struct<x:date>>>>",
};
enum { N_TYPES = sizeof types / sizeof *types };

static const skep_forms all_forms[] = {
    {0},
    {.boolean = SKEP_FORM_BOOL_BYTES, .timestamp = SKEP_FORM_TS_US, .string = SKEP_FORM_VIEW, .narrow_decimals = true},
    {.timestamp = SKEP_FORM_TS_NS, .keep_dictionaries = true},
};
enum { N_FORMS = sizeof all_forms / sizeof *all_forms };

static void init(skep_vec *vec, const skep_type *type, const skep_forms *forms) {
  assert_ok(skep_vec_init(vec, &ctx, type, forms, &err), err);
  if (forms->keep_dictionaries) vec_testing_use_dict(vec);
}

static void make(skep_vec *vec, const skep_type *type, const skep_forms *forms, int64_t n, uint64_t seed,
                 unsigned null_percent) {
  init(vec, type, forms);
  vec_random_fill(vec, n, seed, null_percent);
  assert_vec_sound(vec);
}

/* ---- forms and memory ---- */

static void forms_follow_type_and_wish(void **state) {
  (void)state;
  static const struct {
    const char *type;
    skep_form form[2]; /* of all_forms[0] and [1] */
    size_t width[2];
  } cases[] = {
      {"boolean", {SKEP_FORM_BOOL_BITS, SKEP_FORM_BOOL_BYTES}, {0, 1}},
      {"tinyint", {SKEP_FORM_I8, SKEP_FORM_I8}, {1, 1}},
      {"smallint", {SKEP_FORM_I16, SKEP_FORM_I16}, {2, 2}},
      {"int", {SKEP_FORM_I32, SKEP_FORM_I32}, {4, 4}},
      {"bigint", {SKEP_FORM_I64, SKEP_FORM_I64}, {8, 8}},
      {"float", {SKEP_FORM_F32, SKEP_FORM_F32}, {4, 4}},
      {"double", {SKEP_FORM_F64, SKEP_FORM_F64}, {8, 8}},
      {"decimal(4,0)", {SKEP_FORM_I128, SKEP_FORM_I16}, {16, 2}},
      {"decimal(5,0)", {SKEP_FORM_I128, SKEP_FORM_I32}, {16, 4}},
      {"decimal(9,0)", {SKEP_FORM_I128, SKEP_FORM_I32}, {16, 4}},
      {"decimal(10,0)", {SKEP_FORM_I128, SKEP_FORM_I64}, {16, 8}},
      {"decimal(18,0)", {SKEP_FORM_I128, SKEP_FORM_I64}, {16, 8}},
      {"decimal(19,0)", {SKEP_FORM_I128, SKEP_FORM_I128}, {16, 16}},
      {"string", {SKEP_FORM_STR, SKEP_FORM_VIEW}, {0, 16}},
      {"binary", {SKEP_FORM_STR, SKEP_FORM_VIEW}, {0, 16}},
      {"date", {SKEP_FORM_I32, SKEP_FORM_I32}, {4, 4}},
      {"timestamp", {SKEP_FORM_TS, SKEP_FORM_TS_US}, {16, 8}},
      {"map<int,int>", {SKEP_FORM_LIST, SKEP_FORM_LIST}, {0, 0}},
      {"struct<>", {SKEP_FORM_STRUCT, SKEP_FORM_STRUCT}, {0, 0}},
      {"uniontype<int>", {SKEP_FORM_UNION, SKEP_FORM_UNION}, {1, 1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int f = 0; f < 2; f++) {
      skep_form form = skep_form_of(parsed(cases[i].type), &all_forms[f]);
      assert_int_equal(form, cases[i].form[f]);
      assert_int_equal(skep_form_width(form), cases[i].width[f]);
    }
  }
  assert_int_equal(sizeof(skep_ts), 16);
  assert_int_equal(sizeof(skep_view), 16);
}

static void reserve_keeps_content_and_gives_zeroes(void **state) {
  (void)state;
  skep_vec vec;
  init(&vec, parsed("bigint"), &all_forms[0]);
  assert_ok(skep_vec_reserve(&vec, 3, true, &err), err);
  for (int i = 0; i < 3; i++) ((int64_t *)vec.values.data)[i] = 7 + i;
  vec.length = 3;
  assert_ok(skep_vec_need_validity(&vec, &err), err);
  assert_true(vec.has_nulls && vec.null_count == 0 && skep_vec_is_valid(&vec, 2));
  skep_bit_clear(vec.validity.data, 1);
  assert_ok(skep_vec_reserve(&vec, 100000, true, &err), err);
  const int64_t *values = vec.values.data;
  assert_true(values[0] == 7 && values[1] == 8 && values[2] == 9);
  for (int i = 3; i < 100000; i++) assert_int_equal(values[i], 0);
  assert_true(skep_vec_is_valid(&vec, 0) && !skep_vec_is_valid(&vec, 1) && skep_vec_is_valid(&vec, 2));
  memset((uint8_t *)vec.values.data + vec.values.capacity, 1, SKEP_VEC_SLACK);
  const void *before = vec.values.data;
  skep_vec_reset(&vec);
  assert_ok(skep_vec_reserve(&vec, 100000, false, &err), err);
  assert_ptr_equal(vec.values.data, before);
  skep_vec_fini(&vec);
  skep_vec_fini(&vec);
}

static void offsets_start_at_zero_whenever_they_exist(void **state) {
  (void)state;
  skep_vec vec;
  init(&vec, parsed("string"), &all_forms[0]);
  assert_ok(skep_vec_reserve(&vec, 0, false, &err), err);
  assert_int_equal(((int32_t *)vec.offsets.data)[0], 0);
  ((int32_t *)vec.offsets.data)[0] = 5;
  skep_vec_reset(&vec);
  assert_int_equal(((int32_t *)vec.offsets.data)[0], 0);
  skep_vec_fini(&vec);
}

static void limits_are_kept(void **state) {
  (void)state;
  skep_vec vec;
  init(&vec, parsed("bigint"), &all_forms[0]);
  ctx.limits.max_batch_bytes = 1000;
  assert_ok(skep_vec_reserve(&vec, 125, false, &err), err);
  assert_fails(skep_vec_reserve(&vec, 129, false, &err), SKEP_ERR_LIMIT, err,
               "a column needs 1032 bytes in one batch, the limit is 1000");
  assert_fails(skep_vec_reserve(&vec, INT64_MAX, false, &err), SKEP_ERR_LIMIT, err, "9223372036854775807 entries");
  assert_fails(skep_vec_reserve(&vec, -1, false, &err), SKEP_ERR_LIMIT, err, "a column of -1 entries");
  skep_vec_fini(&vec);
  ctx.limits.max_batch_bytes = UINT64_MAX;
  init(&vec, parsed("string"), &all_forms[0]);
  assert_fails(skep_vec_reserve_heap(&vec, (size_t)INT32_MAX + 1, &err), SKEP_ERR_LIMIT, err,
               "a column has 2147483648 bytes of strings in one batch, the limit is 2147483647");
  skep_vec_fini(&vec);
  skep_dict *dict;
  uint32_t *offsets;
  uint8_t *bytes;
  ctx.limits.max_value_bytes = 100;
  assert_fails(skep_dict_new(&ctx, 1, 101, &dict, &offsets, &bytes, &err), SKEP_ERR_LIMIT, err,
               "a dictionary of 1 entries needs 101 bytes, the limit is 100");
  assert_null(dict);
}

static void lent_buffers_are_used_but_never_grown_or_freed(void **state) {
  (void)state;
  int32_t values[4] = {1, 2, 3, 4};
  uint8_t bitmap[1] = {0};
  skep_vec vec;
  init(&vec, parsed("int"), &all_forms[0]);
  vec.values = (skep_vbuf){values, sizeof values, true};
  vec.validity = (skep_vbuf){bitmap, sizeof bitmap, true};
  assert_ok(skep_vec_reserve(&vec, 4, true, &err), err);
  assert_ptr_equal(vec.values.data, values);
  assert_fails(skep_vec_reserve(&vec, 5, true, &err), SKEP_ERR_LIMIT, err,
               "a lent buffer holds 16 bytes, 20 are needed");
  vec.length = 4;
  assert_ok(skep_vec_need_validity(&vec, &err), err);
  assert_int_equal(bitmap[0], 0xff);
  bitmap[0] = 0x0b; /* entry 2 is NULL */
  vec.null_count = 1;
  static const int32_t rows[] = {1, 2, 3};
  assert_ok(skep_vec_select(&vec, rows, 3, &err), err);
  assert_true(values[0] == 2 && values[2] == 4 && vec.null_count == 1 && !skep_vec_is_valid(&vec, 1));
  skep_vec_reset(&vec);
  assert_ptr_equal(vec.values.data, values);
  skep_vec_fini(&vec);
}

static void views_follow_a_heap_that_moves(void **state) {
  (void)state;
  skep_vec vec;
  init(&vec, parsed("string"), &all_forms[1]);
  static const char text[] = "longer than twelve bytes";
  for (int i = 0; i < 50; i++) {
    assert_ok(skep_vec_reserve(&vec, vec.length + 1, true, &err), err);
    vec_testing_put_bytes(&vec, (const uint8_t *)text, (size_t)(i % 25));
    vec.length++;
  }
  const void *before = vec.heap.data;
  assert_ok(skep_vec_reserve_heap(&vec, 1 << 20, &err), err);
  assert_ptr_not_equal(vec.heap.data, before);
  for (int i = 0; i < 50; i++) {
    skep_bytes b = skep_vec_bytes(&vec, i);
    assert_int_equal(b.left, i % 25);
    if (b.left != 0) assert_memory_equal(b.at, text, b.left);
  }
  skep_vec_fini(&vec);
}

static void a_dictionary_lives_as_long_as_its_last_user(void **state) {
  (void)state;
  skep_dict *dict = vec_testing_dict(&ctx);
  assert_ptr_equal(skep_dict_ref(dict), dict);
  skep_dict_unref(dict);
  skep_vec vec;
  init(&vec, parsed("string"), &all_forms[2]);
  assert_ok(skep_vec_reserve(&vec, 8, false, &err), err);
  for (int32_t i = 0; i < 8; i++) ((int32_t *)vec.values.data)[i] = 7 - i;
  vec.length = 8;
  vec.dict = dict;
  assert_int_equal(skep_vec_bytes(&vec, 0).left, 3);
  assert_int_equal(skep_vec_bytes(&vec, 7).left, 0);
  assert_int_equal(skep_vec_bytes(&vec, 1).left, 100);
  skep_vec_fini(&vec);
  skep_dict_unref(NULL);
}

/* ---- operations ---- */

enum { N_ROWS = 300 };

/* Lists of rows with different shapes: pattern p of n rows. Returns how many. */
static int64_t choose(int pattern, int64_t n, vec_random *r, int32_t *rows) {
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    bool keep = false;
    switch (pattern) {
      case 0:
        keep = true;
        break;
      case 1:
        break;
      case 2:
        keep = i % 2 == 1;
        break;
      case 3:
        keep = vec_random_next(r) % 100 != 0;
        break;
      case 4:
        keep = vec_random_next(r) % 2 == 0;
        break;
      case 5:
        keep = i >= n / 3;
        break;
      case 6:
        keep = i < n / 3;
        break;
      case 7:
        keep = (i / 37) % 2 == 1;
        break;
      default:
        keep = i == n - 1;
        break;
    }
    if (keep) rows[kept++] = (int32_t)i;
  }
  return kept;
}
enum { N_PATTERNS = 9 };

static void check_select(const skep_type *type, const skep_forms *forms, int pattern, unsigned null_percent) {
  skep_vec vec, before;
  make(&vec, type, forms, N_ROWS, 5, null_percent);
  make(&before, type, forms, N_ROWS, 5, null_percent);
  vec_random r = {.state = 99};
  int32_t rows[N_ROWS];
  int64_t n = choose(pattern, N_ROWS, &r, rows);
  assert_ok(skep_vec_select(&vec, rows, n, &err), err);
  assert_int_equal(vec.length, n);
  assert_vec_sound(&vec);
  for (int64_t i = 0; i < n; i++) assert_entry_equal(&vec, i, &before, rows[i]);
  skep_vec_fini(&vec);
  skep_vec_fini(&before);
}

static void select_keeps_exactly_the_rows_asked_for(void **state) {
  (void)state;
  for (size_t t = 0; t < N_TYPES; t++) {
    const skep_type *type = parsed(types[t]);
    for (size_t f = 0; f < N_FORMS; f++) {
      for (int pattern = 0; pattern < N_PATTERNS; pattern++) {
        check_select(type, &all_forms[f], pattern, 20);
        check_select(type, &all_forms[f], pattern, 0);
      }
    }
  }
}

static void select_forgets_validity_when_no_null_is_left(void **state) {
  (void)state;
  skep_vec vec;
  init(&vec, parsed("int"), &all_forms[0]);
  vec_random r = {.state = 1};
  for (int i = 0; i < 100; i++) vec_random_append(&vec, &r, i == 50);
  int32_t rows[100];
  for (int32_t i = 0; i < 50; i++) rows[i] = i;
  assert_int_equal(vec.null_count, 1);
  assert_ok(skep_vec_select(&vec, rows, 50, &err), err);
  assert_false(vec.has_nulls);
  skep_vec_fini(&vec);
}

static void set_null_makes_every_entry_null_in_the_whole_tree(void **state) {
  (void)state;
  for (size_t t = 0; t < N_TYPES; t++) {
    for (size_t f = 0; f < N_FORMS; f++) {
      skep_vec vec;
      make(&vec, parsed(types[t]), &all_forms[f], 20, 3, 10);
      assert_ok(skep_vec_set_null(&vec, 77, &err), err);
      assert_int_equal(vec.length, 77);
      assert_int_equal(vec.null_count, 77);
      assert_vec_sound(&vec);
      for (int64_t i = 0; i < 77; i++) assert_false(skep_vec_is_valid(&vec, i));
      assert_ok(skep_vec_set_null(&vec, 0, &err), err);
      assert_vec_sound(&vec);
      assert_false(vec.has_nulls);
      skep_vec_fini(&vec);
    }
  }
}

static void check_append(const skep_type *type, const skep_forms *to_forms, const skep_forms *from_forms,
                         unsigned null_percent) {
  skep_vec to, first, second;
  init(&to, type, to_forms);
  make(&first, type, from_forms, 101, 5, null_percent);
  make(&second, type, from_forms, 90, 6, 0);
  assert_ok(skep_vec_append(&to, &first, 0, 0, &err), err);
  assert_ok(skep_vec_append(&to, &second, 3, 60, &err), err);
  assert_ok(skep_vec_append(&to, &first, 1, 100, &err), err);
  assert_ok(skep_vec_append(&to, &second, 70, 1, &err), err);
  assert_ok(skep_vec_append(&to, &first, 17, 13, &err), err);
  assert_int_equal(to.length, 174);
  assert_vec_sound(&to);
  for (int64_t i = 0; i < 60; i++) assert_entry_equal(&to, i, &second, 3 + i);
  for (int64_t i = 0; i < 100; i++) assert_entry_equal(&to, 60 + i, &first, 1 + i);
  assert_entry_equal(&to, 160, &second, 70);
  for (int64_t i = 0; i < 13; i++) assert_entry_equal(&to, 161 + i, &first, 17 + i);
  skep_vec_fini(&to);
  skep_vec_fini(&first);
  skep_vec_fini(&second);
}

static void append_copies_ranges_of_every_type(void **state) {
  (void)state;
  skep_forms dict_views = all_forms[1];
  dict_views.keep_dictionaries = true;
  for (size_t t = 0; t < N_TYPES; t++) {
    const skep_type *type = parsed(types[t]);
    for (size_t f = 0; f < N_FORMS; f++) {
      check_append(type, &all_forms[f], &all_forms[f], 0);
      check_append(type, &all_forms[f], &all_forms[f], 30);
    }
    check_append(type, &all_forms[1], &dict_views, 30); /* dictionaries expand into views */
  }
  skep_forms plain = all_forms[2], views = all_forms[2];
  plain.keep_dictionaries = views.keep_dictionaries = false;
  views.string = SKEP_FORM_VIEW;
  const skep_type *type = parsed("struct<a:string,b:array<binary>>");
  const skep_forms *kinds[] = {&plain, &views, &all_forms[2]};
  for (size_t i = 0; i < 9; i++) check_append(type, kinds[i / 3], kinds[i % 3], 20);
}

static void append_shares_one_dictionary_and_expands_different_ones(void **state) {
  (void)state;
  const skep_type *type = parsed("string");
  skep_vec to, from;
  init(&to, type, &all_forms[2]);
  make(&from, type, &all_forms[2], 50, 1, 10);
  assert_ok(skep_vec_append(&to, &from, 0, 50, &err), err);
  assert_ok(skep_vec_append(&to, &from, 0, 10, &err), err);
  assert_int_equal(to.form, SKEP_FORM_DICT);
  assert_ptr_equal(to.dict, from.dict);
  skep_vec other;
  make(&other, type, &all_forms[2], 50, 2, 10);
  assert_ok(skep_vec_append(&to, &other, 0, 50, &err), err);
  assert_int_equal(to.form, SKEP_FORM_STR);
  assert_null(to.dict);
  for (int64_t i = 0; i < 50; i++) assert_entry_equal(&to, i, &from, i);
  for (int64_t i = 0; i < 50; i++) assert_entry_equal(&to, 60 + i, &other, i);
  skep_vec_fini(&to);
  skep_vec_fini(&from);
  skep_vec_fini(&other);
}

static void append_refuses_other_forms(void **state) {
  (void)state;
  skep_vec to, from;
  init(&to, parsed("boolean"), &all_forms[0]);
  make(&from, parsed("boolean"), &all_forms[1], 3, 1, 0);
  assert_fails(skep_vec_append(&to, &from, 0, 3, &err), SKEP_ERR_INTERNAL, err, "cannot be appended");
  skep_vec_fini(&to);
  skep_vec_fini(&from);
}

static void flatten_expands_dictionaries_everywhere(void **state) {
  (void)state;
  static const skep_form forms[] = {SKEP_FORM_STR, SKEP_FORM_VIEW};
  for (size_t t = 0; t < N_TYPES; t++) {
    for (size_t f = 0; f < 2; f++) {
      for (unsigned nulls = 0; nulls <= 100; nulls += 25) {
        skep_vec vec, before;
        make(&vec, parsed(types[t]), &all_forms[2], 100, 8, nulls);
        make(&before, parsed(types[t]), &all_forms[2], 100, 8, nulls);
        assert_ok(skep_vec_flatten(&vec, forms[f], &err), err);
        assert_vec_sound(&vec);
        for (int64_t i = 0; i < 100; i++) assert_entry_equal(&vec, i, &before, i);
        if (skep_kind_is_bytes(vec.type->kind)) assert_int_equal(vec.form, forms[f]);
        skep_vec_fini(&vec);
        skep_vec_fini(&before);
      }
    }
  }
}

static void flatten_refuses_what_a_small_dictionary_would_blow_up_to(void **state) {
  (void)state;
  skep_vec vec;
  init(&vec, parsed("string"), &all_forms[2]);
  skep_dict *dict;
  uint32_t *offsets;
  uint8_t *bytes;
  assert_ok(skep_dict_new(&ctx, 1, 1 << 20, &dict, &offsets, &bytes, &err), err);
  offsets[0] = 0;
  offsets[1] = 1 << 20;
  memset(bytes, 'x', 1 << 20);
  assert_ok(skep_vec_reserve(&vec, 1 << 16, false, &err), err);
  vec.length = 1 << 16;
  vec.dict = dict;
  assert_fails(skep_vec_flatten(&vec, SKEP_FORM_STR, &err), SKEP_ERR_LIMIT, err, "the limit is 1073741824");
  assert_int_equal(vec.form, SKEP_FORM_DICT);
  assert_ok(skep_vec_flatten(&vec, SKEP_FORM_VIEW, &err), err); /* one copy of the megabyte */
  assert_int_equal(vec.heap_size, 1 << 20);
  skep_vec_fini(&vec);
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  const skep_type *type =
      parsed("struct<a:string,b:array<map<int,string>>,c:uniontype<string,boolean>,d:decimal(20,0)>");
  skep_vec from;
  make(&from, type, &all_forms[2], 60, 4, 20);
  uint64_t live = failing_alloc_live(&memory);
  int32_t rows[30];
  for (int32_t i = 0; i < 30; i++) rows[i] = 2 * i;
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_vec vec;
    skep_status st = skep_vec_init(&vec, &ctx, type, &all_forms[0], &err);
    if (st == SKEP_OK) st = skep_vec_append(&vec, &from, 0, 60, &err);
    if (st == SKEP_OK) st = skep_vec_select(&vec, rows, 30, &err);
    if (st == SKEP_OK) st = skep_vec_set_null(&vec, 10, &err);
    skep_vec_fini(&vec);
    assert_int_equal(failing_alloc_live(&memory), live);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(st, SKEP_ERR_NOMEM);
  }
  failing_alloc_arm(&memory, 0);
  skep_vec_fini(&from);
}

static void bits_are_counted_copied_and_filled_at_any_position(void **state) {
  (void)state;
  uint8_t from[24], to[32];
  vec_random r = {.state = 7};
  for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)vec_random_next(&r);
  for (int64_t first = 0; first < 20; first++) {
    for (int64_t n = 0; n < 150; n++) {
      int64_t count = 0;
      for (int64_t i = first; i < first + n; i++) count += skep_bit_get(from, i);
      assert_int_equal(skep_bits_count(from, first, n), count);
      int64_t at = (first * 7 + n) % 19;
      memset(to, 0xa5, sizeof to);
      skep_bits_copy(to, at, from, first, n);
      for (int64_t i = 0; i < at; i++) assert_int_equal(skep_bit_get(to, i), 0xa5 >> (i & 7) & 1);
      for (int64_t i = 0; i < n; i++) assert_int_equal(skep_bit_get(to, at + i), skep_bit_get(from, first + i));
      memset(to, 0, sizeof to);
      skep_bits_fill(to, at, n);
      for (int64_t i = 0; i < at; i++) assert_false(skep_bit_get(to, i));
      for (int64_t i = 0; i < n; i++) assert_true(skep_bit_get(to, at + i));
    }
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(forms_follow_type_and_wish),
      TEST(reserve_keeps_content_and_gives_zeroes),
      TEST(offsets_start_at_zero_whenever_they_exist),
      TEST(limits_are_kept),
      TEST(lent_buffers_are_used_but_never_grown_or_freed),
      TEST(views_follow_a_heap_that_moves),
      TEST(a_dictionary_lives_as_long_as_its_last_user),
      TEST(select_keeps_exactly_the_rows_asked_for),
      TEST(select_forgets_validity_when_no_null_is_left),
      TEST(set_null_makes_every_entry_null_in_the_whole_tree),
      TEST(append_copies_ranges_of_every_type),
      TEST(append_shares_one_dictionary_and_expands_different_ones),
      TEST(append_refuses_other_forms),
      TEST(flatten_expands_dictionaries_everywhere),
      TEST(flatten_refuses_what_a_small_dictionary_would_blow_up_to),
      TEST(failing_allocations_leak_nothing),
      TEST(bits_are_counted_copied_and_filled_at_any_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Delimited text: what Hive 4.0.1 answered to these very lines, and the bytes it wrote for these values (golden 13 and
 * 14, and scripts run on it; its row-mode reader). */
#include "support/test.h"

#include "column/values_testing.h"
#include "support/failing_alloc.h"
#include "table/text_format.h"
#include "table/text_write.h"

static const skep_forms forms = {.boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .narrow_decimals = true};

static const skep_text_format *format_of(fixture *f, const char *serde, const skep_property *p, uint32_t n,
                                         const skep_type *row) {
  const skep_text_format *format;
  assert_ok(skep_text_format_make(&f->arena, "org.apache.hadoop.mapred.TextInputFormat", serde, p, n, NULL, 0, row,
                                  &format, &f->err),
            f->err);
  return format;
}

/* Reads all lines of a text (each ends with LF) into all columns of a row. */
static skep_status read_into(fixture *f, const skep_text_format *format, const skep_type *row, const char *text,
                             skep_vec *root) {
  skep_bytes lines[64];
  uint32_t positions[64];
  int64_t n = 0;
  for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
    lines[n++] = skep_bytes_of(text, (size_t)(end - text));
  for (uint32_t i = 0; i < row->n_children; i++) positions[i] = i;
  SKEP_TRY(skep_vec_init(root, &f->ctx, row, &forms, &f->err));
  root->length = n;
  return skep_text_read(format, row, positions, row->n_children, lines, n, root->children, &f->err);
}

/* Rows as the golden tables have them: `copy` form, tabs between. */
static const char *rows_of(fixture *f, const skep_text_format *format, const skep_type *row, const char *text) {
  skep_vec root = {0};
  skep_text style = {.style = SKEP_TEXT_COPY};
  assert_ok(read_into(f, format, row, text, &root), f->err);
  skep_buf_reset(&f->out);
  for (int64_t i = 0; i < root.length; i++) {
    for (uint32_t c = 0; c < row->n_children; c++) {
      if (c > 0) skep_buf_byte(&f->out, '\t');
      assert_ok(skep_text_value(&style, &root.children[c], i, &f->out, &f->err), f->err);
    }
    skep_buf_byte(&f->out, '\n');
  }
  skep_vec_fini(&root);
  return skep_buf_string(&f->out);
}

static void values_that_fit_their_type_are_read_others_are_null(void **state) {
  fixture *f = *state;
  const skep_property pipe[] = {{"field.delim", "|"}, {"serialization.format", "|"}};
  const skep_type *row = type_of(f,
                                 "struct<i:int,d:double,de:decimal(10,2),dt:date,ts:timestamp,b:boolean,"
                                 "vc:varchar(3),b2:boolean>");
  const skep_text_format *format = format_of(f, NULL, pipe, 2, row);
  static const char *const cases[][2] = {
      {"1| 1.5 |1.55|2026-1-2|2026-01-02 3:4:5|true|abcd|TRUE",
       "1\t1.5\t1.55\t2026-01-02\t2026-01-02 03:04:05\ttrue\tabc\ttrue"},
      {"2|1e3|1e3|2026-01-02x|2026-01-02 03:04:05.1234567891|yes|abcde|t",
       "2\t1000.0\t1000.00\t2026-01-02\t\\N\t\\N\tabc\t\\N"},
      {"3|0x1p3|.5|2026-02-30|2026-02-30 00:00:00|1|ab |T", "3\t8.0\t0.50\t\\N\t\\N\t\\N\tab \t\\N"},
      {"4|1f|99999999.999|02026-01-02|2026-01-02T03:04:05Z|False |\303\251|F",
       "4\t1.0\t\\N\t\\N\t\\N\t\\N\t\303\251\t\\N"},
      {"5|nan|1234567890123.1|2026-01-02 10:11:12|2026-01-02 03:04|FALSE| |f",
       "5\t\\N\t\\N\t2026-01-02\t\\N\tfalse\t \t\\N"},
      {"6|-Infinity| 1|+2026-01-02|2026-01-02 03:04:05 UTC|tRuE|  x|0", "6\t-Infinity\t1.00\t\\N\t\\N\ttrue\t  x\t\\N"},
      {"7|1,5|-|2026-00-01| 2026-01-02 03:04:05 ||xyz|", "7\t\\N\t\\N\t\\N\t2026-01-02 03:04:05\t\\N\txyz\t\\N"},
      {"8|.|1.005|1-1-1|2026-01-02 24:00:00|x|NULL|null", "8\t\\N\t1.01\t\\N\t\\N\t\\N\tNUL\t\\N"},
      {"9|1e400|-1.005|20260102|2026-01-02 03:04:05.|NULL|\\N|\\N", "9\tInfinity\t-1.01\t\\N\t\\N\t\\N\t\\N\t\\N"},
      {"", "\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N"},
      {"10", "10\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N"},
      {"2147483648|||||||", "\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\t\\N"},
      {"+|-1.|1.|||||", "\\N\t-1.0\t1.00\t\\N\t\\N\t\\N\t\t\\N"},
      {"1.|1d|1.5e1|0000-01-01|0001-01-01 00:00:00|||", "1\t1.0\t15.00\t0000-01-01\t0001-01-01 00:00:00\t\\N\t\t\\N"},
      {"1.x|1e|+1", "\\N\t\\N\t1.00\t\\N\t\\N\t\\N\t\\N\t\\N"},
      {"1|2|3|2026-01-01|2026-01-01T10:00:00|true|x|true|more|fields",
       "1\t2.0\t3.00\t2026-01-01\t2026-01-01 10:00:00\ttrue\tx\ttrue"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char line[300], want[300];
    snprintf(line, sizeof line, "%s\n", cases[i][0]);
    snprintf(want, sizeof want, "%s\n", cases[i][1]);
    assert_string_equal(rows_of(f, format, row, line), want);
  }
}

static void integers_have_no_blanks_and_their_fraction_is_cut_off(void **state) {
  fixture *f = *state;
  const skep_property comma[] = {{"field.delim", ","}};
  const skep_type *row = type_of(f, "struct<t:tinyint,s:smallint,b:bigint,f:float>");
  assert_string_equal(rows_of(f, format_of(f, NULL, comma, 1, row), row,
                              "-128,-32768,-9223372036854775808,1.1\n"
                              "127.9,32767.0,9223372036854775807.5,1e39\n"
                              "-129,1e1,-9223372036854775809,1e-50\n"
                              "null,NULL,,16777217\n"
                              " 7,0x10,007,+5\n"),
                      "-128\t-32768\t-9223372036854775808\t1.1\n"
                      "127\t32767\t9223372036854775807\tInfinity\n"
                      "\\N\t\\N\t\\N\t0.0\n"
                      "\\N\t\\N\t\\N\t1.6777216E7\n"
                      "\\N\t\\N\t7\t5.0\n");
}

static void instants_may_name_a_zone(void **state) {
  fixture *f = *state;
  const skep_property comma[] = {{"field.delim", ","}};
  const skep_type *row = type_of(f, "struct<tz:timestamp with local time zone>");
  assert_string_equal(rows_of(f, format_of(f, NULL, comma, 1, row), row,
                              "2026-01-02 03:04:05\n2026-01-02\n2026-01-02 03:04:05 Europe/Paris\n"
                              "2026-01-02 03:04:05.5 +02:00\n1900-01-01 00:00:00.0 UTC\nx\n2026-01-02 No/Where\n"),
                      "2026-01-02 03:04:05.0 UTC\n2026-01-02 00:00:00.0 UTC\n2026-01-02 02:04:05.0 UTC\n"
                      "2026-01-02 01:04:05.5 UTC\n1900-01-01 00:00:00.0 UTC\n\\N\n\\N\n");
}

static void nested_values_are_parted_by_the_next_separators(void **state) {
  fixture *f = *state;
  const skep_property p[] = {
      {"field.delim", "|"}, {"escape.delim", "\\"}, {"collection.delim", ","}, {"mapkey.delim", ":"}};
  const skep_type *row = type_of(f,
                                 "struct<id:int,s:string,d:double,dt:date,arr:array<string>,m:map<string,int>,"
                                 "c:char(3)>");
  assert_string_equal(rows_of(f, format_of(f, NULL, p, 4, row), row,
                              "1|hello|1.5|2026-01-01|a,b,c|k1:1,k2:2|x\n"
                              "2|\\N|\\N|\\N|\\N|\\N|\\N\n"
                              "3||||||\n"
                              "4|esc\\|aped|notanumber|2026-13-45|one|k:|y\n"
                              "5|short\n"
                              "x|bad int|1e3|1999-12-31|a,,b|:5|z\n"
                              " 7 | spaces | 2.50 | 2026-01-03 | a , b | k : 9 | q \n"),
                      "1\thello\t1.5\t2026-01-01\t[\"a\",\"b\",\"c\"]\t{\"k1\":1,\"k2\":2}\tx  \n"
                      "2\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n"
                      "3\t\t\\N\t\\N\t[]\t{}\t   \n"
                      "4\tesc|aped\t\\N\t\\N\t[\"one\"]\t{\"k\":null}\ty  \n"
                      "5\tshort\t\\N\t\\N\t\\N\t\\N\t\\N\n"
                      "\\N\tbad int\t1000.0\t1999-12-31\t[\"a\",\"\",\"b\"]\t{\"\":5}\tz  \n"
                      "\\N\t spaces \t2.5\t2026-01-03\t[\" a \",\" b \"]\t{\" k \":null}\t q \n");
}

static void the_first_of_equal_keys_counts_and_null_keys_go(void **state) {
  fixture *f = *state;
  const skep_property p[] = {{"field.delim", "|"}, {"collection.delim", ","}, {"mapkey.delim", "="}};
  const skep_type *row = type_of(f, "struct<m:map<int,array<string>>>");
  assert_string_equal(rows_of(f, format_of(f, NULL, p, 3, row), row, "1=a\004b,01=x,y=z,2,3=\\N\n4=q,\\N=r\n"),
                      "{1:[\"a\",\"b\"],2:null,3:null}\n{4:[\"q\"]}\n");
}

static void binary_is_base64_or_taken_as_it_is(void **state) {
  fixture *f = *state;
  const skep_property p[] = {{"field.delim", ";"}};
  const skep_type *row = type_of(f, "struct<b:binary>");
  assert_string_equal(
      rows_of(f, format_of(f, NULL, p, 1, row), row, "AAEC\nnotbase64\n\n=\nAP8\ncQ\ncQ==\nA B\nAA=\n\\N\n"),
      "000102\n6E6F74626173653634\n\n3D\n00FF\n71\n71\n412042\n41413D\n\\N\n");
}

static const char written_rows[] =
    "1\001true\0011\0012\0013\0011.5\0012.5\0013.25\0012026-01-01 "
    "01:02:03.456\0012026-01-01\001AP8\0011\002x\001abcd\001"
    "2025-12-31 23:00:00.0 UTC\n"
    "2\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\001\\N\n"
    "3\001false\001-1\001-2\001-3\001NaN\001Infinity\001-0.01\0011969-12-31 "
    "23:59:59\0011500-01-01\001\001\\N\002\\N\001"
    "tab\t\0011900-01-01 00:00:00.0 UTC\n";

static const char *written(fixture *f, const skep_text_format *format, const skep_type *row, const char *text) {
  skep_vec root = {0};
  assert_ok(read_into(f, format, row, text, &root), f->err);
  skep_buf_reset(&f->out);
  assert_ok(skep_lazy_write(&format->lazy, &root, NULL, root.length, &f->out, &f->err), f->err);
  skep_vec_fini(&root);
  return skep_buf_string(&f->out);
}

static void what_hive_wrote_is_written_again(void **state) {
  fixture *f = *state;
  const skep_type *row =
      type_of(f,
              "struct<id:int,b:boolean,t:tinyint,sm:smallint,bi:bigint,f:float,d:double,de:decimal(10,2),"
              "ts:timestamp,dt:date,bin:binary,st:struct<a:int,b:string>,vc:varchar(4),"
              "tsl:timestamp with local time zone>");
  assert_string_equal(written(f, format_of(f, NULL, NULL, 0, row), row, written_rows), written_rows);
  static const char nested[] =
      "1\001ab  \001cd\0011.0E10\0011.0E-5\0011.5000\0012026-01-01 "
      "00:00:00\0010001-01-01\001Ymlu\001true\0011\002\\N\0023"
      "\001a\003b\002c\001k\0031\0042\0011\0022\003z\0011\002u\n";
  row = type_of(f,
                "struct<i:int,c:char(4),vc:varchar(4),f:float,d:double,de:decimal(20,4),ts:timestamp,dt:date,"
                "bin:binary,b:boolean,a:array<int>,aa:array<array<string>>,m:map<string,array<int>>,"
                "st:struct<x:int,y:struct<p:int,q:string>>,u:uniontype<int,string>>");
  assert_string_equal(written(f, format_of(f, NULL, NULL, 0, row), row, nested), nested);
}

static void separators_in_texts_are_escaped(void **state) {
  fixture *f = *state;
  const skep_property p[] = {
      {"field.delim", ","}, {"escape.delim", "\\"}, {"collection.delim", ";"}, {"mapkey.delim", "="}};
  const skep_type *row = type_of(f, "struct<a:string,b:array<string>,c:char(3),m:map<string,string>,bin:binary>");
  static const char text[] =
      "a\\,b\\\\c\\;d\\=e,x\\;y;z\\\\;\\\\N,a\\, ,k\\=1=v\\;2,eCx5\n"
      "\\\\N,,   ,\\N,\\N\n"
      ",,x  ,k=\\N,\n";
  const skep_text_format *format = format_of(f, NULL, p, 4, row);
  assert_string_equal(written(f, format, row, text), text);
  assert_string_equal(rows_of(f, format, row, text),
                      "a,b\\\\c;d=e\t[\"x;y\",\"z\\\\\\\\\",\"\\\\\\\\N\"]\ta, \t{\"k=1\":\"v;2\"}\t782C79\n"
                      "\\\\N\t[]\t   \t\\N\t\\N\n"
                      "\t[]\tx  \t{\"k\":null}\t\n");
  assert_string_equal(rows_of(f, format, type_of(f, "struct<a:string,b:string>"), "x\\ny\\rz,end\\\n"),
                      "x\\ny\\rz\tend\\\\\n");
}

static void null_may_be_another_text_and_the_last_column_may_take_the_rest(void **state) {
  fixture *f = *state;
  const skep_property p[] = {
      {"field.delim", "44"}, {"serialization.null.format", "nil"}, {"serialization.last.column.takes.rest", "true"}};
  const skep_type *row = type_of(f, "struct<id:int,s:string>");
  assert_string_equal(rows_of(f, format_of(f, NULL, p, 3, row), row, "1,nil\nnil,x\n3,\\N\n4,a,b,c\n"),
                      "1\t\\N\n\\N\tx\n3\t\\\\N\n4\ta,b,c\n");
}

static void too_deep_types_are_refused_in_hives_words(void **state) {
  fixture *f = *state;
  const skep_type *row =
      type_of(f, "struct<a:array<array<array<array<array<array<array<array<int>>>>>>>>>"); /* levels 1 to 8 */
  const skep_text_format *format;
  assert_int_equal(skep_text_format_make(&f->arena, "org.apache.hadoop.mapred.TextInputFormat", NULL, NULL, 0, NULL, 0,
                                         row, &format, &f->err),
                   SKEP_ERR_UNSUPPORTED);
  assert_non_null(strstr(f->err.text,
                         "Number of levels of nesting supported for LazySimpleSerde is 7 Unable to work "
                         "with level 8"));
  const skep_property more[] = {{"hive.serialization.extend.nesting.levels", "true"}};
  (void)format_of(f, NULL, more, 1, row);
}

static void formats_that_are_not_known_are_named(void **state) {
  fixture *f = *state;
  const skep_type *row = type_of(f, "struct<a:string>");
  const skep_text_format *format;
  assert_ok(skep_text_format_make(&f->arena, "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat", "x", NULL, 0, NULL, 0,
                                  row, &format, &f->err),
            f->err);
  assert_null(format);
  assert_int_equal(skep_text_format_make(&f->arena, "org.apache.hadoop.mapred.TextInputFormat", "x.y.Regex", NULL, 0,
                                         NULL, 0, row, &format, &f->err),
                   SKEP_ERR_UNSUPPORTED);
  assert_non_null(strstr(f->err.text, "the SerDe x.y.Regex is not known"));
}

#define CSV "org.apache.hadoop.hive.serde2.OpenCSVSerde"

static void csv_is_read_as_opencsv_does(void **state) {
  fixture *f = *state;
  const skep_type *row = type_of(f, "struct<id:string,s:string,d:string>");
  assert_string_equal(rows_of(f, format_of(f, CSV, NULL, 0, row), row,
                              "1,\"quoted, comma\",3.5\n"
                              "2,\"he said \"\"hi\"\"\",x\n"
                              "3,plain,\n"
                              "4,\"\",\"\"\n"
                              "5,back\\\\slash,\"esc\\\"aped\"\n"
                              "6\n"
                              " 7 , lead ,\" sp \"\n"
                              "8,\"open, and so on\n"
                              "\n"),
                      "1\tquoted, comma\t3.5\n"
                      "2\the said \"hi\"\tx\n"
                      "3\tplain\t\n"
                      "4\t\t\n"
                      "5\tback\\\\slash\tesc\"aped\n"
                      "6\t\\N\t\\N\n"
                      " 7 \t lead \t sp \n"
                      "8\t\\N\t\\N\n"
                      "\\N\t\\N\t\\N\n");
}

static void an_allocation_that_fails_is_said(void **state) {
  fixture *f = *state;
  const skep_type *row = type_of(f,
                                 "struct<a:array<string>,m:map<string,int>,u:uniontype<int,string>,"
                                 "s:struct<x:int>,t:string>");
  const skep_text_format *format = format_of(f, NULL, NULL, 0, row);
  static const char text[] = "a\002b\001k\0031\0011\002x\0011\001a longer text than twelve\n";
  failing_alloc memory;
  skep_ctx ctx = f->ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    fixture g = {.ctx = ctx};
    skep_vec root = {0};
    failing_alloc_arm(&memory, n);
    skep_status st = read_into(&g, format, row, text, &root);
    skep_vec_fini(&root);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(st, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_that_fit_their_type_are_read_others_are_null, set_up, tear_down),
      cmocka_unit_test_setup_teardown(integers_have_no_blanks_and_their_fraction_is_cut_off, set_up, tear_down),
      cmocka_unit_test_setup_teardown(instants_may_name_a_zone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nested_values_are_parted_by_the_next_separators, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_first_of_equal_keys_counts_and_null_keys_go, set_up, tear_down),
      cmocka_unit_test_setup_teardown(binary_is_base64_or_taken_as_it_is, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_hive_wrote_is_written_again, set_up, tear_down),
      cmocka_unit_test_setup_teardown(separators_in_texts_are_escaped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(null_may_be_another_text_and_the_last_column_may_take_the_rest, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(too_deep_types_are_refused_in_hives_words, set_up, tear_down),
      cmocka_unit_test_setup_teardown(formats_that_are_not_known_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(csv_is_read_as_opencsv_does, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_allocation_that_fails_is_said, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

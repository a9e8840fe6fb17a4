/* DDL, SHOW and DESCRIBE against what a real Hive 4.0.1 printed for the same statements
 * (tests/data/hive/ddl-4.0.1.log): results and refusals, line by line. Times, dates, file sizes and row ids of the
 * metastore are not compared. */
#include <ctype.h>

#include "support/warehouse.h"

#define LOG SKEP_SOURCE_DIR "/tests/data/hive/ddl-4.0.1.log"

static const char *read_log(void) {
  FILE *file = fopen(LOG, "rb");
  assert_non_null(file);
  static char text[1 << 18];
  size_t n = fread(text, 1, sizeof text - 1, file);
  assert_true(n > 0 && n < sizeof text - 1);
  text[n] = '\0';
  fclose(file);
  return text;
}

/* `text` with every `from` as `to`, behind `out`. */
static void replace(skep_buf *out, const char *text, size_t length, const char *from, const char *to) {
  size_t n = strlen(from);
  for (size_t i = 0; i < length;) {
    if (length - i >= n && memcmp(text + i, from, n) == 0) {
      skep_buf_text(out, to);
      i += n;
    } else {
      skep_buf_byte(out, (uint8_t)text[i++]);
    }
  }
}

static bool starts(const char *at, const char *word) { return strncmp(at, word, strlen(word)) == 0; }

/* "Sun Nov 29 23:46:58 UTC 2026" */
static bool is_date(const char *at) {
  static const char days[] = "SunMonTueWedThuFriSat";
  if (strlen(at) < 28 || strncmp(at + 20, "UTC ", 4) != 0 || at[13] != ':' || at[16] != ':') return false;
  for (size_t i = 0; i < sizeof days - 1; i += 3)
    if (strncmp(at, days + i, 3) == 0) return true;
  return false;
}

/* What differs from run to run becomes '#': numbers of seconds and milliseconds, dates, sizes, ids. */
static void normalise(skep_buf *out, const char *text) {
  for (const char *at = text; *at != '\0';) {
    if (is_date(at)) {
      skep_buf_byte(out, '#');
      at += 28;
    } else if (starts(at, "totalSize") || starts(at, ", id:")) {
      while (*at != '\0' && *at != '\n' && !isdigit((unsigned char)*at)) skep_buf_byte(out, (uint8_t)*at++);
      while (isdigit((unsigned char)*at) || *at == ' ') at++;
      skep_buf_byte(out, '#');
    } else if (isdigit((unsigned char)*at)) {
      size_t n = 0;
      while (isdigit((unsigned char)at[n])) n++;
      if (n == 10 || n == 13)
        skep_buf_byte(out, '#');
      else
        skep_buf_add(out, at, n);
      at += n;
      if (n == 10) /* in a padded cell: the blanks belong to the number */
        while (*at == ' ' && (at[1] == ' ' || at[1] == '\n' || at[1] == '\0')) at++;
    } else {
      skep_buf_byte(out, (uint8_t)*at++);
    }
  }
}

/* Compares line by line; an expected "..." ends the comparison. What a message has behind its first line is ours. */
static bool same(const char *expected, const char *got) {
  while (*expected != '\0') {
    size_t e = strcspn(expected, "\n"), g = strcspn(got, "\n");
    if (e == 3 && memcmp(expected, "...", 3) == 0) return true;
    if (e != g || memcmp(expected, got, e) != 0) return false;
    if (starts(expected, "ERROR: ")) return true;
    expected += e + (expected[e] == '\n');
    got += g + (got[g] == '\n');
  }
  return *got == '\0';
}

typedef struct fixture {
  warehouse w;
  char external[96];
  int n_compared, n_different;
} fixture;

/* Empty lines are left out of the log. */
static void drop_empty_lines(skep_buf *out, const char *text) {
  for (const char *at = text; *at != '\0'; at++)
    if (*at != '\n' || (out->size > 0 && out->data[out->size - 1] != '\n')) skep_buf_byte(out, (uint8_t)*at);
}

static void run_block(fixture *f, const char *statement, size_t length, const char *expected, size_t expected_length,
                      bool compare) {
  skep_buf sql, wanted, got, lines;
  skep_buf *all[] = {&sql, &wanted, &got, &lines};
  for (size_t i = 0; i < 4; i++) skep_buf_init(all[i], &f->w.ctx, 1 << 20);
  replace(&sql, statement, length, "${WAREHOUSE}", f->w.dir);
  skep_status st = warehouse_try(&f->w, f->w.session, skep_buf_string(&sql));
  if (st == SKEP_OK)
    skep_buf_text(&lines, skep_buf_string(&f->w.text));
  else
    skep_buf_printf(&lines, "ERROR: FAILED: %s\n", f->w.err.text);
  skep_buf raw;
  skep_buf_init(&raw, &f->w.ctx, 1 << 20);
  replace(&raw, skep_buf_string(&lines), lines.size, f->external, "${EXTERNAL}");
  skep_buf_reset(&lines);
  replace(&lines, skep_buf_string(&raw), raw.size, f->w.dir, "${WAREHOUSE}");
  skep_buf_reset(&raw);
  drop_empty_lines(&raw, skep_buf_string(&lines));
  normalise(&got, skep_buf_string(&raw));
  skep_buf_reset(&raw);
  skep_buf_add(&raw, expected, expected_length);
  normalise(&wanted, skep_buf_string(&raw));
  if (compare) {
    f->n_compared++;
    if (!same(skep_buf_string(&wanted), skep_buf_string(&got))) {
      f->n_different++;
      print_error("> %.*s\n-- Hive:\n%s-- here:\n%s\n", (int)length, statement, skep_buf_string(&wanted),
                  skep_buf_string(&got));
    }
  }
  skep_buf_fini(&raw);
  for (size_t i = 0; i < 4; i++) skep_buf_fini(all[i]);
}

static void statements_answer_as_hives_did(void **state) {
  (void)state;
  static fixture f;
  warehouse_open(&f.w);
  snprintf(f.external, sizeof f.external, "%s/external", f.w.dir);
  f.w.opts.external_dir = f.external;
  f.w.opts.user = "root";
  warehouse_reopen(&f.w);
  warehouse_run(&f.w, "SET metastore.create.as.acid=false");
  for (const char *at = read_log(); *at != '\0';) {
    const char *end = at + strcspn(at, "\n"), *next = end + 1;
    while (*next != '\0' && !starts(next, "> ") && !starts(next, "~ ")) next += strcspn(next, "\n") + 1;
    run_block(&f, at + 2, (size_t)(end - at) - 2, end + 1, (size_t)(next - end) - 1, *at == '>');
    at = next;
  }
  warehouse_close(&f.w);
  assert_true(f.n_compared > 250);
  assert_int_equal(f.n_different, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(statements_answer_as_hives_did)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Patterns: cut into parts once, then printed or read part by part. */
#include "engine/time_pattern.h"

#include <stdio.h>
#include <string.h>

#include "column/calendar.h"

static const char *const month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                          "July",    "August",   "September", "October", "November", "December"};
static const char *const day_names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/* ---- cutting ---- */

static bool add_part(skep_time_pattern *p, skep_time_part part) {
  if (p->n_parts == SKEP_TIME_PATTERN_PARTS) return false;
  p->parts[p->n_parts++] = part;
  return true;
}

static bool is_letter(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Behind the quote at text.at[*at]. Two quotes are one. */
static bool add_quoted(skep_time_pattern *p, skep_bytes text, size_t *at) {
  size_t start = ++*at;
  if (start < text.left && text.at[start] == '\'') {
    ++*at;
    return add_part(p, (skep_time_part){.literal = skep_bytes_of(text.at + start, 1)});
  }
  for (; *at < text.left; ++*at) {
    if (text.at[*at] != '\'') continue;
    bool is_quote = *at + 1 < text.left && text.at[*at + 1] == '\'';
    size_t n = *at - start + is_quote;
    if (!add_part(p, (skep_time_part){.literal = skep_bytes_of(text.at + start, n)})) return false;
    if (!is_quote) {
      ++*at;
      return true;
    }
    start = ++*at + 1;
  }
  return false;
}

static bool is_number(const skep_time_part *part) {
  switch (part->letter) {
    case 'M':
    case 'L':
    case 'Q':
    case 'e':
      return part->count < 3;
    case 0:
    case 'E':
    case 'a':
    case 'G':
    case 'z':
    case 'Z':
    case 'X':
    case 'x':
    case 'V':
    case 'O':
      return false;
    default:
      return true;
  }
}

bool skep_time_pattern_parse(skep_bytes text, skep_time_pattern *out) {
  out->n_parts = 0;
  for (size_t at = 0; at < text.left;) {
    uint8_t c = text.at[at];
    if (c == '\'') {
      if (!add_quoted(out, text, &at)) return false;
      continue;
    }
    if (!is_letter(c)) {
      if (c == '{' || c == '}' || c == '#' || c == '[' || c == ']') return false;
      if (!add_part(out, (skep_time_part){.literal = skep_bytes_of(text.at + at++, 1)})) return false;
      continue;
    }
    size_t n = 1;
    while (at + n < text.left && text.at[at + n] == c) n++;
    if (strchr("yuYMLdDEQwWeHhKkmsSnaGzZXxVO", c) == NULL || n > 19) return false;
    if (!add_part(out, (skep_time_part){.letter = (char)c, .count = (uint32_t)n})) return false;
    at += n;
  }
  for (uint32_t i = 0; i + 1 < out->n_parts; i++)
    out->parts[i].is_adjacent = is_number(&out->parts[i]) && is_number(&out->parts[i + 1]);
  return true;
}

/* ---- printing ---- */

typedef struct moment {
  skep_civil civil;
  int64_t days;
  int64_t of_day; /* seconds */
  int32_t nanos;
} moment;

static void print_number(int64_t v, uint32_t width, skep_buf *out) {
  if (v < 0) skep_buf_byte(out, '-');
  char text[24];
  int n = snprintf(text, sizeof text, "%0*lld", (int)width, (long long)(v < 0 ? -v : v));
  if (n > 0) skep_buf_add(out, text, (size_t)n);
}

/* A year of 4 or more letters shows a plus where it has more digits than letters. */
static void print_year(int64_t year, uint32_t count, skep_buf *out) {
  static const int64_t limits[] = {10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  if (count == 2) {
    int64_t rest = year % 100;
    print_number(rest < 0 ? rest + 100 : rest, 2, out);
    return;
  }
  if (count >= 4 && count <= 9 && year >= limits[count - 1]) skep_buf_byte(out, '+');
  print_number(year, count, out);
}

/* Weeks of the United States: from Sunday on, the first is that of 1 January. */
static int64_t us_week(int64_t days, int64_t *week_year) {
  int64_t sunday = days - ((days + 4) % 7 + 7) % 7;
  int64_t year = skep_civil_from_days(sunday + 6).year; /* the week with 1 January belongs to the new year */
  int64_t first = skep_days_from_civil(year, 1, 1);
  int64_t first_sunday = first - ((first + 4) % 7 + 7) % 7;
  *week_year = year;
  return (sunday - first_sunday) / 7 + 1;
}

static void print_name(const char *name, bool is_short, skep_buf *out) {
  skep_buf_add(out, name, is_short ? 3 : strlen(name));
}

static void print_part(const skep_time_part *p, const moment *m, skep_buf *out) {
  int64_t hour = m->of_day / 3600, week_year;
  int32_t day = (int32_t)(((m->days + 4) % 7 + 7) % 7);
  uint32_t n = p->count;
  switch (p->letter) {
    case 0:
      skep_buf_add(out, p->literal.at, p->literal.left);
      break;
    case 'y':
      print_year(m->civil.year > 0 ? m->civil.year : 1 - m->civil.year, n, out);
      break;
    case 'u':
      print_year(m->civil.year, n, out);
      break;
    case 'Y':
      (void)us_week(m->days, &week_year);
      print_year(week_year, n, out);
      break;
    case 'w':
      print_number(us_week(m->days, &week_year), n, out);
      break;
    case 'W': {
      int64_t first = m->days - m->civil.day + 1;
      print_number((m->civil.day - 1 + ((first + 4) % 7 + 7) % 7) / 7 + 1, n, out);
      break;
    }
    case 'M':
    case 'L':
      if (n < 3) {
        print_number(m->civil.month, n, out);
      } else {
        skep_buf_add(out, month_names[m->civil.month - 1],
                     n == 3   ? 3
                     : n == 5 ? 1
                              : strlen(month_names[m->civil.month - 1]));
      }
      break;
    case 'd':
      print_number(m->civil.day, n, out);
      break;
    case 'D':
      print_number(m->days - skep_days_from_civil(m->civil.year, 1, 1) + 1, n, out);
      break;
    case 'E':
      print_name(day_names[day], n < 4, out);
      break;
    case 'e':
      if (n < 3) {
        print_number(day + 1, n, out);
      } else {
        print_name(day_names[day], n == 3, out);
      }
      break;
    case 'Q':
      if (n < 3) {
        print_number((m->civil.month - 1) / 3 + 1, n, out);
      } else {
        skep_buf_printf(out, n == 3 ? "Q%d" : "%d quarter", (m->civil.month - 1) / 3 + 1);
      }
      break;
    case 'H':
      print_number(hour, n, out);
      break;
    case 'k':
      print_number(hour == 0 ? 24 : hour, n, out);
      break;
    case 'K':
      print_number(hour % 12, n, out);
      break;
    case 'h':
      print_number(hour % 12 == 0 ? 12 : hour % 12, n, out);
      break;
    case 'm':
      print_number(m->of_day / 60 % 60, n, out);
      break;
    case 's':
      print_number(m->of_day % 60, n, out);
      break;
    case 'S': {
      char digits[12];
      snprintf(digits, sizeof digits, "%09d", (int)m->nanos);
      for (uint32_t i = 0; i < n; i++) skep_buf_byte(out, i < 9 ? (uint8_t)digits[i] : '0');
      break;
    }
    case 'n':
      print_number(m->nanos, n, out);
      break;
    case 'a':
      skep_buf_text(out, hour < 12 ? "AM" : "PM");
      break;
    case 'G':
      skep_buf_text(out, m->civil.year > 0 ? "AD" : "BC");
      break;
    case 'Z':
      skep_buf_text(out, n < 4 ? "+0000" : n == 4 ? "GMT" : "Z");
      break;
    case 'X':
      skep_buf_text(out, "Z");
      break;
    case 'x':
      skep_buf_text(out, n == 1 ? "+00" : n == 2 || n == 4 ? "+0000" : "+00:00");
      break;
    case 'O':
      skep_buf_text(out, "GMT");
      break;
    default: /* z, V */
      skep_buf_text(out, "UTC");
  }
}

void skep_time_pattern_print(const skep_time_pattern *pattern, skep_ts ts, skep_buf *out) {
  int64_t days = ts.seconds / 86400 - (ts.seconds % 86400 < 0);
  moment m = {
      .civil = skep_civil_from_days(days), .days = days, .of_day = ts.seconds - days * 86400, .nanos = ts.nanos};
  for (uint32_t i = 0; i < pattern->n_parts; i++) print_part(&pattern->parts[i], &m, out);
}

/* ---- reading ---- */

typedef struct found {
  int64_t year, month, day, day_of_year;
  int64_t hour, hour12, minute, second, nanos;
  bool is_pm, has_half;
} found;

static bool take_number(skep_bytes *text, uint32_t min, uint32_t max, int64_t *out) {
  uint32_t n = 0;
  *out = 0;
  while (n < max && n < text->left && text->at[n] >= '0' && text->at[n] <= '9') {
    *out = *out * 10 + (text->at[n] - '0');
    n++;
  }
  if (n < min) return false;
  *text = skep_bytes_of(text->at + n, text->left - n);
  return true;
}

static bool take_word(skep_bytes *text, const char *word, size_t n) {
  if (text->left < n) return false;
  for (size_t i = 0; i < n; i++) {
    uint8_t a = text->at[i], b = (uint8_t)word[i];
    if (a != b && !(is_letter(a) && (a | 0x20) == (b | 0x20))) return false; /* letters in any case */
  }
  *text = skep_bytes_of(text->at + n, text->left - n);
  return true;
}

/* The place of the name that stands there, from 1. */
static bool take_name(skep_bytes *text, const char *const *names, int count, bool is_short, int64_t *out) {
  for (int i = 0; i < count; i++) {
    if (!take_word(text, names[i], is_short ? 3 : strlen(names[i]))) continue;
    *out = i + 1;
    return true;
  }
  return false;
}

/* A number of one letter has any width, else its own; a year of four letters may have more. */
static bool take_field(skep_bytes *text, const skep_time_part *p, int64_t *out) {
  bool is_year = p->letter == 'y' || p->letter == 'u';
  uint32_t max = p->is_adjacent || (p->count > 1 && !(is_year && p->count > 2)) ? p->count : 9;
  return take_number(text, p->count, max, out);
}

static bool read_part(const skep_time_part *p, skep_bytes *text, found *f) {
  int64_t ignored;
  switch (p->letter) {
    case 0:
      return take_word(text, (const char *)p->literal.at, p->literal.left);
    case 'y':
    case 'u':
      if (!take_field(text, p, &f->year)) return false;
      if (p->count == 2) f->year += 2000;
      return true;
    case 'M':
    case 'L':
      if (p->count < 3) return take_field(text, p, &f->month);
      return take_name(text, month_names, 12, p->count == 3, &f->month);
    case 'd':
      return take_field(text, p, &f->day);
    case 'D':
      return take_field(text, p, &f->day_of_year);
    case 'E':
      return take_name(text, day_names, 7, p->count < 4, &ignored);
    case 'H':
      return take_field(text, p, &f->hour);
    case 'k':
      if (!take_field(text, p, &f->hour)) return false;
      f->hour %= 24;
      return true;
    case 'h':
    case 'K':
      return take_field(text, p, &f->hour12);
    case 'm':
      return take_field(text, p, &f->minute);
    case 's':
      return take_field(text, p, &f->second);
    case 'S':
      if (p->count > 9 || !take_number(text, p->count, p->count, &f->nanos)) return false;
      for (uint32_t i = p->count; i < 9; i++) f->nanos *= 10;
      return true;
    case 'a':
      f->has_half = true;
      f->is_pm = take_word(text, "PM", 2);
      return f->is_pm || take_word(text, "AM", 2);
    case 'z':
    case 'V':
      return take_word(text, "UTC", 3) || take_word(text, "GMT", 3) || take_word(text, "Z", 1);
    case 'X':
      return take_word(text, "Z", 1) || take_word(text, "+00:00", 6) || take_word(text, "+0000", 5);
    case 'Z':
      return take_word(text, "+0000", 5) || take_word(text, "Z", 1);
    default:
      return false;
  }
}

static bool resolve(found *f, skep_ts *out) {
  if (f->hour12 >= 0) {
    if (!f->has_half || f->hour12 > 12) return false;
    f->hour = f->hour12 % 12 + (f->is_pm ? 12 : 0);
  }
  if (f->hour > 23 || f->minute > 59 || f->second > 59) return false;
  int64_t days;
  if (f->day_of_year > 0 && f->year >= 0) {
    if (f->day_of_year > 365 + skep_civil_is_valid(f->year, 2, 29)) return false;
    days = skep_days_from_civil(f->year, 1, 1) + f->day_of_year - 1;
  } else {
    if (f->year < 0 || f->month < 1 || f->month > 12 || f->day < 1 || f->day > 31) return false;
    int32_t day = (int32_t)f->day;
    while (!skep_civil_is_valid(f->year, (int32_t)f->month, day)) day--;
    days = skep_days_from_civil(f->year, (int32_t)f->month, day);
  }
  *out = (skep_ts){days * 86400 + f->hour * 3600 + f->minute * 60 + f->second, (int32_t)f->nanos, 0};
  return true;
}

bool skep_time_pattern_read(const skep_time_pattern *pattern, skep_bytes text, skep_ts *out) {
  found f = {.year = -1, .month = -1, .day = -1, .day_of_year = -1, .hour12 = -1};
  for (uint32_t i = 0; i < pattern->n_parts; i++) {
    if (!read_part(&pattern->parts[i], &text, &f)) return false;
  }
  return text.left == 0 && resolve(&f, out);
}

/* Parser of time zone files (TZif, versions 1 to 4) and of the POSIX TZ string in their footer.
 *
 * File: header, data block with 32-bit times; from version 2 on a second header and block with 64-bit times, then a
 * line feed, the TZ string, a line feed. Data block: times, type index of each, types of 6 bytes (offset, is-dst, index
 * of the name), names, leap seconds, two lists of indicators. */
#include "orc/tzfile.h"

#include "base/bytes.h"
#include "base/err.h"

enum {
  HEADER_BYTES = 44,
  TYPE_BYTES = 6,
  MAX_OFFSET = 26 * 3600, /* RFC 8536 3.2: should lie between -25 and 26 hours */
  DAY = 86400
};

typedef struct tz_header {
  uint8_t version;
  uint32_t n_utc, n_std, n_leaps, n_times, n_types, n_chars;
} tz_header;

static skep_status corrupt(const char *why, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "time zone file: %s", why);
}

static skep_status read_header(skep_bytes *b, tz_header *h, skep_err *err) {
  skep_bytes head;
  if (!skep_bytes_take(b, HEADER_BYTES, &head)) return corrupt("header cut off", err);
  if (memcmp(head.at, "TZif", 4) != 0) return corrupt("no TZif magic", err);
  const uint8_t *counts = head.at + 20;
  *h = (tz_header){head.at[4],
                   skep_load_be32(counts),
                   skep_load_be32(counts + 4),
                   skep_load_be32(counts + 8),
                   skep_load_be32(counts + 12),
                   skep_load_be32(counts + 16),
                   skep_load_be32(counts + 20)};
  if (h->n_types == 0 || h->n_types > 256) return corrupt("number of local time types", err);
  return SKEP_OK;
}

typedef struct tz_block {
  skep_bytes times, indices, types;
  uint32_t time_bytes;
} tz_block;

/* The parts of a data block; the parts behind the types are only stepped over. Products of 32-bit counts do not
 * overflow. */
static skep_status read_block(skep_bytes *b, const tz_header *h, uint32_t time_bytes, tz_block *out, skep_err *err) {
  uint64_t rest = h->n_chars + (uint64_t)h->n_leaps * (time_bytes + 4) + h->n_std + h->n_utc;
  skep_bytes ignored;
  out->time_bytes = time_bytes;
  if (!skep_bytes_take(b, (uint64_t)h->n_times * time_bytes, &out->times) ||
      !skep_bytes_take(b, h->n_times, &out->indices) ||
      !skep_bytes_take(b, (uint64_t)h->n_types * TYPE_BYTES, &out->types) || !skep_bytes_take(b, rest, &ignored))
    return corrupt("data block cut off", err);
  return SKEP_OK;
}

static int32_t type_offset(const tz_block *block, size_t type) {
  return (int32_t)skep_load_be32(block->types.at + type * TYPE_BYTES);
}

static skep_status read_changes(const tz_block *block, skep_tz_change *out, skep_err *err) {
  size_t n_types = block->types.left / TYPE_BYTES;
  for (size_t i = 0; i < block->indices.left; i++) {
    const uint8_t *at = block->times.at + i * block->time_bytes;
    out[i].at = block->time_bytes == 8 ? (int64_t)skep_load_be64(at) : (int32_t)skep_load_be32(at);
    if (i > 0 && out[i].at <= out[i - 1].at) return corrupt("transition times do not ascend", err);
    if (block->indices.at[i] >= n_types) return corrupt("type index out of range", err);
    out[i].offset = type_offset(block, block->indices.at[i]);
  }
  return SKEP_OK;
}

static skep_status check_types(const tz_block *block, skep_err *err) {
  for (size_t i = 0; i < block->types.left / TYPE_BYTES; i++) {
    int32_t offset = type_offset(block, i);
    if (offset < -MAX_OFFSET || offset > MAX_OFFSET) return corrupt("offset of more than 26 hours", err);
  }
  return SKEP_OK;
}

/* The footer of version 2 and later: the TZ string between two line feeds; may be empty. */
static skep_status read_footer(skep_bytes *b, skep_tz_rule *rule, skep_err *err) {
  if (b->left < 2 || b->at[0] != '\n') return corrupt("no footer", err);
  const char *text = (const char *)b->at + 1;
  const char *end = memchr(text, '\n', b->left - 1);
  if (end == NULL) return corrupt("footer cut off", err);
  if (end == text) return SKEP_OK;
  return skep_tz_rule_parse(text, (size_t)(end - text), rule, err);
}

skep_status skep_tz_file_parse(const skep_ctx *ctx, const uint8_t *bytes, size_t size, skep_tz_data *out,
                               skep_err *err) {
  skep_bytes b = skep_bytes_of(bytes, size);
  tz_header h;
  tz_block block;
  *out = (skep_tz_data){0};
  SKEP_TRY(read_header(&b, &h, err));
  SKEP_TRY(read_block(&b, &h, 4, &block, err));
  if (h.version >= '2') {
    SKEP_TRY(read_header(&b, &h, err));
    SKEP_TRY(read_block(&b, &h, 8, &block, err));
    SKEP_TRY(read_footer(&b, &out->rule, err));
  }
  if (h.n_leaps != 0) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "time zone file counts leap seconds");
  SKEP_TRY(check_types(&block, err));
  skep_tz_change *changes = skep_alloc_zero(ctx, h.n_times + (size_t)1, sizeof *changes);
  if (changes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "time zone of %u transitions", h.n_times);
  skep_status status = read_changes(&block, changes, err);
  if (status != SKEP_OK) {
    skep_release(ctx, changes);
    return status;
  }
  out->initial = type_offset(&block, 0);
  out->n = h.n_times;
  out->changes = changes;
  return SKEP_OK;
}

/* ---- the TZ string ---- */

static bool take_char(skep_bytes *b, char c) {
  if (b->left == 0 || *b->at != (uint8_t)c) return false;
  b->at++;
  b->left--;
  return true;
}

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool take_number(skep_bytes *b, int32_t min, int32_t max, int32_t *out) {
  int32_t v = 0;
  if (b->left == 0 || !is_digit(*b->at)) return false;
  while (b->left != 0 && is_digit(*b->at)) {
    v = v * 10 + (*b->at - '0');
    if (v > max) return false;
    b->at++;
    b->left--;
  }
  *out = v;
  return v >= min;
}

static bool take_name(skep_bytes *b) {
  if (take_char(b, '<')) {
    while (b->left != 0 && *b->at != '>') {
      b->at++;
      b->left--;
    }
    return take_char(b, '>');
  }
  size_t before = b->left;
  while (b->left != 0 && is_letter(*b->at)) {
    b->at++;
    b->left--;
  }
  return before - b->left >= 3;
}

/* [+-]h[h[h]][:mm[:ss]] */
static bool take_time(skep_bytes *b, int32_t max_hours, int32_t *out) {
  int32_t hours, minutes = 0, seconds = 0;
  bool negative = take_char(b, '-');
  if (!negative) (void)take_char(b, '+');
  if (!take_number(b, 0, max_hours, &hours)) return false;
  if (take_char(b, ':')) {
    if (!take_number(b, 0, 59, &minutes)) return false;
    if (take_char(b, ':') && !take_number(b, 0, 59, &seconds)) return false;
  }
  *out = hours * 3600 + minutes * 60 + seconds;
  if (negative) *out = -*out;
  return true;
}

/* ,Mm.w.d[/time] or ,Jn[/time] or ,n[/time] */
static bool take_date(skep_bytes *b, skep_tz_date *out) {
  *out = (skep_tz_date){.kind = SKEP_TZ_DAY, .seconds = 2 * 3600};
  if (!take_char(b, ',')) return false;
  if (take_char(b, 'M')) {
    out->kind = SKEP_TZ_MONTH_WEEK;
    if (!take_number(b, 1, 12, &out->month) || !take_char(b, '.') || !take_number(b, 1, 5, &out->week) ||
        !take_char(b, '.') || !take_number(b, 0, 6, &out->weekday))
      return false;
  } else if (take_char(b, 'J')) {
    out->kind = SKEP_TZ_JULIAN;
    if (!take_number(b, 1, 365, &out->day)) return false;
  } else if (!take_number(b, 0, 365, &out->day)) {
    return false;
  }
  return take_char(b, '/') ? take_time(b, 167, &out->seconds) : true;
}

static bool take_rule(skep_bytes *b, skep_tz_rule *out) {
  int32_t west;
  if (!take_name(b) || !take_time(b, 25, &west)) return false;
  out->standard = -west; /* POSIX counts west */
  if (b->left == 0) return true;
  out->has_dst = true;
  out->dst = out->standard + 3600;
  if (!take_name(b)) return false;
  if (b->left != 0 && *b->at != ',') {
    if (!take_time(b, 25, &west)) return false;
    out->dst = -west;
  }
  return take_date(b, &out->start) && take_date(b, &out->end) && b->left == 0;
}

skep_status skep_tz_rule_parse(const char *text, size_t length, skep_tz_rule *out, skep_err *err) {
  skep_bytes b = skep_bytes_of(text, length);
  char quoted[64];
  *out = (skep_tz_rule){0};
  if (!take_rule(&b, out))
    return skep_fail(err, SKEP_ERR_CORRUPT, "time zone rule \"%s\"", skep_quote(quoted, sizeof quoted, text, length));
  out->is_given = true;
  return SKEP_OK;
}

/* ---- the rule in a year ---- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static bool is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int64_t skep_tz_days_to(int64_t year) {
  int64_t y = year - 1;
  return y * 365 + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400) -
         719162; /* 719162: from 0001-01-01 to 1970-01-01 */
}

int64_t skep_tz_year_of(int64_t days) {
  int64_t year = floor_div((days + 719162) * 400, 146097) + 1; /* at most one off */
  while (skep_tz_days_to(year) > days) year--;
  while (skep_tz_days_to(year + 1) <= days) year++;
  return year;
}

/* Local seconds since 1970 of a date in a year. */
static int64_t date_in_year(const skep_tz_date *d, int64_t year) {
  static const int32_t before_month[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  int64_t january = skep_tz_days_to(year), day = january + d->day;
  if (d->kind == SKEP_TZ_JULIAN) day = january + d->day - 1 + (is_leap(year) && d->day >= 60);
  if (d->kind == SKEP_TZ_MONTH_WEEK) {
    int64_t first = january + before_month[d->month - 1] + (is_leap(year) && d->month > 2);
    int64_t next_first = january + before_month[d->month] + (is_leap(year) && d->month >= 2);
    int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
    day = first + (d->weekday - weekday + 7) % 7 + 7 * (d->week - 1);
    while (day >= next_first) day -= 7; /* the fifth may be the fourth */
  }
  return day * DAY + d->seconds;
}

size_t skep_tz_rule_year(const skep_tz_rule *rule, int64_t year, skep_tz_change out[2]) {
  if (!rule->has_dst) return 0;
  skep_tz_change start = {date_in_year(&rule->start, year) - rule->standard, rule->dst};
  skep_tz_change end = {date_in_year(&rule->end, year) - rule->dst, rule->standard};
  bool start_first = start.at < end.at;
  out[0] = start_first ? start : end;
  out[1] = start_first ? end : start;
  return 2;
}

/* Offsets of a time zone as Java's java.util.TimeZone gives them, since Java wrote (and reads) most ORC timestamps.
 *
 * Java's table (sun.util.calendar.ZoneInfo) differs from the zone file's in these points:
 *   - before 1900-01-01T00:00Z it knows nothing and uses today's standard offset, not local mean time;
 *   - from 1900 to the first transition after it: the offset of the file, local mean time included;
 *   - after 2037 it has only rules of every year, no list of changes (Morocco);
 *   - a wall clock time that exists twice is the second of the two instants (standard time in autumn); one that does
 * not exist is read with the offset before the gap. A zone without a transition since 1900 has its standard offset at
 * all times. */
#include "orc/timezone.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "io/posix.h"
#include "orc/tzfile.h"

enum { MAX_FILE_BYTES = 1 << 20, MAX_NAME = 64, DAY = 86400 };

static const int64_t year_1900 = -2208988800; /* seconds since 1970 */
static const int64_t year_2037 = 2114380800, year_2038 = 2145916800;
static const int64_t cycle = INT64_C(146097) * DAY; /* 400 years: the rule repeats */
static const int64_t far = INT64_C(1) << 60;        /* beyond any timestamp: arithmetic stays within 64 bits */

struct skep_timezone {
  const skep_ctx *ctx;
  int32_t initial; /* before changes[0] */
  size_t n;
  skep_tz_change *changes; /* owned; starts at 1900 */
  skep_tz_rule rule;       /* from the last change on */
  bool is_utc;
};

/* ---- lookup ---- */

/* When a change takes effect, in instants or in wall clock time (as Java compares them: by the offset that follows). */
static int64_t effective(skep_tz_change c, bool wall) { return wall ? c.at + c.offset : c.at; }

/* Between the rule's changes around t. `low`: the range starts no earlier. */
static skep_timezone_range rule_range(const skep_timezone *zone, int64_t t, bool wall, int64_t low) {
  int64_t shift = (t / cycle - (t % cycle < 0)) * cycle; /* whole cycles down to 1970..2369 */
  int64_t year = skep_tz_year_of((t - shift) / DAY);
  skep_timezone_range r = {low, INT64_MAX, zone->rule.standard};
  for (int64_t y = year - 1; y <= year + 1; y++) {
    skep_tz_change two[2];
    size_t n = skep_tz_rule_year(&zone->rule, y, two);
    for (size_t i = 0; i < n; i++) {
      int64_t at = effective(two[i], wall) + shift;
      if (at > t) {
        r.until = at;
        return r;
      }
      if (at > low) r.from = at;
      r.offset = two[i].offset;
    }
  }
  return r;
}

static skep_timezone_range range_at(const skep_timezone *zone, int64_t t, bool wall) {
  if (t < -far) t = -far;
  if (t > far) t = far;
  size_t low = 0, high = zone->n; /* changes before `low` are in effect, those from `high` on are not */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (effective(zone->changes[middle], wall) <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int64_t from = low == 0 ? INT64_MIN : effective(zone->changes[low - 1], wall);
  if (low < zone->n)
    return (skep_timezone_range){from, effective(zone->changes[low], wall),
                                 low == 0 ? zone->initial : zone->changes[low - 1].offset};
  if (zone->rule.has_dst) return rule_range(zone, t, wall, from);
  return (skep_timezone_range){from, INT64_MAX, low == 0 ? zone->initial : zone->changes[low - 1].offset};
}

skep_timezone_range skep_timezone_range_utc(const skep_timezone *zone, int64_t utc_seconds) {
  return range_at(zone, utc_seconds, false);
}

skep_timezone_range skep_timezone_range_local(const skep_timezone *zone, int64_t local_seconds) {
  return range_at(zone, local_seconds, true);
}

int32_t skep_timezone_offset(const skep_timezone *zone, int64_t utc_seconds) {
  return range_at(zone, utc_seconds, false).offset;
}

int32_t skep_timezone_offset_local(const skep_timezone *zone, int64_t local_seconds) {
  return range_at(zone, local_seconds, true).offset;
}

bool skep_timezone_is_utc(const skep_timezone *zone) { return zone->is_utc; }

/* ---- building ---- */

void skep_timezone_free(skep_timezone *zone) {
  if (zone == NULL) return;
  skep_release(zone->ctx, zone->changes);
  skep_release(zone->ctx, zone);
}

/* What Java calls the raw offset. Where summer is the standard time (Dublin, or Morocco, whose changes are listed for
 * decades to come), Java still takes winter's: the lower. */
static int32_t standard_offset(const skep_tz_data *data) {
  if (!data->rule.is_given) return data->n == 0 ? data->initial : data->changes[data->n - 1].offset;
  int32_t offset = data->rule.standard;
  if (data->rule.has_dst) return data->rule.dst < offset ? data->rule.dst : offset;
  for (size_t i = data->n; i > 0 && data->changes[i - 1].at >= year_2037; i--)
    if (data->changes[i - 1].offset < offset) offset = data->changes[i - 1].offset;
  return offset;
}

/* Cuts the file's changes to Java's table, in place: from 1900 to 2037 (a rule goes on), without those that change
 * nothing. The one at 1900 replaces at least one dropped change or sits in front (the array has a spare place). */
static void to_java_table(skep_timezone *zone, const skep_tz_data *data) {
  int32_t before = data->initial;
  size_t i = 0, n = 0, end = data->n;
  skep_tz_change *c = data->changes;
  while (data->rule.is_given && end > 0 && c[end - 1].at >= year_2038) end--;
  while (i < end && c[i].at < year_1900) before = c[i++].offset;
  int32_t in_1900 = before;
  size_t kept = 0;
  for (size_t k = i; k < end; k++) {
    bool changes = c[k].offset != before;
    before = c[k].offset;
    if (changes) c[i + kept++] = c[k];
  }
  zone->rule = data->rule;
  zone->initial = standard_offset(data);
  zone->changes = c;
  if (kept == 0) return;
  if (c[i].at != year_1900) n = 1;
  memmove(c + n, c + i, kept * sizeof *c);
  if (n == 1) c[0] = (skep_tz_change){year_1900, in_1900};
  zone->n = n + kept;
}

static bool is_always_utc(const skep_timezone *zone) {
  return zone->n == 0 && zone->initial == 0 && !zone->rule.has_dst;
}

skep_status skep_timezone_parse(const skep_ctx *ctx, const uint8_t *bytes, size_t size, skep_timezone **out,
                                skep_err *err) {
  skep_tz_data data;
  *out = NULL;
  SKEP_TRY(skep_tz_file_parse(ctx, bytes, size, &data, err));
  skep_timezone *zone = skep_alloc_zero(ctx, 1, sizeof *zone);
  if (zone == NULL) {
    skep_release(ctx, data.changes);
    return skep_fail(err, SKEP_ERR_NOMEM, "time zone");
  }
  zone->ctx = ctx;
  to_java_table(zone, &data);
  zone->is_utc = is_always_utc(zone);
  *out = zone;
  return SKEP_OK;
}

static skep_status fixed_zone(const skep_ctx *ctx, int32_t offset, skep_timezone **out, skep_err *err) {
  skep_timezone *zone = skep_alloc_zero(ctx, 1, sizeof *zone);
  if (zone == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "time zone");
  zone->ctx = ctx;
  zone->initial = offset;
  zone->is_utc = offset == 0;
  *out = zone;
  return SKEP_OK;
}

/* ---- names ---- */

/* Ids that Java knows beside the zone database. Source: java.time.ZoneId.SHORT_IDS; "SystemV" in old releases (its ids
 * with daylight saving time have rules of their own, which no zone file holds: they are refused). */
static const struct {
  const char *id, *zone;
} aliases[] = {{"ACT", "Australia/Darwin"},
               {"AET", "Australia/Sydney"},
               {"AGT", "America/Argentina/Buenos_Aires"},
               {"ART", "Africa/Cairo"},
               {"AST", "America/Anchorage"},
               {"BET", "America/Sao_Paulo"},
               {"BST", "Asia/Dhaka"},
               {"CAT", "Africa/Harare"},
               {"CNT", "America/St_Johns"},
               {"CST", "America/Chicago"},
               {"CTT", "Asia/Shanghai"},
               {"EAT", "Africa/Addis_Ababa"},
               {"ECT", "Europe/Paris"},
               {"EST", "-05:00"},
               {"HST", "-10:00"},
               {"IET", "America/Indiana/Indianapolis"},
               {"IST", "Asia/Kolkata"},
               {"JST", "Asia/Tokyo"},
               {"MIT", "Pacific/Apia"},
               {"MST", "-07:00"},
               {"NET", "Asia/Yerevan"},
               {"NST", "Pacific/Auckland"},
               {"PLT", "Asia/Karachi"},
               {"PNT", "America/Phoenix"},
               {"PRT", "America/Puerto_Rico"},
               {"PST", "America/Los_Angeles"},
               {"SST", "Pacific/Guadalcanal"},
               {"VST", "Asia/Ho_Chi_Minh"},
               {"US/Pacific-New", "America/Los_Angeles"}, /* in zone files until 2020 */
               {"SystemV/AST4", "-04:00"},
               {"SystemV/CST6", "-06:00"},
               {"SystemV/EST5", "-05:00"},
               {"SystemV/HST10", "-10:00"},
               {"SystemV/MST7", "-07:00"},
               {"SystemV/PST8", "-08:00"},
               {"SystemV/YST9", "-09:00"}};

static const char *without_alias(const char *name) {
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
    if (strcmp(aliases[i].id, name) == 0) return aliases[i].zone;
  }
  return name;
}

/* Two digits, or one when `min` is 1; false beyond max. */
static bool digits(const char **p, size_t min, int32_t max, int32_t *out) {
  size_t n = 0;
  *out = 0;
  while (n < 2 && (*p)[n] >= '0' && (*p)[n] <= '9') *out = *out * 10 + ((*p)[n++] - '0');
  *p += n;
  return n >= min && *out <= max;
}

/* [GMT|UTC|UT] sign h[h][[:]mm[[:]ss]]: Java's custom ids and those of java.time. */
static bool fixed_offset(const char *name, int32_t *out) {
  static const char *const prefixes[] = {"GMT", "UTC", "UT"};
  const char *p = name;
  int32_t hours, minutes = 0, seconds = 0;
  for (size_t i = 0; i < 3; i++) {
    size_t n = strlen(prefixes[i]);
    if (strncmp(name, prefixes[i], n) != 0) continue;
    p = name + n;
    break;
  }
  *out = 0;
  if (strcmp(name, "Z") == 0 || (*p == '\0' && p != name)) return true;
  if (*p != '+' && *p != '-') return false;
  bool west = *p++ == '-';
  if (!digits(&p, 1, 23, &hours)) return false;
  if (*p == ':') p++;
  if (*p != '\0' && !digits(&p, 2, 59, &minutes)) return false;
  if (*p == ':') p++;
  if (*p != '\0' && !digits(&p, 2, 59, &seconds)) return false;
  if (*p != '\0' || p[-1] == ':') return false;
  *out = hours * 3600 + minutes * 60 + seconds;
  if (west) *out = -*out;
  return true;
}

/* A name that may be put behind a directory: parts of letters, digits, '_', '-', '+', starting with a letter, joined by
 * '/'. */
static bool is_zone_name(const char *name, size_t length) {
  bool starts_part = true;
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool inner = (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+';
    if (starts_part ? !letter : !letter && !inner && c != '/') return false;
    starts_part = c == '/';
  }
  return length > 0 && !starts_part;
}

static skep_status load_file(const skep_ctx *ctx, skep_file *file, skep_timezone **out, skep_err *err) {
  size_t size = (size_t)file->size_bytes;
  if (file->size_bytes > MAX_FILE_BYTES)
    return skep_fail(err, SKEP_ERR_LIMIT, "time zone file of %llu bytes", (unsigned long long)file->size_bytes);
  uint8_t *bytes = skep_alloc(ctx, size);
  if (bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "time zone file of %zu bytes", size);
  skep_status status = skep_file_read_at(file, 0, bytes, size, err);
  if (status == SKEP_OK) status = skep_timezone_parse(ctx, bytes, size, out, err);
  skep_release(ctx, bytes);
  return status;
}

/* The first directory that has the zone. */
static skep_status open_in(const skep_ctx *ctx, skep_fs *fs, const char *zone, skep_timezone **out, skep_err *err) {
  static const char *const dirs[] = {"/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo",
                                     "/etc/zoneinfo"};
  for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
    char path[MAX_NAME + 64];
    skep_file *file;
    (void)snprintf(path, sizeof path, "%s/%s", dirs[i], zone);
    skep_status status = skep_fs_open_read(fs, path, &file, NULL);
    if (status == SKEP_ERR_NOT_FOUND || status == SKEP_ERR_ARGUMENT) continue; /* ARGUMENT: a directory, "America" */
    if (status != SKEP_OK) return skep_fail(err, status, "time zone file %s cannot be opened", path);
    status = load_file(ctx, file, out, err);
    (void)skep_file_close(file, NULL);
    return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "%s", path);
  }
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "time zone \"%s\" is not in %s (package tzdata)", zone, dirs[0]);
}

skep_status skep_timezone_open(const skep_ctx *ctx, const char *name, size_t length, skep_timezone **out,
                               skep_err *err) {
  char text[MAX_NAME + 1] = "", quoted[128];
  int32_t offset;
  skep_fs *fs;
  *out = NULL;
  bool is_text = length <= MAX_NAME && memchr(name, '\0', length) == NULL;
  if (is_text && length != 0) memcpy(text, name, length);
  const char *zone = without_alias(text);
  if (is_text && fixed_offset(zone, &offset)) return fixed_zone(ctx, offset, out, err);
  if (!is_text || !is_zone_name(zone, strlen(zone)))
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "time zone \"%s\" is not a name of one",
                     skep_quote(quoted, sizeof quoted, name, length));
  SKEP_TRY(skep_fs_posix_new(ctx, &fs, err));
  skep_status status = open_in(ctx, fs, zone, out, err);
  skep_fs_free(fs);
  return status;
}

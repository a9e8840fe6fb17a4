/* Texts of TIMESTAMP WITH LOCAL TIME ZONE. Source: Hive 4.0.1, seen; its TimestampTZUtil. */
#include "base/err.h"
#include "column/text.h"
#include "table/lazy_int.h"

void lazy_zones_fini(lazy_zones *zones) {
  skep_timezone_free(zones->zone);
  *zones = (lazy_zones){0};
}

/* Splits "date[ time][ zone]". False: no date. */
static bool split(skep_bytes text, skep_bytes *wall, skep_bytes *zone) {
  size_t at = 0;
  while (at < text.left && text.at[at] != ' ' && text.at[at] != 'T') at++;
  if (at < text.left && at + 1 < text.left && text.at[at + 1] >= '0' && text.at[at + 1] <= '9') { /* a time */
    at++;
    while (at < text.left && ((text.at[at] >= '0' && text.at[at] <= '9') || text.at[at] == ':' || text.at[at] == '.'))
      at++;
  }
  *wall = skep_bytes_of(text.at, at);
  *zone = skep_text_trim(skep_bytes_of(text.at + at, text.left - at));
  return at != 0;
}

static skep_status find_zone(lazy_zones *zones, const skep_ctx *ctx, skep_bytes name, bool *good, skep_err *err) {
  *good = name.left < sizeof zones->name;
  if (!*good) return SKEP_OK;
  if (zones->zone != NULL && strlen(zones->name) == name.left && memcmp(zones->name, name.at, name.left) == 0)
    return SKEP_OK;
  lazy_zones_fini(zones);
  skep_err why;
  skep_status st = skep_timezone_open(ctx, (const char *)name.at, name.left, &zones->zone, &why);
  *good = st == SKEP_OK;
  if (st == SKEP_ERR_NOMEM) return skep_fail(err, st, "%s", why.text);
  if (*good && name.left != 0) memcpy(zones->name, name.at, name.left);
  return SKEP_OK;
}

skep_status lazy_parse_instant(lazy_zones *zones, const skep_ctx *ctx, skep_bytes text, skep_ts *out, bool *good,
                               skep_err *err) {
  skep_bytes wall, zone;
  text = skep_text_trim(text);
  *good = split(text, &wall, &zone) && skep_parse_ts(wall, out);
  if (!*good || zone.left == 0 || (zone.left == 3 && memcmp(zone.at, "UTC", 3) == 0)) return SKEP_OK;
  SKEP_TRY(find_zone(zones, ctx, zone, good, err));
  if (*good) out->seconds -= skep_timezone_offset_local(zones->zone, out->seconds);
  return SKEP_OK;
}

/* Configuration under Hive's property names: a small table of defaults, hive-site.xml, and values set by hand.
 *
 * Names are case-sensitive, as in Hive. Any name may be set and read back; the ones Skep knows have defaults
 * (skep_config_known). One thread at a time while it is changed; afterwards many may read. */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/ctx.h"

/* Bounds on what comes from outside; beyond one is SKEP_ERR_LIMIT. */
enum {
  SKEP_CONFIG_MAX_XML_BYTES = 16 << 20,
  SKEP_CONFIG_MAX_NAME_BYTES = 1024,
  SKEP_CONFIG_MAX_VALUE_BYTES = 1 << 20,
  SKEP_CONFIG_MAX_PROPERTIES = 10000
};

typedef struct skep_config skep_config;

/* How the value of a known property is read, and the unit of a bare number. */
typedef enum skep_config_kind {
  SKEP_CONFIG_TEXT,
  SKEP_CONFIG_BOOL,
  SKEP_CONFIG_INT,
  SKEP_CONFIG_BYTES,
  SKEP_CONFIG_SECONDS,
  SKEP_CONFIG_MILLIS
} skep_config_kind;

typedef struct skep_config_property {
  const char *name;
  const char *value; /* the default, spelled as Hive spells it */
  skep_config_kind kind;
  const char *meaning;
} skep_config_property;

/* The properties Skep knows, sorted by name. *n is set to their number. */
const skep_config_property *skep_config_known(size_t *n);

SKEP_NODISCARD skep_status skep_config_new(const skep_ctx *ctx, skep_config **out, skep_err *err);
void skep_config_free(skep_config *config); /* accepts NULL */

/* Sets a property, over its default and any earlier value. A value that the kind of a known property does not allow is
 * SKEP_ERR_ARGUMENT and changes nothing. A property that hive-site.xml declared final stays: SKEP_ERR_ARGUMENT too. */
SKEP_NODISCARD skep_status skep_config_set(skep_config *config, const char *name, const char *value, skep_err *err);

/* Forgets what was set: the default holds again. A name that is not set, or is final, is left alone. */
void skep_config_unset(skep_config *config, const char *name);

/* A copy of all that is set, what is final included. */
SKEP_NODISCARD skep_status skep_config_copy(const skep_config *config, skep_config **out, skep_err *err);

/* The set value, else the default, else NULL. Borrowed until the property is set again. */
const char *skep_config_get(const skep_config *config, const char *name);

/* Reads a hive-site.xml: <configuration> with <property> of <name>, <value> and perhaps <final>, as Hadoop's
 * Configuration does: names are trimmed, values kept as they are, the last one of a name wins, unknown elements are
 * ignored, a property that an earlier file declared final is kept. ${variables} are not expanded.
 *
 * SKEP_ERR_CORRUPT      not well-formed, no <configuration>, or a known property has an impossible value; with the line
 * SKEP_ERR_UNSUPPORTED  entity declarations and <xi:include>: a configuration that needs them is refused, not half read
 * SKEP_ERR_LIMIT        see above
 * After a failure the properties before the fault are set. */
SKEP_NODISCARD skep_status skep_config_read_xml(skep_config *config, const void *bytes, size_t size, skep_err *err);

/* Every set property (defaults not), sorted by name. A status other than SKEP_OK ends it and is passed on. */
typedef skep_status skep_config_visitor(void *self, const char *name, const char *value, skep_err *err);
SKEP_NODISCARD skep_status skep_config_each(const skep_config *config, skep_config_visitor *visit, void *self,
                                            skep_err *err);

/* Typed values. SKEP_ERR_NOT_FOUND: neither set nor known. SKEP_ERR_ARGUMENT: the text is no such value; the message
 * names property and value. Blanks around a value are ignored. */
SKEP_NODISCARD skep_status skep_config_bool(const skep_config *config, const char *name, bool *out, skep_err *err);
SKEP_NODISCARD skep_status skep_config_int(const skep_config *config, const char *name, int64_t *out, skep_err *err);
/* "128", "64kb", "256mb", also Hadoop's one-letter "64m". */
SKEP_NODISCARD skep_status skep_config_bytes(const skep_config *config, const char *name, uint64_t *out, skep_err *err);
/* "300s", "5m", "500ms"; a bare number has the property's unit (seconds for one that is not known). Milliseconds,
 * smaller units truncated. */
SKEP_NODISCARD skep_status skep_config_ms(const skep_config *config, const char *name, int64_t *out, skep_err *err);

/* The value parsers, for other texts of the same spelling. False: not such a value.
 * Source: Apache Hive 4.0 HiveConf.toTime, toSizeBytes: digits with an optional sign, then a unit; time units d or
 * day*, h or hour*, m or min*, s or sec*, ms or msec*, us or usec*, ns or nsec*; "" and "l" mean the default. */
bool skep_parse_bool(const char *text, bool *out);
bool skep_parse_int(const char *text, int64_t *out);
bool skep_parse_bytes(const char *text, uint64_t *out);
bool skep_parse_ms(const char *text, int64_t bare_unit_ns, int64_t *out);

#endif

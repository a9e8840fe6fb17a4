/* The set of properties: a sorted array over a table of defaults. Reading hive-site.xml is in config_xml.c. */
#include "base/config.h"

#include <string.h>

#include "base/config_int.h"

/* Defaults and kinds. Source: Apache Hive 4.0.1 HiveConf.java, Apache ORC OrcConf.java. Sorted by name; append what a
 * layer starts to read, with its reader. */
static const skep_config_property known[] = {
    {"hive.acid.lockless.reads.enabled", "false", SKEP_CONFIG_BOOL, "reading takes no locks"},
    {"hive.compactor.aborted.txn.time.threshold", "12h", SKEP_CONFIG_SECONDS,
     "age at which aborted writes are cleaned by themselves"},
    {"hive.compactor.abortedtxn.threshold", "1000", SKEP_CONFIG_INT, "number at which they are"},
    {"hive.compactor.check.interval", "300s", SKEP_CONFIG_SECONDS, "pause between two rounds of the initiator"},
    {"hive.compactor.cleaner.retention.time.seconds", "300s", SKEP_CONFIG_SECONDS, "how long delayed cleanup waits"},
    {"hive.compactor.cleaner.run.interval", "5000ms", SKEP_CONFIG_MILLIS, "pause between two rounds of the cleaner"},
    {"hive.compactor.crud.query.based", "false", SKEP_CONFIG_BOOL,
     "names of results as the query-based compactor forms them"},
    {"hive.compactor.delayed.cleanup.enabled", "false", SKEP_CONFIG_BOOL, "the cleaner waits after a compaction"},
    {"hive.compactor.delta.num.threshold", "10", SKEP_CONFIG_INT, "deltas that ask for a minor compaction"},
    {"hive.compactor.delta.pct.threshold", "0.1", SKEP_CONFIG_TEXT,
     "part of the base from which on deltas ask for a major compaction"},
    {"hive.compactor.wait.timeout", "300000ms", SKEP_CONFIG_MILLIS, "how long COMPACT ... AND WAIT waits"},
    {"hive.compactor.worker.timeout", "86400s", SKEP_CONFIG_SECONDS, "after which a worker of Hive counts as dead"},
    {"hive.default.nulls.last", "true", SKEP_CONFIG_BOOL, "ORDER BY x puts NULLs last when it does not say"},
    {"hive.exec.default.partition.name", "__HIVE_DEFAULT_PARTITION__", SKEP_CONFIG_TEXT,
     "directory value that stands for NULL"},
    {"hive.exec.dynamic.partition", "true", SKEP_CONFIG_BOOL,
     "taken and not asked for, as in Hive 4: partition values come from rows"},
    {"hive.exec.dynamic.partition.mode", "nonstrict", SKEP_CONFIG_TEXT, "strict: one partition key must be static"},
    {"hive.exec.max.dynamic.partitions", "1000", SKEP_CONFIG_INT, "partitions that one INSERT may write"},
    {"hive.exec.orc.default.stripe.size", "67108864", SKEP_CONFIG_BYTES, "stripe size of new ORC files"},
    {"hive.groupby.position.alias", "false", SKEP_CONFIG_BOOL, "GROUP BY 1 means the first column"},
    {"hive.local.time.zone", "LOCAL", SKEP_CONFIG_TEXT, "zone of TIMESTAMP WITH LOCAL TIME ZONE"},
    {"hive.merge.cardinality.check", "true", SKEP_CONFIG_BOOL, "MERGE fails when rows of the source meet in one row"},
    {"hive.metastore.warehouse.dir", "/user/hive/warehouse", SKEP_CONFIG_TEXT, "where managed tables live"},
    {"hive.optimize.delete.all", "true", SKEP_CONFIG_BOOL, "DELETE without WHERE truncates"},
    {"hive.orderby.position.alias", "true", SKEP_CONFIG_BOOL, "ORDER BY 1 means the first column"},
    {"hive.strict.checks.type.safety", "true", SKEP_CONFIG_BOOL,
     "comparing bigints with strings or doubles is refused"},
    {"hive.strict.timestamp.conversion", "true", SKEP_CONFIG_BOOL, "numbers are no timestamps"},
    {"hive.support.quoted.identifiers", "column", SKEP_CONFIG_TEXT, "what back-quotes and double quotes mean"},
    {"hive.txn.timeout", "300s", SKEP_CONFIG_SECONDS, "a transaction without a heartbeat for so long is aborted"},
    {"hive.txn.xlock.ctas", "true", SKEP_CONFIG_BOOL, "CREATE TABLE AS locks its table"},
    {"hive.txn.xlock.iow", "true", SKEP_CONFIG_BOOL, "INSERT OVERWRITE excludes readers"},
    {"hive.txn.xlock.mergeinsert", "false", SKEP_CONFIG_BOOL, "the INSERT of a MERGE excludes other writers"},
    {"hive.txn.xlock.write", "true", SKEP_CONFIG_BOOL,
     "UPDATE and DELETE exclude each other; false: the commit decides"},
    {"hive.variable.substitute", "true", SKEP_CONFIG_BOOL, "${variables} in statements are replaced"},
    {"orc.proleptic.gregorian.default", "false", SKEP_CONFIG_BOOL, "calendar of ORC files that do not say theirs"},
    {"skep.compactor.incremental", "false", SKEP_CONFIG_BOOL, "the initiator asks for merges of some neighbours"},
    {"skep.compactor.max.mb.per.sec", "0", SKEP_CONFIG_INT, "how fast a worker may write; 0: no limit"},
    {"skep.compactor.reserve.mb", "64", SKEP_CONFIG_INT, "free space that a compaction leaves over"},
    {"skep.compactor.window", "", SKEP_CONFIG_TEXT, "hours of the day for compactions, as 22:00-06:00; empty: all"},
    {"skep.conflict.granularity", "partition", SKEP_CONFIG_TEXT,
     "row: two changes of one partition conflict only in the same row"},
    {"skep.conflict.retries", "0", SKEP_CONFIG_INT, "how often a statement is run again after a conflict"},
    {"skep.housekeeper.on", "true", SKEP_CONFIG_BOOL, "sessions end dead transactions and clean the metastore"},
    {"skep.lock.zerowait.read", "false", SKEP_CONFIG_BOOL, "a reader fails at once instead of waiting for a lock"},
    {"skep.txn.stall.action", "report", SKEP_CONFIG_TEXT, "abort: the housekeeper ends transactions that stand still"},
    {"skep.txn.stall.timeout", "0s", SKEP_CONFIG_SECONDS,
     "a transaction that lives and does nothing for so long; 0: never"},
    {"skep.write.memory", "536870912", SKEP_CONFIG_BYTES,
     "memory of a statement's writers; deleted rows spill beyond half"},
};

typedef struct property {
  char *name, *value;
  bool final;
} property;

struct skep_config {
  const skep_ctx *ctx;
  property *properties; /* sorted by name */
  size_t n, capacity;
};

const skep_config_property *skep_config_known(size_t *n) {
  *n = sizeof known / sizeof *known;
  return known;
}

static const skep_config_property *find_known(const char *name) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i].name, name) == 0) return &known[i];
  }
  return NULL;
}

/* Where the name is, or where it would be inserted. */
static size_t position(const skep_config *config, const char *name, bool *found) {
  size_t low = 0, high = config->n;
  *found = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(config->properties[middle].name, name);
    if (order == 0) *found = true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

skep_status skep_config_new(const skep_ctx *ctx, skep_config **out, skep_err *err) {
  *out = skep_alloc_zero(ctx, 1, sizeof **out);
  if (*out == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a configuration");
  (*out)->ctx = ctx;
  return SKEP_OK;
}

void skep_config_free(skep_config *config) {
  if (config == NULL) return;
  for (size_t i = 0; i < config->n; i++) {
    skep_release(config->ctx, config->properties[i].name);
    skep_release(config->ctx, config->properties[i].value);
  }
  skep_release(config->ctx, config->properties);
  skep_release(config->ctx, config);
}

/* --- kinds --- */

/* Nanoseconds that a bare number of this kind counts. */
static int64_t bare_unit_ns(skep_config_kind kind) { return kind == SKEP_CONFIG_MILLIS ? 1000000 : 1000000000; }

static bool fits_kind(skep_config_kind kind, const char *value) {
  int64_t number;
  uint64_t size;
  bool yes;
  switch (kind) {
    case SKEP_CONFIG_TEXT:
      return true;
    case SKEP_CONFIG_BOOL:
      return skep_parse_bool(value, &yes);
    case SKEP_CONFIG_INT:
      return skep_parse_int(value, &number);
    case SKEP_CONFIG_BYTES:
      return skep_parse_bytes(value, &size);
    case SKEP_CONFIG_SECONDS:
    case SKEP_CONFIG_MILLIS:
      return skep_parse_ms(value, bare_unit_ns(kind), &number);
  }
  return false;
}

static const char *kind_name(skep_config_kind kind) {
  switch (kind) {
    case SKEP_CONFIG_TEXT:
      return "a text";
    case SKEP_CONFIG_BOOL:
      return "true or false";
    case SKEP_CONFIG_INT:
      return "an integer";
    case SKEP_CONFIG_BYTES:
      return "a size such as 1024, 64kb or 256mb";
    case SKEP_CONFIG_SECONDS:
      return "a time such as 300s, 5m or a number of seconds";
    case SKEP_CONFIG_MILLIS:
      return "a time such as 300s, 5m or a number of milliseconds";
  }
  return "valid";
}

static skep_status bad_value(const char *name, const char *value, skep_config_kind kind, skep_err *err) {
  char quoted_name[200], quoted_value[200];
  return skep_fail(err, SKEP_ERR_ARGUMENT, "property %s: '%s' is not %s",
                   skep_quote(quoted_name, sizeof quoted_name, name, strlen(name)),
                   skep_quote(quoted_value, sizeof quoted_value, value, strlen(value)), kind_name(kind));
}

/* --- set and get --- */

static skep_status insert(skep_config *config, size_t at, const char *name, char *value, skep_err *err) {
  if (config->n >= SKEP_CONFIG_MAX_PROPERTIES) {
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d properties", SKEP_CONFIG_MAX_PROPERTIES);
  }
  void *grown = config->properties;
  SKEP_TRY(skep_grow(config->ctx, &grown, &config->capacity, config->n + 1, sizeof *config->properties, err));
  config->properties = grown;
  char *own_name = skep_strndup(config->ctx, name, strlen(name));
  if (own_name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a property");
  property *slot = config->properties + at;
  memmove(slot + 1, slot, (config->n - at) * sizeof *slot);
  *slot = (property){.name = own_name, .value = value};
  config->n++;
  return SKEP_OK;
}

static skep_status check_lengths(const char *name, const char *value, skep_err *err) {
  if (name[0] == '\0') return skep_fail(err, SKEP_ERR_ARGUMENT, "a property without a name");
  if (strnlen(name, SKEP_CONFIG_MAX_NAME_BYTES + 1) > SKEP_CONFIG_MAX_NAME_BYTES) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a property's name is longer than %d bytes", SKEP_CONFIG_MAX_NAME_BYTES);
  }
  if (strnlen(value, SKEP_CONFIG_MAX_VALUE_BYTES + 1) > SKEP_CONFIG_MAX_VALUE_BYTES) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a property's value is longer than %d bytes", SKEP_CONFIG_MAX_VALUE_BYTES);
  }
  return SKEP_OK;
}

static skep_status set_property(skep_config *config, const char *name, const char *value, bool final, skep_err *err) {
  SKEP_TRY(check_lengths(name, value, err));
  const skep_config_property *k = find_known(name);
  if (k != NULL && !fits_kind(k->kind, value)) return bad_value(name, value, k->kind, err);
  bool found;
  size_t at = position(config, name, &found);
  if (found && config->properties[at].final) {
    char quoted[200];
    return skep_fail(err, SKEP_ERR_ARGUMENT, "property %s is final",
                     skep_quote(quoted, sizeof quoted, name, strlen(name)));
  }
  char *own_value = skep_strndup(config->ctx, value, strlen(value));
  if (own_value == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a property");
  if (!found) {
    skep_status status = insert(config, at, name, own_value, err);
    if (status != SKEP_OK) {
      skep_release(config->ctx, own_value);
      return status;
    }
  } else {
    skep_release(config->ctx, config->properties[at].value);
    config->properties[at].value = own_value;
  }
  config->properties[at].final = final;
  return SKEP_OK;
}

skep_status skep_config_set(skep_config *config, const char *name, const char *value, skep_err *err) {
  return set_property(config, name, value, false, err);
}

skep_status skep_config_set_from_file(skep_config *config, const char *name, const char *value, bool final,
                                      skep_err *err) {
  bool found;
  size_t at = position(config, name, &found);
  if (found && config->properties[at].final) return SKEP_OK;
  return set_property(config, name, value, final, err);
}

void skep_config_unset(skep_config *config, const char *name) {
  bool found;
  size_t at = position(config, name, &found);
  if (!found || config->properties[at].final) return;
  skep_release(config->ctx, config->properties[at].name);
  skep_release(config->ctx, config->properties[at].value);
  config->n--;
  memmove(config->properties + at, config->properties + at + 1, (config->n - at) * sizeof *config->properties);
}

skep_status skep_config_copy(const skep_config *config, skep_config **out, skep_err *err) {
  skep_config *copy;
  *out = NULL;
  SKEP_TRY(skep_config_new(config->ctx, &copy, err));
  for (size_t i = 0; i < config->n; i++) {
    const property *p = &config->properties[i];
    skep_status status = set_property(copy, p->name, p->value, p->final, err);
    if (status != SKEP_OK) {
      skep_config_free(copy);
      return status;
    }
  }
  *out = copy;
  return SKEP_OK;
}

const skep_ctx *skep_config_ctx(const skep_config *config) { return config->ctx; }

const char *skep_config_get(const skep_config *config, const char *name) {
  bool found;
  size_t at = position(config, name, &found);
  if (found) return config->properties[at].value;
  const skep_config_property *k = find_known(name);
  return k == NULL ? NULL : k->value;
}

skep_status skep_config_each(const skep_config *config, skep_config_visitor *visit, void *self, skep_err *err) {
  for (size_t i = 0; i < config->n; i++) {
    SKEP_TRY(visit(self, config->properties[i].name, config->properties[i].value, err));
  }
  return SKEP_OK;
}

/* --- typed values --- */

static skep_status need(const skep_config *config, const char *name, const char **value, skep_err *err) {
  *value = skep_config_get(config, name);
  if (*value != NULL) return SKEP_OK;
  char quoted[200];
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "property %s is not set",
                   skep_quote(quoted, sizeof quoted, name, strlen(name)));
}

skep_status skep_config_bool(const skep_config *config, const char *name, bool *out, skep_err *err) {
  const char *value;
  *out = false;
  SKEP_TRY(need(config, name, &value, err));
  return skep_parse_bool(value, out) ? SKEP_OK : bad_value(name, value, SKEP_CONFIG_BOOL, err);
}

skep_status skep_config_int(const skep_config *config, const char *name, int64_t *out, skep_err *err) {
  const char *value;
  *out = 0;
  SKEP_TRY(need(config, name, &value, err));
  return skep_parse_int(value, out) ? SKEP_OK : bad_value(name, value, SKEP_CONFIG_INT, err);
}

skep_status skep_config_bytes(const skep_config *config, const char *name, uint64_t *out, skep_err *err) {
  const char *value;
  *out = 0;
  SKEP_TRY(need(config, name, &value, err));
  return skep_parse_bytes(value, out) ? SKEP_OK : bad_value(name, value, SKEP_CONFIG_BYTES, err);
}

skep_status skep_config_ms(const skep_config *config, const char *name, int64_t *out, skep_err *err) {
  const char *value;
  *out = 0;
  SKEP_TRY(need(config, name, &value, err));
  const skep_config_property *k = find_known(name);
  skep_config_kind kind = k != NULL && k->kind == SKEP_CONFIG_MILLIS ? SKEP_CONFIG_MILLIS : SKEP_CONFIG_SECONDS;
  return skep_parse_ms(value, bare_unit_ns(kind), out) ? SKEP_OK : bad_value(name, value, kind, err);
}

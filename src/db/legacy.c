/* Old schemas: see legacy.h. */
#include "db/legacy.h"

#include <string.h>

/* What Skep's questions name and old schemas may not have; `with`: a column's stand-in, NULL for a whole table. */
static const struct {
  const char *table, *column, *with;
} later[] = {
    {"DBS", "CTLG_NAME", "'hive'"},
    {"DBS", "CREATE_TIME", "0"},
    {"DBS", "DB_MANAGED_LOCATION_URI", "NULL"},
    {"TBLS", "WRITE_ID", "0"},
    {"TBLS", "OWNER_TYPE", "NULL"},
    {"TBLS", "IS_REWRITE_ENABLED", "false"},
    {"TXNS", "TXN_TYPE", "0"},
    {"TXNS", "TXN_META_INFO", "NULL"},
    {"TXNS", "TXN_AGENT_INFO", "NULL"},
    {"HIVE_LOCKS", "HL_AGENT_INFO", "NULL"},
    {"HIVE_LOCKS", "HL_BLOCKEDBY_EXT_ID", "NULL"},
    {"HIVE_LOCKS", "HL_BLOCKEDBY_INT_ID", "NULL"},
    {"KEY_CONSTRAINTS", "DEFAULT_VALUE", "NULL"},
    {"KEY_CONSTRAINTS", "CONSTRAINT_NAME", "NULL"},
    {"KEY_CONSTRAINTS", "CONSTRAINT_TYPE", "0"},
    {"KEY_CONSTRAINTS", "ENABLE_VALIDATE_RELY", "0"},
    {"KEY_CONSTRAINTS", "PARENT_CD_ID", "NULL::bigint"},
    {"KEY_CONSTRAINTS", "PARENT_INTEGER_IDX", "0"},
    {"KEY_CONSTRAINTS", "PARENT_TBL_ID", "NULL::bigint"},
    {"KEY_CONSTRAINTS", "CHILD_INTEGER_IDX", "0"},
    {"KEY_CONSTRAINTS", "CHILD_TBL_ID", "NULL::bigint"},
    {"KEY_CONSTRAINTS", "POSITION", "0"},
    {"KEY_CONSTRAINTS", NULL, NULL},
    {"METASTORE_DB_PROPERTIES", "PROPERTY_KEY", "NULL"},
    {"METASTORE_DB_PROPERTIES", "PROPERTY_VALUE", "NULL"},
    {"METASTORE_DB_PROPERTIES", NULL, NULL},
};
enum { N_LATER = sizeof later / sizeof later[0] };

static const char *const acid_tables[] = {"TXNS",
                                          "TXN_COMPONENTS",
                                          "COMPLETED_TXN_COMPONENTS",
                                          "NEXT_TXN_ID",
                                          "HIVE_LOCKS",
                                          "NEXT_LOCK_ID",
                                          "COMPACTION_QUEUE",
                                          "COMPLETED_COMPACTIONS",
                                          "NEXT_COMPACTION_QUEUE_ID",
                                          "AUX_TABLE",
                                          "WRITE_SET",
                                          "TXN_TO_WRITE_ID",
                                          "NEXT_WRITE_ID",
                                          "MIN_HISTORY_LEVEL"};
static const char *const acid_prefixes[] = {"TXN_", "TC_",  "CTC_", "NTXN_", "HL_",  "NL_",  "CQ_",
                                            "CC_",  "NCQ_", "MT_",  "WS_",   "T2W_", "NWI_", "MHL_"};

static bool is_acid(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof acid_tables / sizeof acid_tables[0]; i++) {
    if (strlen(acid_tables[i]) == length && memcmp(acid_tables[i], name, length) == 0) return true;
  }
  for (size_t i = 0; i < sizeof acid_prefixes / sizeof acid_prefixes[0]; i++) {
    size_t n = strlen(acid_prefixes[i]);
    if (n < length && memcmp(acid_prefixes[i], name, n) == 0) return true;
  }
  return false;
}

/* --- finding out --- */

static skep_status is_there(skep_db *db, const skep_legacy *names, const char *table, const char *column, bool *out,
                            skep_err *err) {
  skep_buf plain, text;
  skep_buf_init(&plain, skep_db_ctx(db), 1 << 12);
  skep_buf_init(&text, skep_db_ctx(db), 1 << 12);
  if (column == NULL) {
    skep_buf_printf(&plain, "SELECT 1 FROM \"%s\" WHERE 1 = 0", table);
  } else {
    skep_buf_printf(&plain, "SELECT \"%s\" FROM \"%s\" WHERE 1 = 0", column, table);
  }
  skep_status status = skep_buf_check(&plain, "SQL text", err);
  if (status == SKEP_OK) skep_legacy_print(names, skep_buf_string(&plain), &text);
  if (status == SKEP_OK) status = skep_buf_check(&text, "SQL text", err);
  if (status == SKEP_OK) status = skep_db_is_there(db, skep_buf_string(&text), out, err);
  skep_buf_fini(&text);
  skep_buf_fini(&plain);
  return status;
}

skep_status skep_legacy_detect(skep_db *db, skep_legacy *out, skep_err *err) {
  skep_legacy l = {.is_old = true};
  bool upper = false, lower = false;
  SKEP_TRY(is_there(db, &l, "TXNS", "TXN_ID", &upper, err));
  l.lower_acid = true;
  if (!upper) SKEP_TRY(is_there(db, &l, "TXNS", "TXN_ID", &lower, err));
  l.lower_acid = lower;
  if (!upper && !lower) return skep_fail(err, SKEP_ERR_CORRUPT, "the metastore has no table TXNS");
  SKEP_TRY(is_there(db, &l, "NEXT_WRITE_ID", NULL, &l.has_write_ids, err));
  skep_legacy asking = l; /* nothing is replaced while we look */
  for (size_t i = 0; i < N_LATER && l.n_missing < SKEP_LEGACY_MAX_MISSING; i++) {
    bool there = false;
    SKEP_TRY(is_there(db, &asking, later[i].table, later[i].column, &there, err));
    if (!there) l.missing[l.n_missing++] = (uint8_t)i;
  }
  *out = l;
  return SKEP_OK;
}

/* --- printing --- */

static size_t find_missing(const skep_legacy *l, const char *name, size_t length) {
  for (size_t i = 0; i < l->n_missing; i++) {
    const char *what = later[l->missing[i]].column != NULL ? later[l->missing[i]].column : later[l->missing[i]].table;
    if (strlen(what) == length && memcmp(what, name, length) == 0) return l->missing[i];
  }
  return N_LATER;
}

/* Takes back "T." in front of a column that becomes a constant. */
static void drop_qualifier(skep_buf *out) {
  if (out->size == 0 || out->data[out->size - 1] != '.') return;
  out->size--;
  while (out->size > 0) {
    uint8_t c = out->data[out->size - 1];
    if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') break;
    out->size--;
  }
}

static void print_missing(size_t which, const char *rest, skep_buf *out) {
  if (later[which].column != NULL) {
    drop_qualifier(out);
    skep_buf_text(out, later[which].with);
    return;
  }
  /* A table: no rows, under the alias that follows or its own name. */
  bool alias = rest[0] == ' ' && rest[1] >= 'A' && rest[1] <= 'Z' && (rest[2] == ' ' || rest[2] == '\0');
  skep_buf_text(out, "(SELECT 1 WHERE false)");
  if (!alias) skep_buf_printf(out, " AS \"%s\"", later[which].table);
}

void skep_legacy_print(const skep_legacy *legacy, const char *sql, skep_buf *out) {
  for (const char *at = sql; *at != '\0';) {
    if (*at == '\'') { /* a text of ours: no quote inside */
      size_t n = strcspn(at + 1, "'") + 1;
      if (at[n] == '\'') n++;
      skep_buf_add(out, at, n);
      at += n;
      continue;
    }
    if (*at != '"') {
      skep_buf_byte(out, (uint8_t)*at++);
      continue;
    }
    const char *name = at + 1;
    size_t length = strcspn(name, "\"");
    at = name + length + (name[length] == '"');
    size_t which = find_missing(legacy, name, length);
    if (which < N_LATER) {
      print_missing(which, at, out);
      continue;
    }
    bool lower = legacy->lower_acid && is_acid(name, length);
    skep_buf_byte(out, '"');
    for (size_t i = 0; i < length; i++) {
      char c = name[i];
      skep_buf_byte(out, (uint8_t)(lower && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
    skep_buf_byte(out, '"');
  }
}

/* A lock request that is granted at once, as statements that are sent without waiting for answers: see lock.h. */
#include "lock/lock.h"

/* NEXT_LOCK_ID's row is locked first, as everybody does (lock.c): the statements after it see all lower ids. The id is
 * kept in a setting of the transaction for them. */
static const char sql_take_id[] =
    "UPDATE \"NEXT_LOCK_ID\" SET \"NL_NEXT\" = \"NL_NEXT\" + 1 RETURNING pg_catalog.set_config('skep.lock', "
    "(\"NL_NEXT\" - "
    "1)::text, true)";

/* Ends the transaction when anything but harmless letters is there on the same object, on one above or below it. What
 * may stand side by side only for its level (skep_lock_conflicts) counts as being in the way here, too. */
static const char sql_check[] =
    "SELECT 1 / CASE WHEN EXISTS (SELECT 1 FROM \"HIVE_LOCKS\" WHERE \"HL_DB\" = ?::text AND (\"HL_TABLE\" IS NULL OR "
    "?::text IS NULL OR \"HL_TABLE\" = ?::text) AND (\"HL_PARTITION\" IS NULL OR ?::text IS NULL OR \"HL_PARTITION\" = "
    "?::text) AND (\"HL_LOCK_TYPE\" = '' OR position(\"HL_LOCK_TYPE\" IN ?::text) = 0)) THEN 0 ELSE 1 END";

static const char sql_insert[] =
    "INSERT INTO \"HIVE_LOCKS\" (\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", \"HL_TABLE\", "
    "\"HL_PARTITION\", \"HL_LOCK_STATE\", \"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", \"HL_ACQUIRED_AT\", \"HL_USER\", "
    "\"HL_HOST\", \"HL_AGENT_INFO\") VALUES (pg_catalog.current_setting('skep.lock')::bigint, "
    "?::bigint, " SKEP_DB_SENT_TXN ", ?, ?, ?, 'a', ?, 0, coalesce(?::bigint, " SKEP_DB_SENT_NOW "), ?, ?, ?)";

/* The letters that a request for it may find there. */
static void harmless(skep_lock_type wanted, char letters[SKEP_LOCK_EXCLUSIVE + 2]) {
  size_t n = 0;
  for (int i = 0; i <= SKEP_LOCK_EXCLUSIVE; i++)
    if (!skep_lock_conflicts(wanted, false, (skep_lock_type)i, false))
      letters[n++] = skep_lock_letter((skep_lock_type)i);
  letters[n] = '\0';
}

skep_status skep_lock_send_learn(skep_db *db, skep_err *err) {
  const char *const known[] = {sql_take_id, sql_check, sql_insert};
  return skep_db_learn(db, known, sizeof known / sizeof *known, err);
}

skep_status skep_lock_send_request(skep_db *db, const skep_lock_component *components, uint32_t n, skep_stmt **id,
                                   skep_err *err) {
  *id = NULL;
  if (n == 0) return SKEP_OK;
  SKEP_TRY(skep_db_send(db, sql_take_id, SKEP_NO_PARAMS, id, err));
  for (uint32_t i = 0; i < n; i++) {
    const skep_param table = skep_p_text(components[i].table), partition = skep_p_text(components[i].partition);
    char letters[SKEP_LOCK_EXCLUSIVE + 2];
    harmless(components[i].type, letters);
    SKEP_TRY(skep_db_run(
        db, sql_check,
        SKEP_PARAMS(skep_p_text(components[i].database), table, table, partition, partition, skep_p_text(letters)),
        NULL, err));
  }
  return SKEP_OK;
}

skep_status skep_lock_send_rows(skep_db *db, const skep_lock_owner *owner, const skep_lock_component *components,
                                uint32_t n, skep_err *err) {
  skep_param now;
  SKEP_TRY(skep_db_sent_now(db, &now, err));
  for (uint32_t i = 0; i < n; i++) {
    const skep_lock_component *c = &components[i];
    SKEP_TRY(
        skep_db_run(db, sql_insert,
                    SKEP_PARAMS(skep_p_i64((int64_t)i + 1), skep_p_text(c->database), skep_p_text(c->table),
                                skep_p_text(c->partition), skep_p_char(skep_lock_letter(c->type)), now,
                                skep_p_text(owner->user == NULL ? "unknown" : owner->user),
                                skep_p_text(owner->host == NULL ? "unknown" : owner->host), skep_p_text(owner->agent)),
                    NULL, err));
  }
  return SKEP_OK;
}

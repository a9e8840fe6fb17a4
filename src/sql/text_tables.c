/* See text_tables.h. */
#include "sql/text_tables.h"

skep_status skep_table_properties(skep_session *s, const skep_catalog_params *params, const skep_property **out,
                                  skep_err *err) {
  skep_property *list = skep_arena_zero(&s->arena, params->n + 1, sizeof *list);
  if (list == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "properties");
  for (size_t i = 0; i < params->n; i++)
    list[i] = (skep_property){.key = params->items[i].key, .value = params->items[i].value};
  *out = list;
  return SKEP_OK;
}

skep_status skep_text_table(skep_session *s, const skep_catalog_table *t, const skep_text_format **out, skep_err *err) {
  const skep_property *own, *properties;
  *out = NULL;
  SKEP_TRY(skep_table_properties(s, &t->serde_params, &own, err));
  SKEP_TRY(skep_table_properties(s, &t->params, &properties, err));
  skep_status st = skep_text_format_make(&s->arena, t->input_format, t->serde, own, (uint32_t)t->serde_params.n,
                                         properties, (uint32_t)t->params.n, t->columns, out, err);
  return st == SKEP_OK ? st : skep_wrap(err, st, "%s.%s", t->db, t->name);
}

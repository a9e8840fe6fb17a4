/* Functions over values of any type, as macros over DuckDB's own. */
#include "engine/function.h"

const skep_function skep_functions_any[] = {
    /* Entries of a map that may repeat keys: the last value of a key stands at its first place; NULL keys are dropped.
     */
    {.name = "skep_map_entries",
     .macro = "(l) AS list_transform(list_filter(l, lambda e, i: e.key IS NOT NULL AND "
              "list_position(list_transform(l, lambda x: x.key), e.key) = i), "
              "lambda e: struct_pack(key := e.key, value := (list_filter(l, lambda y: y.key = e.key))[-1].value))"},
    {.name = NULL},
};

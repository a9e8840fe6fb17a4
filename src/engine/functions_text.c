/* Functions: text. */
#include "engine/function.h"

const skep_function skep_functions_text[] = {
    {.name = NULL},
};

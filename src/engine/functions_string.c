/* Functions: string. */
#include "engine/function.h"

const skep_function skep_functions_string[] = {
    {.name = NULL},
};

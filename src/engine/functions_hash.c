/* Functions: hash. */
#include "engine/function.h"

const skep_function skep_functions_hash[] = {
    {.name = NULL},
};

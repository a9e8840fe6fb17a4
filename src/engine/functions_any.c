/* Functions: any. */
#include "engine/function.h"

const skep_function skep_functions_any[] = {
    {.name = NULL},
};

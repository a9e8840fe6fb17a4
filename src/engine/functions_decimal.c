/* Functions: decimal. */
#include "engine/function.h"

const skep_function skep_functions_decimal[] = {
    {.name = NULL},
};

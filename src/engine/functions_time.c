/* Functions: time. */
#include "engine/function.h"

const skep_function skep_functions_time[] = {
    {.name = NULL},
};

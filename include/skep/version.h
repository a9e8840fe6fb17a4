/* The version of the library. The build reads it from here: this is the only place to change it. */
#ifndef SKEP_VERSION_H
#define SKEP_VERSION_H

#include "skep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SKEP_VERSION_MAJOR 0
#define SKEP_VERSION_MINOR 1
#define SKEP_VERSION_PATCH 0

/* "0.1.0": the version of the library that runs, which may be another than that of the headers. Static storage. */
SKEP_API const char *skep_version(void);

#ifdef __cplusplus
}
#endif
#endif

/* The version of the headers, and of the library that is linked. */
#ifndef SKEP_VERSION_H
#define SKEP_VERSION_H

#include "skep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SKEP_VERSION_MAJOR 0
#define SKEP_VERSION_MINOR 1
#define SKEP_VERSION_PATCH 0
#define SKEP_VERSION_STRING "0.1.0"

/* SKEP_VERSION_STRING of the library; never freed. */
SKEP_API const char *skep_version(void);

#ifdef __cplusplus
}
#endif
#endif

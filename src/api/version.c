/* The version as text. */
#include "skep/version.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *skep_version(void) { return VERSION_TEXT(SKEP_VERSION_MAJOR, SKEP_VERSION_MINOR, SKEP_VERSION_PATCH); }

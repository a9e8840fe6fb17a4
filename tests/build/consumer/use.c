/* A program of somebody else: the smallest use of the library, compiled as C and as C++. */
#include <skep/version.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("%s\n", skep_version());
  return strcmp(skep_version(), SKEP_VERSION_STRING) == 0 && strcmp(skep_status_name(SKEP_OK), "ok") == 0 ? 0 : 1;
}

/* Between config.c and config_xml.c. */
#ifndef BASE_CONFIG_INT_H
#define BASE_CONFIG_INT_H

#include "base/config.h"

/* As skep_config_set, but a property that is final already is silently kept, and this one may become final. */
SKEP_NODISCARD skep_status skep_config_set_from_file(skep_config *config, const char *name, const char *value,
                                                     bool final, skep_err *err);

const skep_ctx *skep_config_ctx(const skep_config *config);

#endif

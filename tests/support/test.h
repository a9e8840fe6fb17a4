/* What every cmocka test includes first: cmocka with the headers it needs, and checks of statuses and their texts. */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

/* cmocka.h needs these before it, so it stands in a block of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "skep/status.h"

/* The call succeeded; its message is shown where it did not. `err` is the skep_err the call was given. */
#define assert_ok(call, err)                                                       \
  do {                                                                             \
    skep_status assert_status_ = (call);                                           \
    if (assert_status_ != SKEP_OK) {                                               \
      fail_msg("%s: %s: %s", #call, skep_status_name(assert_status_), (err).text); \
    }                                                                              \
  } while (0)

/* The call failed with this status, and its message contains this text. */
#define assert_fails(call, expected, err, part)                                                                    \
  do {                                                                                                             \
    memset(&(err), 0, sizeof(err));                                                                                \
    skep_status assert_status_ = (call);                                                                           \
    if (assert_status_ != (expected) || strstr((err).text, (part)) == NULL) {                                      \
      fail_msg("%s: status %s, text '%s'; expected %s, '%s'", #call, skep_status_name(assert_status_), (err).text, \
               skep_status_name(expected), (part));                                                                \
    }                                                                                                              \
  } while (0)

#endif

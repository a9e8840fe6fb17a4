#!/bin/bash
# unsafe_calls_test.sh SCRIPT: the script finds what it is for, and nothing in comments, strings or longer names.
set -euo pipefail
script=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/src/base" "$dir/tests"
failures=0

# expect RESULT FILE TEXT: RESULT is the script's output without the folder, empty for "fine".
expect() {
  rm -f "$dir"/src/base/* "$dir"/tests/*
  printf '%b' "$3" >"$dir/$2"
  got=$("$script" "$dir/src" "$dir/tests" 2>&1 | sed "s|^$dir/||") || true
  if [ "$got" != "$1" ]; then
    echo "for: $3"; echo "  got: $got"; echo "  not: $1"
    failures=1
  fi
}

expect 'src/base/x.c:2: call of strcpy' src/base/x.c 'int a;\nvoid f(void) { strcpy (a, b); }\n'
expect 'src/base/x.h:1: call of sprintf' src/base/x.h 'static inline int f(char *a) { return sprintf(a, "x"); }\n'
expect 'src/base/x.c:3: call of atoi' src/base/x.c '/* two\nlines */\nint a = atoi("1");\n'
expect 'src/base/x.c:1: call of strtok
src/base/x.c:1: call of setlocale' src/base/x.c 'strtok(a, b); setlocale(1, "");\n'
expect 'src/base/x.c:1: include of ../orc/tail.h' src/base/x.c '#include "../orc/tail.h"\n'
expect 'src/base/x.c:1: call of malloc' src/base/x.c 'void *p = malloc(1);\n'
expect '' tests/x_test.c 'void *p = malloc(1);\n'
expect 'tests/x_test.c:1: call of strcat' tests/x_test.c 'strcat(a, b);\n'
expect '' src/base/x.c '/* strcpy(a, b) */ // atoi(x)\nchar *s = "gets(x) \\" strcpy(a)"; char c = \x27"\x27;\n'
expect '' src/base/x.c 'skep_atoi(x); my_strcpy(a); a.malloc(1); b->free(2); int strcpy_count;\n'
expect '' src/base/x.c '#include "base/ctx.h"\n#include <string.h>\n'
expect 'src/base/x.c:1: call of __builtin_sub_overflow_p' src/base/x.c 'bool a = __builtin_sub_overflow_p(a, b, c);\n'
exit $failures

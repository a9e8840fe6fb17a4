/* The table of operators: see operators.h. */
#include "hiveql/operators.h"

const skep_operator skep_operators[SKEP_OP_BINARY_COUNT] = {
    [SKEP_OP_OR] = {SKEP_LEVEL_OR, "OR"},
    [SKEP_OP_AND] = {SKEP_LEVEL_AND, "AND"},
    [SKEP_OP_EQ] = {SKEP_LEVEL_EQUAL, "="},
    [SKEP_OP_NE] = {SKEP_LEVEL_EQUAL, "<>"},
    [SKEP_OP_NULL_SAFE_EQ] = {SKEP_LEVEL_EQUAL, "<=>"},
    [SKEP_OP_DISTINCT] = {SKEP_LEVEL_EQUAL, "IS DISTINCT FROM"},
    [SKEP_OP_LT] = {SKEP_LEVEL_SIMILAR, "<"},
    [SKEP_OP_LE] = {SKEP_LEVEL_SIMILAR, "<="},
    [SKEP_OP_GT] = {SKEP_LEVEL_SIMILAR, ">"},
    [SKEP_OP_GE] = {SKEP_LEVEL_SIMILAR, ">="},
    [SKEP_OP_LIKE] = {SKEP_LEVEL_SIMILAR, "LIKE"},
    [SKEP_OP_RLIKE] = {SKEP_LEVEL_SIMILAR, "RLIKE"},
    [SKEP_OP_BIT_OR] = {SKEP_LEVEL_BIT_OR, "|"},
    [SKEP_OP_BIT_AND] = {SKEP_LEVEL_BIT_AND, "&"},
    [SKEP_OP_CONCAT] = {SKEP_LEVEL_CONCAT, "||"},
    [SKEP_OP_ADD] = {SKEP_LEVEL_ADD, "+"},
    [SKEP_OP_SUBTRACT] = {SKEP_LEVEL_ADD, "-"},
    [SKEP_OP_MULTIPLY] = {SKEP_LEVEL_MULTIPLY, "*"},
    [SKEP_OP_DIVIDE] = {SKEP_LEVEL_MULTIPLY, "/"},
    [SKEP_OP_MODULO] = {SKEP_LEVEL_MULTIPLY, "%"},
    [SKEP_OP_INT_DIVIDE] = {SKEP_LEVEL_MULTIPLY, "DIV"},
    [SKEP_OP_BIT_XOR] = {SKEP_LEVEL_XOR, "^"},
};

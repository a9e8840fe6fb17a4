/* Look-up of keywords: binary search in the sorted table, other spellings behind it. */
#include "hiveql/keywords.h"

#include <string.h>

enum { RESERVED = true, FREE = false };

typedef struct word {
  const char *text;
  skep_keyword keyword;
} word;

static const word words[] = {
#define WORD(text, reserved) {#text, SKEP_KW_##text},
    SKEP_KEYWORD_TABLE(WORD)
#undef WORD
};
static const word spellings[] = {
#define SPELLING(text, keyword) {#text, SKEP_KW_##keyword},
    SKEP_KEYWORD_SPELLINGS(SPELLING)
#undef SPELLING
};
static const bool reserved_words[SKEP_KW_COUNT] = {
#define IS_RESERVED(text, reserved) [SKEP_KW_##text] = reserved,
    SKEP_KEYWORD_TABLE(IS_RESERVED)
#undef IS_RESERVED
};

enum { MAX_WORD = 24 };

skep_keyword skep_keyword_find(const char *text, size_t length) {
  char upper[MAX_WORD + 1];
  if (length == 0 || length > MAX_WORD) return SKEP_NO_KEYWORD;
  for (size_t i = 0; i < length; i++) upper[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
  upper[length] = '\0';
  size_t low = 0, high = sizeof words / sizeof words[0];
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(upper, words[middle].text);
    if (order == 0) return words[middle].keyword;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    if (strcmp(upper, spellings[i].text) == 0) return spellings[i].keyword;
  }
  return SKEP_NO_KEYWORD;
}

const char *skep_keyword_name(skep_keyword keyword) {
  return keyword > SKEP_NO_KEYWORD && keyword < SKEP_KW_COUNT ? words[keyword - 1].text : "";
}

bool skep_keyword_reserved(skep_keyword keyword) { return keyword < SKEP_KW_COUNT && reserved_words[keyword]; }

bool skep_keyword_names_function(skep_keyword keyword) {
  switch (keyword) {
    case SKEP_KW_IF:
    case SKEP_KW_ARRAY:
    case SKEP_KW_MAP:
    case SKEP_KW_BIGINT:
    case SKEP_KW_BINARY:
    case SKEP_KW_BOOLEAN:
    case SKEP_KW_CURRENT_DATE:
    case SKEP_KW_CURRENT_TIMESTAMP:
    case SKEP_KW_DATE:
    case SKEP_KW_DOUBLE:
    case SKEP_KW_FLOAT:
    case SKEP_KW_REAL:
    case SKEP_KW_GROUPING:
    case SKEP_KW_INT:
    case SKEP_KW_SMALLINT:
    case SKEP_KW_TIMESTAMP:
      return true;
    default:
      return false;
  }
}

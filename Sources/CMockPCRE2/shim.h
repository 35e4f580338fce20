#ifndef CMOCKPCRE2_SHIM_H
#define CMOCKPCRE2_SHIM_H
// The header wants to know how wide a code unit is. Swift calls functions by their own names, as in pcre2_match_8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

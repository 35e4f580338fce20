#ifndef CMOCKPCRE2_SHIM_H
#define CMOCKPCRE2_SHIM_H
// The header requires the width of a code unit. Swift calls functions by their full names, such as pcre2_match_8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

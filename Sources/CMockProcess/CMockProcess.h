// What the system handed to the process when it started, byte by byte, which Swift's CommandLine does not offer: the C
// library hands it to every constructor.

#ifndef CMOCKPROCESS_H
#define CMOCKPROCESS_H

#include <stdint.h>

// An argument, 0 for the name of the program; NULL beyond the last one, and for all of them where the C library does not
// tell constructors (musl).
const char *mock_argument(int32_t index);

// A variable of the environment, NAME=value; NULL beyond the last one.
const char *mock_variable(int32_t index);

#endif

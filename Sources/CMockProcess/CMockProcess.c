#include "CMockProcess.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__APPLE__)
#include <crt_externs.h>

static int argument_count(void) { return *_NSGetArgc(); }
static char **arguments(void) { return *_NSGetArgv(); }
static char **variables(void) { return *_NSGetEnviron(); }
#else
extern char **environ;

static int given_count;
static char **given;

#if defined(__GLIBC__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    given_count = count;
    given = values;
}
#endif

static int argument_count(void) { return given_count; }
static char **arguments(void) { return given; }
static char **variables(void) { return environ; }
#endif

const char *mock_argument(int32_t index) { return index < argument_count() ? arguments()[index] : NULL; }

const char *mock_variable(int32_t index) {
    char **all = variables();
    if (all == NULL) return NULL;
    for (int32_t each = 0; all[each] != NULL; each++) {
        if (each == index) return all[each];
    }
    return NULL;
}

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The number of the mutant that is alive in this process; -1: none.
extern int32_t mutant_alive;
/// Where every mutant that is passed gets a 1, at its number; null unless this is asked for.
extern uint8_t *mutant_passed;

static inline bool mutant_is_alive(int32_t number) {
    if (mutant_passed != NULL) mutant_passed[number] = 1;
    return number == mutant_alive;
}

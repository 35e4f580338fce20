// The files of the folder scenarios, as they are at the time of the build.

#ifndef CMOCKSCENARIOS_H
#define CMOCKSCENARIOS_H

#include <stddef.h>
#include <stdint.h>

// The number of files.
int32_t mock_scenario_count(void);

// The length of a file, by its number in CMockScenarios.c, in bytes; 0 for a number that none has.
size_t mock_scenario_length(int32_t file);

// One byte of a file; 0 beyond its end.
uint8_t mock_scenario_byte(int32_t file, size_t index);

// The length of the schema of scenarios, in bytes.
size_t mock_schema_length(void);

// One byte of the schema; 0 beyond its end.
uint8_t mock_schema_byte(size_t index);

#endif

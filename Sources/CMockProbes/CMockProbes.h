// The files of the folder MockAPNSProbe/Data, as they are at the time of the build.

#ifndef CMOCKPROBES_H
#define CMOCKPROBES_H

#include <stddef.h>
#include <stdint.h>

// The number of files: the table of fidelity, the scenario of the probe's own server, then one for each group of probes.
int32_t mock_probes_count(void);

// The length of a file, by its number in CMockProbes.c, in bytes; 0 for a number that none has.
size_t mock_probes_length(int32_t file);

// One byte of a file; 0 beyond its end.
uint8_t mock_probes_byte(int32_t file, size_t index);

#endif

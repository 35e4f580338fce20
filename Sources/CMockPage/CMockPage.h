// The files of the page, as they are at the time of the build.

#ifndef CMOCKPAGE_H
#define CMOCKPAGE_H

#include <stddef.h>
#include <stdint.h>

// The length of a file, by its number in CMockPage.c, in bytes; 0 for a number that none has.
size_t mock_page_length(int32_t file);

// One byte of a file; 0 beyond its end.
uint8_t mock_page_byte(int32_t file, size_t index);

#endif

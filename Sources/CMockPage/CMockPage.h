// The page's files, embedded at build time: its HTML as written, what `make page` has made of its scripts and styles, and
// the OpenAPI document.

#ifndef CMOCKPAGE_H
#define CMOCKPAGE_H

#include <stddef.h>
#include <stdint.h>

// Returns the length in bytes of a file, given its index in CMockPage.c; 0 if there is no such file.
size_t mock_page_length(int32_t file);

// Returns one byte of a file; 0 beyond its end.
uint8_t mock_page_byte(int32_t file, size_t index);

#endif

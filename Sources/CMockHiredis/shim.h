#ifndef CMOCKHIREDIS_SHIM_H
#define CMOCKHIREDIS_SHIM_H
// Where pkg-config is asked, it names the folder of the headers.
#if __has_include(<hiredis/hiredis.h>)
#include <hiredis/hiredis.h>
#else
#include <hiredis.h>
#endif
#endif

#ifndef CMOCKNGHTTP2_SHIM_H
#define CMOCKNGHTTP2_SHIM_H
#include <nghttp2/nghttp2.h>
#endif

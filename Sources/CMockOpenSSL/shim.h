#ifndef CMOCKOPENSSL_SHIM_H
#define CMOCKOPENSSL_SHIM_H
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

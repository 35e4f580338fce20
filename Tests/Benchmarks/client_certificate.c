/* Preloaded into h2load, which cannot be told to show a client certificate: every TLS context gets the one in the files
   that the variables CLIENT_CERTIFICATE and CLIENT_KEY name. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <stdlib.h>

SSL_CTX *SSL_CTX_new(const SSL_METHOD *method) {
    SSL_CTX *(*original)(const SSL_METHOD *) = dlsym(RTLD_NEXT, "SSL_CTX_new");
    SSL_CTX *context = original(method);
    const char *certificate = getenv("CLIENT_CERTIFICATE"), *key = getenv("CLIENT_KEY");
    if (context && certificate && key
        && (SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM) != 1
            || SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1))
        abort();
    return context;
}

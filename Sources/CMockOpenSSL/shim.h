#ifndef CMOCKOPENSSL_SHIM_H
#define CMOCKOPENSSL_SHIM_H

// What Swift cannot import from OpenSSL: function-like macros, computed constants, variadic functions.
// Each function is named after the macro it wraps, with the prefix `mock_`, unless a comment says more.

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/buffer.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// MARK: errors and memory

static inline int mock_ERR_lib(unsigned long code) { return ERR_GET_LIB(code); }
static inline int mock_ERR_reason(unsigned long code) { return ERR_GET_REASON(code); }

// Clears the queue of errors. It is nearly always empty, and seeing that takes a quarter of the time.
static inline void mock_ERR_clear_error(void) {
    if (ERR_peek_error() != 0) {
        ERR_clear_error();
    }
}

static inline void mock_OPENSSL_free(void *memory) { OPENSSL_free(memory); }

// MARK: memory BIOs

static inline const unsigned char *mock_BIO_get_mem_data(BIO *bio, long *count) {
    char *data = NULL;
    *count = BIO_get_mem_data(bio, &data);
    return (const unsigned char *)data;
}

// The size of the buffer behind a memory BIO, used or not.
static inline size_t mock_BIO_capacity(BIO *bio) {
    BUF_MEM *memory = NULL;
    BIO_get_mem_ptr(bio, &memory);
    return memory == NULL ? 0 : memory->max;
}

// Empties a memory BIO and frees its buffer, which BIO_reset would keep.
static inline void mock_BIO_release(BIO *bio) {
    BUF_MEM *fresh = BUF_MEM_new();
    if (fresh != NULL) {
        (void)BIO_set_mem_buf(bio, fresh, BIO_CLOSE);
    } else {
        (void)BIO_reset(bio);
    }
}

// MARK: SSL_CTX and SSL

static inline int mock_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int mock_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

static inline void mock_SSL_CTX_set_mode(SSL_CTX *context, long mode) { (void)SSL_CTX_set_mode(context, mode); }

static inline void mock_SSL_CTX_set_session_cache_off(SSL_CTX *context) {
    (void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int mock_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void mock_SSL_CTX_set_servername_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    (void)SSL_CTX_set_tlsext_servername_callback(context, callback);
}

static inline int mock_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// The curves that the client takes, as NIDs; without a list, only their number. None if it has not said.
static inline int mock_SSL_get1_groups(SSL *ssl, int *groups) { return (int)SSL_get1_groups(ssl, groups); }

// Not a macro of OpenSSL: whether the client takes one of the server's cipher suites for ECDSA certificates, with TLS 1.2.
static inline int mock_SSL_shares_ECDSA_suite(SSL *ssl) {
    STACK_OF(SSL_CIPHER) *own = SSL_get_ciphers(ssl), *offered = SSL_get_client_ciphers(ssl);
    for (int i = 0; i < sk_SSL_CIPHER_num(own); i++) {
        const SSL_CIPHER *suite = sk_SSL_CIPHER_value(own, i);
        if (SSL_CIPHER_get_auth_nid(suite) != NID_auth_ecdsa) {
            continue;
        }
        for (int j = 0; j < sk_SSL_CIPHER_num(offered); j++) {
            if (sk_SSL_CIPHER_value(offered, j) == suite) {
                return 1;
            }
        }
    }
    return 0;
}

static const uint64_t mock_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t mock_SSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t mock_SSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const long mock_SSL_MODE_RELEASE_BUFFERS = (long)SSL_MODE_RELEASE_BUFFERS;

// MARK: keys

static inline EVP_PKEY *mock_EVP_generate_P256(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }
static inline EVP_PKEY *mock_EVP_generate_RSA_2048(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048); }

// Not a macro of OpenSSL: whether signatures with this key take no separate digest.
static inline int mock_EVP_PKEY_has_own_digest(EVP_PKEY *key) {
    int kind = EVP_PKEY_get_base_id(key);
    return kind == EVP_PKEY_ED25519 || kind == EVP_PKEY_ED448;
}

// A password callback without a password; without a callback, OpenSSL would ask for one on the terminal.
static inline int mock_no_password(char *buffer, int size, int writing, void *context) {
    (void)buffer;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

// MARK: certificates

// Text on one line, similar to RFC 2253, with UTF-8 unescaped.
static const unsigned long mock_XN_FLAG_ONELINE_UTF8 = XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB;

static inline int mock_GENERAL_NAMES_num(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline GENERAL_NAME *mock_GENERAL_NAMES_value(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline STACK_OF(X509) *mock_X509_stack_new(void) { return sk_X509_new_null(); }
static inline int mock_X509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline void mock_X509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }
// Frees the certificates too.
static inline void mock_X509_stack_pop_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
static inline int mock_X509_stack_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline int mock_X509_NAME_stack_num(const STACK_OF(X509_NAME) *stack) { return sk_X509_NAME_num(stack); }

// Adds an extension written as in an OpenSSL configuration file. `issuer` may be the certificate itself.
static inline int mock_X509_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) {
        return 0;
    }
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

#endif

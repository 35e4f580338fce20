#ifndef CMOCKNGHTTP2_SHIM_H
#define CMOCKNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// MARK: the memory of a session

// nghttp2's allocations for a session come from malloc, except for the 16 KB buffer in which it builds frames. That one
// gets its own pages, as only pages that have been written to take up memory: just the first, with frames as short as
// those of APNs. From malloc it would get memory that the handshake has already written to, all of it.
typedef struct {
    void *frames;
} mock_session_memory;

static const size_t mock_frames_size = 20480;

static inline void *mock_session_malloc(size_t size, void *user) {
    mock_session_memory *memory = (mock_session_memory *)user;
    if (size > 16384 && size <= mock_frames_size && memory->frames == NULL) {
        void *pages = mmap(NULL, mock_frames_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        if (pages != MAP_FAILED) {
            memory->frames = pages;
            return pages;
        }
    }
    return malloc(size);
}

static inline void mock_session_free(void *pointer, void *user) {
    mock_session_memory *memory = (mock_session_memory *)user;
    if (pointer != NULL && pointer == memory->frames) {
        munmap(pointer, mock_frames_size);
        memory->frames = NULL;
        return;
    }
    free(pointer);
}

static inline void *mock_session_calloc(size_t count, size_t size, void *user) {
    (void)user;
    return calloc(count, size);
}

static inline void *mock_session_realloc(void *pointer, size_t size, void *user) {
    mock_session_memory *memory = (mock_session_memory *)user;
    if (pointer == NULL) {
        return mock_session_malloc(size, user);
    }
    if (pointer != memory->frames) {
        return realloc(pointer, size);
    }
    if (size <= mock_frames_size) {
        return pointer;
    }
    void *larger = malloc(size);
    if (larger != NULL) {
        memcpy(larger, pointer, mock_frames_size);
        mock_session_free(pointer, user);
    }
    return larger;
}

// `memory` must outlive the session.
static inline int mock_session_server_new(
    nghttp2_session **session, const nghttp2_session_callbacks *callbacks, void *user, const nghttp2_option *option,
    mock_session_memory *memory
) {
    nghttp2_mem functions = {
        memory, mock_session_malloc, mock_session_free, mock_session_calloc, mock_session_realloc};
    return nghttp2_session_server_new3(session, callbacks, user, option, &functions);
}

// MARK: freed memory

// Returns unused pages to the system. Does nothing with C libraries other than glibc, which do so themselves.
static inline void mock_give_back_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#endif

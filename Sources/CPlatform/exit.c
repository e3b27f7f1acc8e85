#define _GNU_SOURCE // RTLD_DEFAULT
#include "exit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// Keeps libcrypto, where it is OpenSSL, from freeing its state when the program calls `exit`. Only the first call in a
// program can, so this one comes before `main`.
__attribute__((constructor)) static void keep_crypto(void) {
    // OPENSSL_INIT_NO_ATEXIT, see OPENSSL_init_crypto(3).
    const uint64_t no_cleanup = 0x00080000;
    int (*initialize)(uint64_t options, const void *settings);
    *(void **)&initialize = dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (initialize != NULL) initialize(no_cleanup, NULL);
}

#if defined(__ELF__)

static void nothing(void) {}

// The program's symbols come before those of its shared libraries, so that the engine calls this one. An engine that is
// linked statically keeps its own, since this one is weak.
void sqlcipher_extra_shutdown(void) __attribute__((weak, alias("nothing"), visibility("default")));

int strongroom_engine_ends_at_exit(void) {
    if (sqlcipher_extra_shutdown != nothing) return 1;
    // The linker exports it only if the engine that the program was built with has the function, too.
    void *called = dlsym(RTLD_DEFAULT, "sqlcipher_extra_shutdown");
    return called != NULL && called != (void *)nothing;
}

#else

int strongroom_engine_ends_at_exit(void) { return 1; }

#endif

static pthread_t exiting_thread;
static int has_exited;

static void record_exit(void) {
    exiting_thread = pthread_self();
    __atomic_store_n(&has_exited, 1, __ATOMIC_SEQ_CST);
}

void strongroom_watch_exit(void) { atexit(record_exit); }

int strongroom_wait_for_exit(void) {
    // What the thread has read before is older than this.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!__atomic_load_n(&has_exited, __ATOMIC_ACQUIRE)) return 0;
    // Not for ever: a function that the program calls at its end may wait for this thread.
    for (int waited = 0; waited < 500 && !pthread_equal(exiting_thread, pthread_self()); waited++) usleep(10000);
    return 1;
}

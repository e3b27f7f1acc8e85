// What the library needs besides the engine's header, which is included before this one.
#ifndef STRONGROOM_SHIM_H
#define STRONGROOM_SHIM_H

#include <string.h>

// The engine's header declares the keying functions only where SQLITE_HAS_CODEC is defined, which a header cannot do
// for another module.
int sqlite3_key_v2(sqlite3 *database, const char *schema, const void *key, int length);
int sqlite3_rekey_v2(sqlite3 *database, const char *schema, const void *key, int length);

// Swift does not import functions with a variable number of arguments.
static inline int strongroom_enforce_foreign_keys(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, on, (int *)0);
}

// What the engine allocates holds decrypted rows, so it is overwritten before it is freed. One memory allocator serves
// the whole process.
static inline sqlite3_mem_methods *strongroom_allocator(void) {
    static sqlite3_mem_methods allocator;
    return &allocator;
}

static inline void strongroom_wipe(void *start, int count) {
    // A call through a volatile pointer is not left out.
    static void *(*const volatile set)(void *, int, size_t) = memset;
    set(start, 0, (size_t)count);
}

static void strongroom_free(void *start) {
    if (start == 0) return;
    strongroom_wipe(start, strongroom_allocator()->xSize(start));
    strongroom_allocator()->xFree(start);
}

static void *strongroom_resize(void *start, int count) {
    int before = strongroom_allocator()->xSize(start);
    // The allocator may move what grows, and would leave the old bytes where they were.
    void *moved = strongroom_allocator()->xMalloc(count);
    if (moved == 0) return 0;
    memcpy(moved, start, (size_t)(before < count ? before : count));
    strongroom_free(start);
    return moved;
}

// Has freed memory wiped from now on. To be called once, before the engine is used: it refuses a change afterwards
// (SQLITE_MISUSE).
static inline int strongroom_wipe_freed_memory(void) {
    sqlite3_mem_methods methods;
    int result = sqlite3_config(SQLITE_CONFIG_GETMALLOC, strongroom_allocator());
    if (result != SQLITE_OK) return result;
    methods = *strongroom_allocator();
    methods.xFree = strongroom_free;
    methods.xRealloc = strongroom_resize;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

#endif

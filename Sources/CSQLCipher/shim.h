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

// SQLITE_DBCONFIG_DEFENSIVE, which the header has from SQLite 3.26 on; an older engine answers SQLITE_ERROR.
static inline int strongroom_set_defensive(sqlite3 *database, int on) {
    return sqlite3_db_config(database, 1010, on, (int *)0);
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

// How much is allocated. The engine takes a mutex of the process to count each allocation; these counters are added up
// when they are read. A thread's counter depends on the address of its stack, so that few threads share one.
enum { strongroom_counts = 16 };
typedef struct {
    long bytes;
    char rest_of_cache_line[64 - sizeof(long)];
} strongroom_count;

static inline strongroom_count *strongroom_memory_counts(void) {
    static strongroom_count counts[strongroom_counts];
    return counts;
}

static inline void strongroom_count_memory(long bytes) {
    size_t stack = (size_t)__builtin_frame_address(0);
    // Stacks lie next to each other, 8 MiB or 512 KiB long, with a page between them.
    size_t index = ((stack >> 12) + (stack >> 19) + (stack >> 23)) % strongroom_counts;
    __atomic_fetch_add(&strongroom_memory_counts()[index].bytes, bytes, __ATOMIC_RELAXED);
}

static void *strongroom_allocate(int count) {
    void *start = strongroom_allocator()->xMalloc(count);
    if (start != 0) strongroom_count_memory(strongroom_allocator()->xSize(start));
    return start;
}

static void strongroom_free(void *start) {
    if (start == 0) return;
    int count = strongroom_allocator()->xSize(start);
    strongroom_wipe(start, count);
    strongroom_count_memory(-count);
    strongroom_allocator()->xFree(start);
}

static void *strongroom_resize(void *start, int count) {
    int before = strongroom_allocator()->xSize(start);
    // The allocator may move what grows, and would leave the old bytes where they were.
    void *moved = strongroom_allocate(count);
    if (moved == 0) return 0;
    memcpy(moved, start, (size_t)(before < count ? before : count));
    strongroom_free(start);
    return moved;
}

// Has freed memory wiped, and memory counted, from now on. To be called once, before the engine is used: it refuses a
// change afterwards (SQLITE_MISUSE).
static inline int strongroom_wipe_freed_memory(void) {
    sqlite3_mem_methods methods;
    int result = sqlite3_config(SQLITE_CONFIG_GETMALLOC, strongroom_allocator());
    if (result != SQLITE_OK) return result;
    methods = *strongroom_allocator();
    methods.xMalloc = strongroom_allocate;
    methods.xFree = strongroom_free;
    methods.xRealloc = strongroom_resize;
    result = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    if (result == SQLITE_OK) sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return result;
}

// The memory that is allocated since then, in bytes.
static inline long strongroom_memory_used(void) {
    long sum = 0;
    for (int index = 0; index < strongroom_counts; index++)
        sum += __atomic_load_n(&strongroom_memory_counts()[index].bytes, __ATOMIC_RELAXED);
    return sum < 0 ? 0 : sum;
}

#endif

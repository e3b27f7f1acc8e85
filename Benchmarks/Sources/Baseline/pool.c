// clock_gettime is POSIX.
#define _GNU_SOURCE
#include "connection.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

// One writer and several readers, each with a connection and a thread of its own.

enum { most_readers = 64, busy_timeout = 5000 };

struct baseline_pool {
    sqlite3 *writer;
    sqlite3_stmt *insertion;
    sqlite3 *readers[most_readers];
    int count;
};

static int64_t now(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? (int64_t)time.tv_sec * 1000000000 + time.tv_nsec : 0;
}

static int open_writer(baseline_pool *pool, const char *path, const char *passphrase) {
    int result = baseline_open(path, passphrase, &pool->writer);
    if (result == SQLITE_OK) result = sqlite3_busy_timeout(pool->writer, busy_timeout);
    if (result == SQLITE_OK) result = baseline_run(pool->writer, "PRAGMA journal_size_limit = 16777216");
    if (result == SQLITE_OK) result = baseline_prepare_insert(pool->writer, &pool->insertion);
    return result;
}

static int open_reader(const char *path, const char *passphrase, sqlite3 **reader) {
    int result = baseline_open(path, passphrase, reader);
    if (result == SQLITE_OK) result = sqlite3_busy_timeout(*reader, busy_timeout);
    if (result == SQLITE_OK) result = baseline_run(*reader, "PRAGMA query_only = ON");
    return result;
}

int baseline_pool_open(const char *path, const char *passphrase, int readers, baseline_pool **pool) {
    *pool = calloc(1, sizeof **pool);
    if (*pool == NULL) return SQLITE_NOMEM;
    int result = readers <= most_readers ? open_writer(*pool, path, passphrase) : SQLITE_RANGE;
    for (; result == SQLITE_OK && (*pool)->count < readers; (*pool)->count++)
        result = open_reader(path, passphrase, &(*pool)->readers[(*pool)->count]);
    return result;
}

void baseline_pool_close(baseline_pool *pool) {
    if (pool == NULL) return;
    for (int i = 0; i < most_readers; i++) sqlite3_close_v2(pool->readers[i]);
    sqlite3_finalize(pool->insertion);
    sqlite3_close_v2(pool->writer);
    free(pool);
}

// The writer's thread; what it has done so far is read while it writes.
struct writing {
    baseline_pool *pool;
    const baseline_list *rows;
    atomic_bool is_over;
    _Atomic int64_t writes, processor_time;
    int result;
};

static int insert_row(baseline_pool *pool, const baseline_list *rows, int64_t number) {
    return baseline_insert_one(pool->writer, pool->insertion, &rows->entries[(size_t)number % rows->count]);
}

static void *write_until_over(void *argument) {
    struct writing *writing = argument;
    int64_t start = now(CLOCK_THREAD_CPUTIME_ID), count = 0;
    while (writing->result == SQLITE_OK && !atomic_load_explicit(&writing->is_over, memory_order_relaxed)) {
        writing->result = insert_row(writing->pool, writing->rows, count + 1);
        if (writing->result != SQLITE_OK) break;
        count++;
        atomic_store_explicit(&writing->processor_time, now(CLOCK_THREAD_CPUTIME_ID) - start, memory_order_relaxed);
        atomic_store_explicit(&writing->writes, count, memory_order_relaxed);
    }
    return NULL;
}

// A reader's thread.
struct reading {
    sqlite3 *connection;
    const int64_t *keys;
    size_t count;
    baseline_summary summary;
    int result;
};

static void *read_share(void *argument) {
    struct reading *reading = argument;
    reading->result = baseline_point_each(reading->connection, reading->keys, reading->count, 0, &reading->summary);
    return NULL;
}

static int read_all(baseline_pool *pool, const int64_t *keys, size_t count, baseline_summary *summary) {
    struct reading readings[most_readers];
    pthread_t threads[most_readers];
    int started = 0, result = SQLITE_OK;
    size_t readers = (size_t)pool->count;
    for (; started < pool->count; started++) {
        size_t first = (size_t)started * count / readers, end = ((size_t)started + 1) * count / readers;
        readings[started] = (struct reading){pool->readers[started], keys + first, end - first, {0, 0}, SQLITE_OK};
        if (pthread_create(&threads[started], NULL, read_share, &readings[started]) != 0) break;
    }
    if (started < pool->count) result = SQLITE_ERROR;
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (result == SQLITE_OK) result = readings[i].result;
        summary->rows += readings[i].summary.rows;
        summary->sum += readings[i].summary.sum;
    }
    return result;
}

int baseline_pool_read(baseline_pool *pool, const int64_t *keys, size_t count, baseline_done *done) {
    *done = (baseline_done){0};
    int64_t start = now(CLOCK_MONOTONIC);
    int result = read_all(pool, keys, count, &done->found);
    done->duration = now(CLOCK_MONOTONIC) - start;
    return result;
}

int baseline_pool_read_beside_writer(baseline_pool *pool, const int64_t *keys, size_t count, const baseline_list *rows,
                                     baseline_done *done) {
    struct writing writing = {.pool = pool, .rows = rows, .result = SQLITE_OK};
    pthread_t writer;
    *done = (baseline_done){0};
    // As on the other side, where the writer is awake when the measured time begins.
    int result = insert_row(pool, rows, 0);
    if (result != SQLITE_OK) return result;
    if (pthread_create(&writer, NULL, write_until_over, &writing) != 0) return SQLITE_ERROR;
    int64_t start = now(CLOCK_MONOTONIC);
    result = read_all(pool, keys, count, &done->found);
    done->duration = now(CLOCK_MONOTONIC) - start;
    done->writes = atomic_load_explicit(&writing.writes, memory_order_relaxed);
    done->writer_processor_time = atomic_load_explicit(&writing.processor_time, memory_order_relaxed);
    atomic_store_explicit(&writing.is_over, 1, memory_order_relaxed);
    pthread_join(writer, NULL);
    done->all_writes = 1 + atomic_load_explicit(&writing.writes, memory_order_relaxed);
    return result == SQLITE_OK ? writing.result : result;
}

int baseline_pool_write(baseline_pool *pool, const baseline_list *rows, int64_t count, baseline_done *done) {
    *done = (baseline_done){0};
    int64_t start = now(CLOCK_MONOTONIC), processor_start = now(CLOCK_THREAD_CPUTIME_ID);
    int result = SQLITE_OK;
    for (; result == SQLITE_OK && done->writes < count; done->writes++) result = insert_row(pool, rows, done->writes);
    done->duration = now(CLOCK_MONOTONIC) - start;
    done->writer_processor_time = now(CLOCK_THREAD_CPUTIME_ID) - processor_start;
    done->all_writes = done->writes;
    return result;
}

int baseline_pool_delete_after(baseline_pool *pool, int64_t last, int64_t *deleted) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(pool->writer, "DELETE FROM \"entry\" WHERE \"id\" > ?1", -1, &statement, NULL);
    if (result == SQLITE_OK) result = sqlite3_bind_int64(statement, 1, last);
    if (result == SQLITE_OK) sqlite3_step(statement);
    int finalized = sqlite3_finalize(statement);
    if (result == SQLITE_OK) result = finalized;
    *deleted = sqlite3_changes(pool->writer);
    return result == SQLITE_OK
               ? sqlite3_wal_checkpoint_v2(pool->writer, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL)
               : result;
}

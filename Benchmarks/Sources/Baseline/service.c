#include "connection.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Files of which some are open, with one connection each, and a thread for each client. Where another file must be
// opened, the one that was used least recently, and is not in use, is closed; its log stays, empty.

typedef struct {
    pthread_mutex_t mutex;
    sqlite3 *connection;
    sqlite3_stmt *page, *insertion;
    // The number of the request that has used it last.
    _Atomic size_t used;
    atomic_bool is_open;
} file;

typedef struct {
    const baseline_requests *requests;
    file *files;
    atomic_size_t open, served;
    _Atomic int result;
} service;

typedef struct {
    service *service;
    size_t number;
} client;

static int close_file(file *file) {
    int result = sqlite3_finalize(file->page);
    if (result == SQLITE_OK) result = sqlite3_finalize(file->insertion);
    if (result == SQLITE_OK) result = sqlite3_close(file->connection);
    file->page = file->insertion = NULL;
    file->connection = NULL;
    atomic_store(&file->is_open, 0);
    return result;
}

// Closes one of the files, if one is not in use.
static int make_room(service *service) {
    for (;;) {
        file *oldest = NULL;
        for (size_t i = 0; i < service->requests->files; i++) {
            file *file = &service->files[i];
            if (!atomic_load(&file->is_open)) continue;
            if (oldest == NULL || atomic_load(&file->used) < atomic_load(&oldest->used)) oldest = file;
        }
        if (oldest == NULL) return SQLITE_OK;
        if (pthread_mutex_trylock(&oldest->mutex) != 0) {
            // Its user has another number by now, or has it soon.
            atomic_store(&oldest->used, atomic_load(&service->served));
            continue;
        }
        int was_open = atomic_load(&oldest->is_open);
        int result = was_open ? close_file(oldest) : SQLITE_OK;
        pthread_mutex_unlock(&oldest->mutex);
        if (was_open) {
            atomic_fetch_sub(&service->open, 1);
            return result;
        }
    }
}

static int open_file(service *service, file *file, size_t number) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, service->requests->path, (int)number);
    int result = SQLITE_OK;
    if (atomic_fetch_add(&service->open, 1) >= service->requests->most_open) result = make_room(service);
    if (result == SQLITE_OK) result = baseline_open(path, service->requests->key, &file->connection);
    if (result == SQLITE_OK) result = baseline_keep_log(file->connection);
    if (result == SQLITE_OK) atomic_store(&file->is_open, 1);
    return result;
}

static int read_page(service *service, file *file, int64_t key) {
    const baseline_requests *requests = service->requests;
    int result = file->page != NULL ? SQLITE_OK : baseline_prepare_page(file->connection, &file->page);
    baseline_summary summary = {0, 0};
    if (result == SQLITE_OK) result = baseline_read_page(file->page, key, requests->page_size, &summary);
    return result == SQLITE_OK && summary.rows != requests->page_size ? SQLITE_MISMATCH : result;
}

static int write_row(service *service, file *file) {
    int result = file->insertion != NULL ? SQLITE_OK : baseline_prepare_insert(file->connection, &file->insertion);
    return result == SQLITE_OK
               ? baseline_insert_one(file->connection, file->insertion, service->requests->rows->entries)
               : result;
}

static int serve(service *service, const baseline_request *request) {
    file *file = &service->files[request->file];
    pthread_mutex_lock(&file->mutex);
    atomic_store(&file->used, atomic_fetch_add(&service->served, 1));
    int result = file->connection != NULL ? SQLITE_OK : open_file(service, file, request->file);
    if (result == SQLITE_OK)
        result = request->writes ? write_row(service, file) : read_page(service, file, request->key);
    pthread_mutex_unlock(&file->mutex);
    return result;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *serve_client(void *argument) {
    client *client = argument;
    service *service = client->service;
    const baseline_requests *requests = service->requests;
    for (size_t i = client->number; i < requests->count; i += requests->clients) {
        double start = now();
        int result = serve(service, &requests->requests[i]);
        requests->times[i] = now() - start;
        if (result != SQLITE_OK) {
            atomic_store(&service->result, result);
            break;
        }
    }
    return NULL;
}

static int serve_clients(service *service) {
    size_t count = service->requests->clients, started = 0;
    pthread_t *threads = calloc(count, sizeof *threads);
    client *clients = calloc(count, sizeof *clients);
    int result = threads != NULL && clients != NULL ? SQLITE_OK : SQLITE_NOMEM;
    for (; result == SQLITE_OK && started < count; started++) {
        clients[started] = (client){service, started};
        if (pthread_create(&threads[started], NULL, serve_client, &clients[started]) != 0) {
            result = SQLITE_ERROR;
            break;
        }
    }
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
    free(clients);
    return result == SQLITE_OK ? atomic_load(&service->result) : result;
}

int baseline_serve(const baseline_requests *requests) {
    file *files = calloc(requests->files, sizeof *files);
    if (files == NULL) return SQLITE_NOMEM;
    for (size_t i = 0; i < requests->files; i++) pthread_mutex_init(&files[i].mutex, NULL);
    service service = {.requests = requests, .files = files, .result = SQLITE_OK};
    int result = serve_clients(&service);
    for (size_t i = 0; i < requests->files; i++) {
        int closed = close_file(&files[i]);
        if (result == SQLITE_OK) result = closed;
        pthread_mutex_destroy(&files[i].mutex);
    }
    free(files);
    return result;
}

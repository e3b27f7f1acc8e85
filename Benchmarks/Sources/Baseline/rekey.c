// fsync and open are POSIX.
#define _GNU_SOURCE
#include "connection.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Opens and keys; what reads the file first proves the key. A file that is attached is made with the same flags.
static int open_keyed(const char *path, const char *key, sqlite3 **connection) {
    int result = sqlite3_open_v2(path, connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                                 NULL);
    if (result == SQLITE_OK) result = sqlite3_key(*connection, key, (int)strlen(key));
    if (result == SQLITE_OK) result = baseline_run(*connection, "SELECT count(*) FROM sqlite_master");
    return result;
}

int baseline_rekey(const char *path, const char *key, const char *next) {
    sqlite3 *connection = NULL;
    int result = open_keyed(path, key, &connection);
    if (result == SQLITE_OK) result = baseline_run(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (result == SQLITE_OK) result = baseline_run(connection, "BEGIN IMMEDIATE");
    if (result == SQLITE_OK) result = sqlite3_rekey(connection, next, (int)strlen(next));
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    // Closing brings the log into the file.
    int closed = sqlite3_close(connection);
    return result == SQLITE_OK ? closed : result;
}

int baseline_change(const char *path, const char *key, const char *statements) {
    sqlite3 *connection = NULL;
    int result = open_keyed(path, key, &connection);
    if (result == SQLITE_OK)
        result = baseline_run(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                                          "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE");
    if (result == SQLITE_OK) result = baseline_run(connection, statements);
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    int closed = sqlite3_close(connection);
    return result == SQLITE_OK ? closed : result;
}

static int synchronize(const char *path) {
    int descriptor = open(path, O_RDONLY);
    int failed = descriptor < 0 || fsync(descriptor) != 0;
    if (descriptor >= 0) close(descriptor);
    return failed ? SQLITE_IOERR : SQLITE_OK;
}

int baseline_export(const char *path, const char *copy, const char *directory, const char *key, const char *next) {
    sqlite3 *connection = NULL;
    char *attach = sqlite3_mprintf("ATTACH %Q AS target KEY %Q", copy, next);
    if (attach == NULL) return SQLITE_NOMEM;
    int result = open_keyed(path, key, &connection);
    if (result == SQLITE_OK) result = baseline_run(connection, "PRAGMA journal_mode = DELETE");
    if (result == SQLITE_OK) result = baseline_run(connection, attach);
    // Until it is complete nobody needs the copy.
    if (result == SQLITE_OK)
        result = baseline_run(connection, "PRAGMA target.journal_mode = OFF; PRAGMA target.synchronous = OFF");
    if (result == SQLITE_OK) result = baseline_run(connection, "SELECT sqlcipher_export('target'); DETACH target");
    sqlite3_free(attach);
    int closed = sqlite3_close(connection);
    if (result == SQLITE_OK) result = closed;
    if (result == SQLITE_OK) result = synchronize(copy);
    if (result == SQLITE_OK && rename(copy, path) != 0) result = SQLITE_IOERR;
    return result == SQLITE_OK ? synchronize(directory) : result;
}

int baseline_check(const char *path, const char *key) {
    sqlite3 *connection = NULL;
    int result = open_keyed(path, key, &connection);
    if (result == SQLITE_OK) result = baseline_run(connection, "PRAGMA integrity_check");
    int closed = sqlite3_close(connection);
    return result == SQLITE_OK ? closed : result;
}

// dlsym and dladdr are extensions on Linux.
#define _GNU_SOURCE
#include "connection.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS "\"id\", \"name\", \"size\", \"score\", \"digest\", \"note\""

// Not checked for NULL where the schema says NOT NULL; a length of text does not count the final NUL.

static void *copy(const void *bytes, int length) {
    char *place = malloc((size_t)length + 1);
    if (place == NULL) return NULL;
    if (length > 0) memcpy(place, bytes, (size_t)length);
    place[length] = 0;
    return place;
}

static void free_entry(baseline_entry *entry) {
    free(entry->name);
    free(entry->digest);
    free(entry->note);
}

static int set(baseline_entry *entry, int64_t id, const char *name, int name_length, int64_t size, double score,
               const void *digest, int digest_length, const char *note, int note_length) {
    entry->id = id;
    entry->name = copy(name, name_length);
    entry->name_length = name_length;
    entry->size = size;
    entry->score = score;
    entry->digest = copy(digest, digest_length);
    entry->digest_length = digest_length;
    entry->note = note == NULL ? NULL : copy(note, note_length);
    entry->note_length = note == NULL ? 0 : note_length;
    return entry->name != NULL && entry->digest != NULL && (note == NULL || entry->note != NULL);
}

// The address after the last entry, in an array that doubles when it is full.
static baseline_entry *next(baseline_list *list) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        baseline_entry *entries = realloc(list->entries, capacity * sizeof *entries);
        if (entries == NULL) return NULL;
        list->entries = entries;
        list->capacity = capacity;
    }
    return &list->entries[list->count++];
}

int baseline_append(baseline_list *list, int64_t id, const char *name, int name_length, int64_t size, double score,
                    const void *digest, int digest_length, const char *note, int note_length) {
    baseline_entry *entry = next(list);
    return entry != NULL &&
           set(entry, id, name, name_length, size, score, digest, digest_length, note, note_length);
}

void baseline_free(baseline_list *list) {
    for (size_t i = 0; i < list->count; i++) free_entry(&list->entries[i]);
    free(list->entries);
    *list = (baseline_list){0};
}

int baseline_run(sqlite3 *connection, const char *sql) { return sqlite3_exec(connection, sql, NULL, NULL, NULL); }

// Opens, keys, sets up and makes one query, which is when the passphrase is derived and the key proved.
static int open_with(const char *path, const char *key, int flags, sqlite3 **connection) {
    int result = sqlite3_open_v2(path, connection, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK) result = sqlite3_key(*connection, key, (int)strlen(key));
    if (result == SQLITE_OK) result = baseline_run(*connection, "SELECT count(*) FROM sqlite_master");
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA foreign_keys = ON");
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA secure_delete = ON");
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA temp_store = MEMORY");
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA trusted_schema = OFF");
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA journal_mode = WAL");
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA synchronous = FULL");
    // As much memory as Strongroom's writer takes: what is compared is the work, not the setting.
    if (result == SQLITE_OK) result = baseline_run(*connection, "PRAGMA cache_size = -16384");
    return result;
}

int baseline_open(const char *path, const char *passphrase, sqlite3 **connection) {
    return open_with(path, passphrase, 0, connection);
}

int baseline_make(const char *path, const char *key, sqlite3 **connection) {
    int result = open_with(path, key, SQLITE_OPEN_CREATE, connection);
    if (result == SQLITE_OK)
        result = baseline_run(
            *connection,
            "CREATE TABLE \"entry\" (\"id\" INTEGER PRIMARY KEY, \"name\" TEXT NOT NULL, "
                                           "\"size\" INTEGER NOT NULL, \"score\" REAL NOT NULL, "
                                           "\"digest\" BLOB NOT NULL, \"note\" TEXT)");
    return result;
}

void baseline_close(sqlite3 *connection) { sqlite3_close_v2(connection); }

int baseline_keep_log(sqlite3 *connection) {
    int is_kept = 1;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &is_kept);
    return result == SQLITE_OK ? baseline_run(connection, "PRAGMA journal_size_limit = 0") : result;
}

const char *baseline_source_id(void) { return sqlite3_sourceid(); }

const char *baseline_library(void) {
    Dl_info info;
    void *place = dlsym(RTLD_DEFAULT, "sqlite3_libversion");
    return place != NULL && dladdr(place, &info) != 0 ? info.dli_fname : NULL;
}

const char *baseline_message(sqlite3 *connection) { return sqlite3_errmsg(connection); }

// Copies the row that the statement stands on.
static int set_from_row(baseline_entry *entry, sqlite3_stmt *statement) {
    const char *name = (const char *)sqlite3_column_text(statement, 1);
    int name_length = sqlite3_column_bytes(statement, 1);
    const void *digest = sqlite3_column_blob(statement, 4);
    int digest_length = sqlite3_column_bytes(statement, 4);
    const char *note = (const char *)sqlite3_column_text(statement, 5);
    int note_length = sqlite3_column_bytes(statement, 5);
    return set(entry, sqlite3_column_int64(statement, 0), name, name_length, sqlite3_column_int64(statement, 2),
               sqlite3_column_double(statement, 3), digest, digest_length, note, note_length);
}

static void add(baseline_summary *summary, const baseline_entry *entry) {
    summary->rows += 1;
    summary->sum += entry->size + entry->name_length + entry->digest_length + entry->note_length;
}

// The rows of a statement; SQLITE_DONE after the last one.
static int copy_rows(sqlite3_stmt *statement, baseline_list *list) {
    int result = SQLITE_OK;
    while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        baseline_entry *entry = next(list);
        result = entry != NULL && set_from_row(entry, statement) ? SQLITE_OK : SQLITE_NOMEM;
    }
    return result;
}

static int fetch_all(sqlite3 *connection, baseline_list *list) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(
        connection, "SELECT " COLUMNS " FROM \"entry\" ORDER BY \"id\"", -1, &statement, NULL);
    if (result == SQLITE_OK) result = copy_rows(statement, list);
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_DONE ? finalized : result;
}

int baseline_prepare_page(sqlite3 *connection, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(
        connection, "SELECT " COLUMNS " FROM \"entry\" WHERE \"id\" >= ?1 ORDER BY \"id\" LIMIT ?2", -1, statement,
        NULL);
}

int baseline_read_page(sqlite3_stmt *statement, int64_t key, int64_t size, baseline_summary *summary) {
    baseline_list list = {0};
    int result = sqlite3_bind_int64(statement, 1, key);
    if (result == SQLITE_OK) result = sqlite3_bind_int64(statement, 2, size);
    if (result == SQLITE_OK) result = copy_rows(statement, &list);
    int reset = sqlite3_reset(statement);
    for (size_t i = 0; i < list.count; i++) add(summary, &list.entries[i]);
    baseline_free(&list);
    return result == SQLITE_DONE ? reset : result;
}

int baseline_fetch(sqlite3 *connection, baseline_summary *summary) {
    baseline_list list = {0};
    int result = baseline_run(connection, "BEGIN DEFERRED");
    if (result == SQLITE_OK) result = fetch_all(connection, &list);
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    for (size_t i = 0; i < list.count; i++) add(summary, &list.entries[i]);
    baseline_free(&list);
    return result;
}

static int stream_all(sqlite3 *connection, baseline_summary *summary) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(
        connection, "SELECT " COLUMNS " FROM \"entry\" ORDER BY \"id\"", -1, &statement, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        baseline_entry entry;
        result = set_from_row(&entry, statement) ? SQLITE_OK : SQLITE_NOMEM;
        add(summary, &entry);
        free_entry(&entry);
    }
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_DONE ? finalized : result;
}

int baseline_stream(sqlite3 *connection, baseline_summary *summary) {
    int result = baseline_run(connection, "BEGIN DEFERRED");
    if (result == SQLITE_OK) result = stream_all(connection, summary);
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    return result;
}

static int find_all(sqlite3 *connection, const int64_t *keys, size_t count, baseline_summary *summary) {
    sqlite3_stmt *statement = NULL;
    int result =
        sqlite3_prepare_v2(connection, "SELECT " COLUMNS " FROM \"entry\" WHERE \"id\" = ?1", -1, &statement, NULL);
    for (size_t i = 0; result == SQLITE_OK && i < count; i++) {
        result = sqlite3_bind_int64(statement, 1, keys[i]);
        int step = result == SQLITE_OK ? sqlite3_step(statement) : SQLITE_ERROR;
        if (step == SQLITE_ROW) {
            baseline_entry entry;
            if (!set_from_row(&entry, statement)) result = SQLITE_NOMEM;
            add(summary, &entry);
            free_entry(&entry);
        } else if (step != SQLITE_DONE) {
            result = step;
        }
        if (result == SQLITE_OK) result = sqlite3_reset(statement);
    }
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_OK ? finalized : result;
}

int baseline_point(sqlite3 *connection, const int64_t *keys, size_t count, baseline_summary *summary) {
    int result = baseline_run(connection, "BEGIN DEFERRED");
    if (result == SQLITE_OK) result = find_all(connection, keys, count, summary);
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    return result;
}

static int run_prepared(sqlite3_stmt *statement) {
    while (sqlite3_step(statement) == SQLITE_ROW) continue;
    return sqlite3_reset(statement);
}

static int find_one(sqlite3_stmt *statement, int64_t key, baseline_summary *summary) {
    int result = sqlite3_bind_int64(statement, 1, key);
    if (result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        baseline_entry entry;
        if (!set_from_row(&entry, statement)) result = SQLITE_NOMEM;
        add(summary, &entry);
        free_entry(&entry);
    }
    int finished = sqlite3_reset(statement);
    return result == SQLITE_OK ? finished : result;
}

int baseline_point_each(sqlite3 *connection, const int64_t *keys, size_t count, int checks, baseline_summary *summary) {
    static const char *const sql[] = {"BEGIN DEFERRED", "SELECT " COLUMNS " FROM \"entry\" WHERE \"id\" = ?1",
                                      "SELECT 1 FROM sqlite_master LIMIT 1", "COMMIT"};
    sqlite3_stmt *statements[4] = {NULL};
    int result = SQLITE_OK;
    for (int i = 0; result == SQLITE_OK && i < 4; i++)
        result = sqlite3_prepare_v2(connection, sql[i], -1, &statements[i], NULL);
    for (size_t i = 0; result == SQLITE_OK && i < count; i++) {
        result = run_prepared(statements[0]);
        if (result == SQLITE_OK) result = find_one(statements[1], keys[i], summary);
        if (result == SQLITE_OK && checks) result = run_prepared(statements[2]);
        if (result == SQLITE_OK) result = run_prepared(statements[3]);
    }
    for (int i = 0; i < 4; i++) sqlite3_finalize(statements[i]);
    return result;
}

int baseline_summarize(sqlite3 *connection, const char *table, const char *text, baseline_summary *summary) {
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT count(*), sum(\"size\" + length(CAST(\"%s\" AS BLOB)) + length(\"digest\") + "
             "ifnull(length(CAST(\"note\" AS BLOB)), 0)) FROM \"%s\"",
             text, table);
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    if (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        summary->rows = sqlite3_column_int64(statement, 0);
        summary->sum = sqlite3_column_int64(statement, 1);
    }
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_ROW ? finalized : result;
}

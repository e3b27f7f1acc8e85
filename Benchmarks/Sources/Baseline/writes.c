#include "connection.h"

// Each of these prepares once, then binds with SQLITE_TRANSIENT, steps and resets for each row.

// The values of a row, from the first parameter on, without its key.
static int bind(sqlite3_stmt *statement, const baseline_entry *entry) {
    int result = sqlite3_bind_text(statement, 1, entry->name, entry->name_length, SQLITE_TRANSIENT);
    if (result == SQLITE_OK) result = sqlite3_bind_int64(statement, 2, entry->size);
    if (result == SQLITE_OK) result = sqlite3_bind_double(statement, 3, entry->score);
    if (result == SQLITE_OK)
        result = sqlite3_bind_blob(statement, 4, entry->digest, entry->digest_length, SQLITE_TRANSIENT);
    if (result == SQLITE_OK)
        result = entry->note == NULL
                     ? sqlite3_bind_null(statement, 5)
                     : sqlite3_bind_text(statement, 5, entry->note, entry->note_length, SQLITE_TRANSIENT);
    return result;
}

static int step(sqlite3 *connection, sqlite3_stmt *statement) {
    int result = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(connection);
    if (result == SQLITE_OK) result = sqlite3_reset(statement);
    return result;
}

int baseline_prepare_insert(sqlite3 *connection, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(
        connection,
        "INSERT INTO \"entry\" (\"name\", \"size\", \"score\", \"digest\", \"note\") VALUES (?1, ?2, ?3, ?4, ?5)", -1,
        statement, NULL);
}

int baseline_insert_one(sqlite3 *connection, sqlite3_stmt *statement, const baseline_entry *entry) {
    int result = bind(statement, entry);
    return result == SQLITE_OK ? step(connection, statement) : result;
}

static int insert_all(sqlite3 *connection, const baseline_list *list) {
    sqlite3_stmt *statement = NULL;
    int result = baseline_prepare_insert(connection, &statement);
    for (size_t i = 0; result == SQLITE_OK && i < list->count; i++)
        result = baseline_insert_one(connection, statement, &list->entries[i]);
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_OK ? finalized : result;
}

static int update_all(sqlite3 *connection, const baseline_list *list) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(
        connection,
        "UPDATE \"entry\" SET \"name\" = ?1, \"size\" = ?2, \"score\" = ?3, \"digest\" = ?4, \"note\" = ?5 "
        "WHERE \"id\" = ?6",
        -1, &statement, NULL);
    for (size_t i = 0; result == SQLITE_OK && i < list->count; i++) {
        result = bind(statement, &list->entries[i]);
        if (result == SQLITE_OK) result = sqlite3_bind_int64(statement, 6, list->entries[i].id);
        if (result == SQLITE_OK) result = step(connection, statement);
        if (result == SQLITE_OK && sqlite3_changes(connection) != 1) result = SQLITE_NOTFOUND;
    }
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_OK ? finalized : result;
}

#define INSERT_ACCOUNT \
    "INSERT INTO \"account\" (\"email\", \"size\", \"score\", \"digest\", \"note\") VALUES (?1, ?2, ?3, ?4, ?5)"

// From SQLite 3.24 on.
static int upsert_natively(sqlite3 *connection, const baseline_list *list) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(
        connection,
        INSERT_ACCOUNT " ON CONFLICT (\"email\") DO UPDATE SET \"size\" = excluded.\"size\", "
                       "\"score\" = excluded.\"score\", \"digest\" = excluded.\"digest\", \"note\" = excluded.\"note\"",
        -1, &statement, NULL);
    for (size_t i = 0; result == SQLITE_OK && i < list->count; i++) {
        result = bind(statement, &list->entries[i]);
        if (result == SQLITE_OK) result = step(connection, statement);
    }
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_OK ? finalized : result;
}

static int update_or_insert(sqlite3 *connection, const baseline_list *list) {
    sqlite3_stmt *update = NULL, *insert = NULL;
    int result = sqlite3_prepare_v2(
        connection,
        "UPDATE \"account\" SET \"size\" = ?2, \"score\" = ?3, \"digest\" = ?4, \"note\" = ?5 WHERE \"email\" = ?1", -1,
        &update, NULL);
    if (result == SQLITE_OK) result = sqlite3_prepare_v2(connection, INSERT_ACCOUNT, -1, &insert, NULL);
    for (size_t i = 0; result == SQLITE_OK && i < list->count; i++) {
        result = bind(update, &list->entries[i]);
        if (result == SQLITE_OK) result = step(connection, update);
        if (result != SQLITE_OK || sqlite3_changes(connection) > 0) continue;
        result = bind(insert, &list->entries[i]);
        if (result == SQLITE_OK) result = step(connection, insert);
    }
    int update_finalized = sqlite3_finalize(update);
    int insert_finalized = sqlite3_finalize(insert);
    if (result == SQLITE_OK) result = update_finalized;
    return result == SQLITE_OK ? insert_finalized : result;
}

static int upsert_all(sqlite3 *connection, const baseline_list *list) {
    return sqlite3_libversion_number() >= 3024000 ? upsert_natively(connection, list)
                                                  : update_or_insert(connection, list);
}

static int in_transaction(sqlite3 *connection, const baseline_list *list,
                          int (*write)(sqlite3 *, const baseline_list *)) {
    int result = baseline_run(connection, "BEGIN IMMEDIATE");
    if (result == SQLITE_OK) result = write(connection, list);
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    return result;
}

int baseline_insert(sqlite3 *connection, const baseline_list *list) {
    return in_transaction(connection, list, insert_all);
}

// Without a transaction around them, each row is committed by itself.
int baseline_insert_each(sqlite3 *connection, const baseline_list *list) { return insert_all(connection, list); }

int baseline_update(sqlite3 *connection, const baseline_list *list) {
    return in_transaction(connection, list, update_all);
}

int baseline_upsert(sqlite3 *connection, const baseline_list *list) {
    return in_transaction(connection, list, upsert_all);
}

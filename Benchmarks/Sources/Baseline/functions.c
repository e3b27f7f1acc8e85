#include "connection.h"

// What a C programmer registers: an integer in and out, and a text in and out.

static void doubled(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    sqlite3_result_int64(context, sqlite3_value_int64(values[0]) * 2);
}

static void same(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    sqlite3_result_text(context, (const char *)sqlite3_value_text(values[0]), sqlite3_value_bytes(values[0]),
                        SQLITE_TRANSIENT);
}

int baseline_register(sqlite3 *connection) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    int result = sqlite3_create_function_v2(connection, "doubled", 1, flags, NULL, doubled, NULL, NULL, NULL);
    if (result != SQLITE_OK) return result;
    return sqlite3_create_function_v2(connection, "same", 1, flags, NULL, same, NULL, NULL, NULL);
}

int baseline_value(sqlite3 *connection, const char *sql, int64_t *value) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_step(statement);
        if (result == SQLITE_ROW) {
            *value = sqlite3_column_int64(statement, 0);
            result = SQLITE_OK;
        }
    }
    sqlite3_finalize(statement);
    return result;
}

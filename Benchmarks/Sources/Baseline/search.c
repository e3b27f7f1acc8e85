#include "connection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef SQLITE_INNOCUOUS
#define SQLITE_INNOCUOUS 0x200000 // since SQLite 3.31, also where the headers are older than the library
#endif

static int insert_all(sqlite3 *connection, const baseline_list *list) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(connection, "INSERT INTO \"document\" (\"title\", \"body\") VALUES (?1, ?2)", -1,
                                    &statement, NULL);
    for (size_t i = 0; result == SQLITE_OK && i < list->count; i++) {
        const baseline_entry *entry = &list->entries[i];
        result = sqlite3_bind_text(statement, 1, entry->name, entry->name_length, SQLITE_TRANSIENT);
        if (result == SQLITE_OK)
            result = sqlite3_bind_text(statement, 2, entry->note, entry->note_length, SQLITE_TRANSIENT);
        if (result == SQLITE_OK) result = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
        if (result == SQLITE_OK) result = sqlite3_reset(statement);
    }
    int finalized = sqlite3_finalize(statement);
    return result == SQLITE_OK ? finalized : result;
}

int baseline_insert_documents(sqlite3 *connection, const baseline_list *list) {
    int result = baseline_run(connection, "BEGIN IMMEDIATE");
    if (result == SQLITE_OK) result = insert_all(connection, list);
    if (result == SQLITE_OK) result = baseline_run(connection, "COMMIT");
    return result;
}

// Copies the row that the statement stands on, and adds its score, which is negative in FTS5.
static int add_hit(sqlite3_stmt *statement, baseline_summary *summary) {
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        const unsigned char *text = sqlite3_column_text(statement, i + 1);
        int length = sqlite3_column_bytes(statement, i + 1);
        texts[i] = malloc((size_t)length + 1);
        if (texts[i] != NULL && text != NULL) memcpy(texts[i], text, (size_t)length + 1);
    }
    int result = texts[0] != NULL && texts[1] != NULL ? SQLITE_OK : SQLITE_NOMEM;
    free(texts[0]);
    free(texts[1]);
    summary->rows += 1;
    summary->sum += llround(sqlite3_column_double(statement, 3) * -1e6);
    return result;
}

static int ask(sqlite3_stmt *statement, const char *query, int length, baseline_summary *summary) {
    int result = sqlite3_bind_text(statement, 1, query, length, SQLITE_TRANSIENT);
    int step = SQLITE_DONE;
    while (result == SQLITE_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) result = add_hit(statement, summary);
    int finished = sqlite3_reset(statement);
    return result == SQLITE_OK ? finished : result;
}

int baseline_search(sqlite3 *connection, const char *queries, baseline_summary *summary) {
    sqlite3_stmt *statement = NULL;
    int result = baseline_run(connection, "BEGIN DEFERRED");
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(
            connection,
            "SELECT d.\"id\", d.\"title\", d.\"body\", f.\"rank\" FROM \"document_fts\" AS f "
            "JOIN \"document\" AS d ON d.\"id\" = f.\"rowid\" WHERE \"document_fts\" MATCH ?1 "
            "ORDER BY f.\"rank\" LIMIT 20",
            -1, &statement, NULL);
    for (const char *start = queries; result == SQLITE_OK && *start != 0;) {
        size_t length = strcspn(start, "\n");
        result = ask(statement, start, (int)length, summary);
        start += length + (start[length] == '\n');
    }
    int finalized = sqlite3_finalize(statement);
    if (result == SQLITE_OK) result = finalized;
    return result == SQLITE_OK ? baseline_run(connection, "COMMIT") : result;
}

static int is_word(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80;
}

// The words of an ASCII text in lower case, separated by spaces: what the library's function returns for it.
static void words(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const unsigned char *text = sqlite3_value_text(values[1]);
    int length = sqlite3_value_bytes(values[1]);
    char *found = malloc((size_t)length + 1);
    if (found == NULL || text == NULL) {
        free(found);
        sqlite3_result_null(context);
        return;
    }
    int end = 0;
    for (int i = 0; i < length; i++) {
        unsigned char byte = text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i];
        if (is_word(byte)) {
            found[end++] = (char)byte;
        } else if (end > 0 && found[end - 1] != ' ') {
            found[end++] = ' ';
        }
    }
    if (end > 0 && found[end - 1] == ' ') end--;
    sqlite3_result_text(context, found, end, free);
}

int baseline_register_words(sqlite3 *connection) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | (sqlite3_libversion_number() < 3031000 ? 0 : SQLITE_INNOCUOUS);
    return sqlite3_create_function_v2(connection, "strongroom_words", 2, flags, NULL, words, NULL, NULL, NULL);
}

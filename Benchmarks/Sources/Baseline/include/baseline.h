// The rival: what a careful C programmer writes against the same SQLCipher library.
//
// What is the same on both sides:
// - the library, the file (made by Strongroom, so page size, cipher settings and tables are the same; where making it
//   is measured, each makes its own with the library's defaults) and its disk;
// - the key: the passphrase, or a raw key, given with sqlite3_key;
// - the connection: SQLITE_OPEN_NOMUTEX, WAL, synchronous FULL, secure_delete ON, temp_store MEMORY, foreign_keys ON;
// - the data, which the Swift side hands over, and the SQL;
// - the work inside the measured time: from BEGIN to the end of COMMIT, copying every value out and freeing the copies;
// - the clock, which runs on the Swift side around the call, and the compiler's optimisation (-O2 in release mode).

#ifndef BASELINE_H
#define BASELINE_H

#include <stddef.h>
#include <stdint.h>

struct sqlite3;

// Text and bytes are malloc'ed and owned; a missing note is NULL.
typedef struct {
    int64_t id;
    char *name;
    int name_length;
    int64_t size;
    double score;
    uint8_t *digest;
    int digest_length;
    char *note;
    int note_length;
} baseline_entry;

typedef struct {
    baseline_entry *entries;
    size_t count;
    size_t capacity;
} baseline_list;

// What was read: the number of rows, and a sum over the sizes and the lengths of what was copied out.
typedef struct {
    int64_t rows;
    int64_t sum;
} baseline_summary;

// Copies an entry to the end of a list. Returns 0 when memory runs out.
int baseline_append(baseline_list *list, int64_t id, const char *name, int name_length, int64_t size, double score,
                    const void *digest, int digest_length, const char *note, int note_length);
void baseline_free(baseline_list *list);

// All of these return the engine's result code.
int baseline_open(const char *path, const char *passphrase, struct sqlite3 **connection);
// The same with a new file and its table of entries, which is committed.
int baseline_make(const char *path, const char *key, struct sqlite3 **connection);
void baseline_close(struct sqlite3 *connection);
// The write-ahead log and its index, empty, stay when the connection is closed.
int baseline_keep_log(struct sqlite3 *connection);
int baseline_insert(struct sqlite3 *connection, const baseline_list *list);
// Commits each row by itself.
int baseline_insert_each(struct sqlite3 *connection, const baseline_list *list);
// Of all columns but the key, by the key; a row that is not there is an error.
int baseline_update(struct sqlite3 *connection, const baseline_list *list);
// Into the table of accounts, by their e-mail address (the entry's name): natively where the library can.
int baseline_upsert(struct sqlite3 *connection, const baseline_list *list);
// Steps through the table and keeps no row.
int baseline_stream(struct sqlite3 *connection, baseline_summary *summary);
int baseline_fetch(struct sqlite3 *connection, baseline_summary *summary);
int baseline_point(struct sqlite3 *connection, const int64_t *keys, size_t count, baseline_summary *summary);
// Each in a transaction of its own; with or without a statement at its end that makes the engine tell of a damaged
// page.
int baseline_point_each(struct sqlite3 *connection, const int64_t *keys, size_t count, int checks,
                        baseline_summary *summary);

// A connection that writes and several that read, with the settings and the memory that Strongroom's have; each is used
// by a thread of its own. To be closed also after a failure; NULL when memory has run out.
typedef struct baseline_pool baseline_pool;

// What threads have done. Times are in nanoseconds.
typedef struct {
    baseline_summary found;
    int64_t duration;
    // The writes in that time, and the processor time of the thread that made them.
    int64_t writes;
    int64_t writer_processor_time;
    // With the one before that time, and the one that was still running at its end.
    int64_t all_writes;
} baseline_done;

int baseline_pool_open(const char *path, const char *passphrase, int readers, baseline_pool **pool);
void baseline_pool_close(baseline_pool *pool);
// Each row in a transaction of its own, and each reader its share of the keys.
int baseline_pool_read(baseline_pool *pool, const int64_t *keys, size_t count, baseline_done *done);
// The same while the writer inserts rows, each in a transaction of its own.
int baseline_pool_read_beside_writer(baseline_pool *pool, const int64_t *keys, size_t count, const baseline_list *rows,
                                     baseline_done *done);
// Inserts a number of rows alone, each in a transaction of its own.
int baseline_pool_write(baseline_pool *pool, const baseline_list *rows, int64_t count, baseline_done *done);
// Not measured: deletes the entries after a key, and empties the log.
int baseline_pool_delete_after(baseline_pool *pool, int64_t last, int64_t *deleted);

// A request to one of several files: a page of rows from a key on is read, or a row is written.
typedef struct {
    size_t file;
    int writes;
    int64_t key;
} baseline_request;

typedef struct {
    const baseline_request *requests;
    size_t count;
    // Threads, of which each makes its share of the requests, one after the other.
    size_t clients;
    // The path of a file, with %d for its number, from 0 on.
    const char *path;
    const char *key;
    size_t files;
    // The files that are open at the same time, and those besides that are in use.
    size_t most_open;
    // The rows of a page.
    int64_t page_size;
    // The first one is written.
    const baseline_list *rows;
    // How long each request takes, in seconds; set by the call.
    double *times;
} baseline_requests;

// Answers requests, with one connection for each file, and closes the files.
int baseline_serve(const baseline_requests *requests);

// Rewrites a file with another key, as the engine does it: in one transaction through the log, which is brought into
// the file.
int baseline_rekey(const char *path, const char *key, const char *next);
// The same by an export into a copy, which is brought to the disk and takes the file's place.
int baseline_export(const char *path, const char *copy, const char *directory, const char *key, const char *next);

// Runs the engine's integrity check.
int baseline_check(const char *path, const char *key);

// What is done with each page beside its code; for both, a code is computed for each.
typedef enum {
    baseline_cipher_none, baseline_cipher_decipher, baseline_cipher_encipher, baseline_cipher_both
} baseline_cipher;
// Reads a file on several threads and computes the code of each page, as the check of all pages has to at least. The
// hash is libcrypto's name: "SHA1", "SHA512".
int baseline_hash(const char *path, int page_size, const char *hash, int code_length, int threads,
                  baseline_cipher cipher);
// Derives a key from a passphrase.
int baseline_derive(const char *passphrase, const char *hash, int iterations);
// Writes a block of a file again and again, and brings each to the disk.
int baseline_synchronize(const char *path, int bytes, int count);

// Runs statements on a file in one transaction, as the engine's shell does, and closes it, which brings the log into
// it.
int baseline_change(const char *path, const char *key, const char *statements);

// Runs statements.
int baseline_run(struct sqlite3 *connection, const char *statements);

// Inserts documents: an entry's name as the title, its note as the body.
int baseline_insert_documents(struct sqlite3 *connection, const baseline_list *list);
// Registers a function "strongroom_words" that returns the words of ASCII texts, so that the library's triggers run.
int baseline_register_words(struct sqlite3 *connection);
// The 20 best rows for each of several queries, one a line, in the FTS5 index "document_fts"; the sum is that of the
// scores, in millionths.
int baseline_search(struct sqlite3 *connection, const char *queries, baseline_summary *summary);

// Registers the functions "doubled" of an integer and "same" of a text.
int baseline_register(struct sqlite3 *connection);
// The first value of a query, an integer.
int baseline_value(struct sqlite3 *connection, const char *sql, int64_t *value);

// Not measured: what a table holds; its column of text is named, since the tables differ in it.
int baseline_summarize(struct sqlite3 *connection, const char *table, const char *text, baseline_summary *summary);

// Which build of SQLite the linked library is, and the path of its file (NULL when that is not known).
const char *baseline_source_id(void);
const char *baseline_library(void);

// Gives back what has been freed, so that the process's resident memory is what is in use.
void baseline_release_memory(void);
// The bytes of all that is allocated and not freed; -1 where the allocator does not tell.
int64_t baseline_allocated_memory(void);

const char *baseline_message(struct sqlite3 *connection);

#endif

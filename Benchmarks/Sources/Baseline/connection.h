// What the files of the baseline share.

#ifndef BASELINE_CONNECTION_H
#define BASELINE_CONNECTION_H

#include "baseline.h"

// As in CEngine/shim.h: without it the header hides the keying functions.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>

// A row is inserted by a statement that was prepared for it; without a transaction around it, it is committed by itself.
int baseline_prepare_insert(sqlite3 *connection, sqlite3_stmt **statement);
int baseline_insert_one(sqlite3 *connection, sqlite3_stmt *statement, const baseline_entry *entry);

// Reads and frees the rows from a key on.
int baseline_prepare_page(sqlite3 *connection, sqlite3_stmt **statement);
int baseline_read_page(sqlite3_stmt *statement, int64_t key, int64_t size, baseline_summary *summary);

#ifndef __OPTIMIZE__
#error "A rival without optimisation proves nothing: build with -c release, as Benchmarks/run does."
#endif

#endif

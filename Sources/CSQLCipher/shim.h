// The keying functions are declared only for a library that was built with a codec.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif

// pkg-config names the folder that holds sqlcipher's own sqlite3.h.
#include <sqlite3.h>

#ifndef STRONGROOM_SHIM_H
#define STRONGROOM_SHIM_H

// Swift does not import functions with a variable number of arguments.
static inline int strongroom_enforce_foreign_keys(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, on, (int *)0);
}

#endif

// The SQLCipher framework of Zetetic's package SQLCipher.swift.
#include <SQLCipher/sqlite3.h>

#include "../../shim.h"

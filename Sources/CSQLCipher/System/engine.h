// An installed SQLCipher: pkg-config names the folder that holds its own sqlite3.h, and the library to be linked.
#include <sqlite3.h>

#include "../shim.h"

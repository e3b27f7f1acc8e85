// What the files of the baseline share.

#ifndef BASELINE_CONNECTION_H
#define BASELINE_CONNECTION_H

#include "baseline.h"

// As in CEngine/shim.h: without it the header hides the keying functions.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>

#ifndef __OPTIMIZE__
#error "A rival without optimisation proves nothing: build with -c release, as Benchmarks/run does."
#endif

#endif

// How many tests run at a time.
//
// Swift Testing starts all of them at once and lets them share as many threads as there are cores. Of nearly two
// thousand, each waits for all the others whenever it waits for anything: a test of a timeout is late by seconds, and
// what a test has started stands about until it is its turn again. A few for each core keep the cores as busy, and end
// sooner.
//
// Said before the tests are looked for, since nothing in the package's manifest and no trait can say it. Who sets the
// variable themselves is heeded.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "width.h"

static const char variable[] = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH";
static const long testsOfACore = 4;

__attribute__((constructor)) static void setWidth(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char width[24];
    snprintf(width, sizeof width, "%ld", (cores < 1 ? 1 : cores) * testsOfACore);
    setenv(variable, width, 0);
}

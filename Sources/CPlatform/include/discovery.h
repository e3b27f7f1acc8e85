#ifndef STRONGROOM_DISCOVERY_H
#define STRONGROOM_DISCOVERY_H

#include <stddef.h>

/// A function that a configuration's macro placed into the program; it writes what it describes to the destination.
typedef void (*strongroom_entry)(void *_Nonnull destination);

/// Calls a function for every entry of the program, and of nothing else when there is none.
void strongroom_for_each_entry(
    void *_Nonnull context, void (*_Nonnull body)(void *_Nonnull context, strongroom_entry _Nonnull entry));

#endif

// What is to happen to a process's calls on the files below one directory.
//
// The environment says it:
//   STRONGROOM_FAULT_DIRECTORY  the directory, with every symbolic link followed; without it nothing is done
//   STRONGROOM_FAULT_TRACE      a file that gets a line for each call: its number, its name, the file's name
//   STRONGROOM_FAULT_DO         one of
//       kill-before, kill-after the process kills itself before or after the call tear half of a write is done, then
//       the process kills itself; another call is not done at all cut the power is cut before the call: what was not
//       brought to the disk is lost, whole or in sectors fail the call fails with EIO, once full from this call on
//       writes fail with ENOSPC, as long as there is a filler; the first is done by half
//   STRONGROOM_FAULT_AT         the number of the call, from 1
//   STRONGROOM_FAULT_SEED       what a power cut leaves; 0 or none: nothing that was not brought to the disk
//   STRONGROOM_FAULT_LIES       set: fsync and fdatasync do nothing and say that they did
//   STRONGROOM_FAULT_FILLER     a file that fills the disk: when it is gone, there is space again
#ifndef STRONGROOM_FAULT_PLAN_H
#define STRONGROOM_FAULT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum fault { FAULT_NONE, KILL_BEFORE, KILL_AFTER, TEAR, CUT, FAIL, FULL };

struct plan {
    char directory[4096];
    size_t length;
    enum fault what;
    long at;
    unsigned long seed;
    bool lies;
    const char *filler;
};

extern struct plan plan;

// The part of a path below the directory; NULL when it does not lie there. The directory itself is "".
const char *below(const char *path);

// The path of an open file, in a buffer of the caller's. NULL for what has none.
const char *path_of(int descriptor, char *buffer, size_t size);

// The path that a call with a directory's descriptor means.
const char *path_at(int directory, const char *path, char *buffer, size_t size);

// Counts a call, locks out all others, and kills the process if it is to die before this one. Returns the call's
// number.
long enter(const char *call, const char *name);

// Kills the process if it is to die after this call, and lets others in.
void leave(long number);

// Whether a call is to fail with EIO.
bool fails(long number);

// Whether there is no space for a write.
bool is_full(long number);

// The end: SIGKILL.
void die(void) __attribute__((noreturn));

#endif

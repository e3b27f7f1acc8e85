// What lies on the disk for good, and so what a power cut leaves.
//
// A file's content is on the disk when the file was synchronized, a name when its directory was; what was there when
// the process began is. Of the rest a power cut leaves a part that its seed chooses: of each file's content any of its
// sectors of 512 bytes, and the old or the new length; of the names the first so many changes, as a file system with a
// journal keeps their order. The log's index (-shm) is shared memory, which no power cut survives in use; it stays as
// it is.
#ifndef STRONGROOM_FAULT_DISK_H
#define STRONGROOM_FAULT_DISK_H

#include <stdbool.h>

// Takes what is there now as being on the disk.
void disk_begin(void);

// All names are those of files directly in the directory; those below are left alone.
void disk_opened(const char *name, bool is_new);
void disk_synchronized(int descriptor, const char *name);
void disk_linked(const char *from, const char *to);
void disk_renamed(const char *from, const char *to);
void disk_unlinked(const char *name);

// Makes the directory what a power cut would leave of it.
void disk_cut(unsigned long seed);

#endif

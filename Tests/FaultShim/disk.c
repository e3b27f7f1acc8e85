#define _GNU_SOURCE
#include "disk.h"
#include "plan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SECTOR = 512, MOST = 256, NAME = 256 };

// A file and the content that is on the disk. Its descriptor stays open: closing it would drop the engine's locks, and
// an open file's number is not given to another.
struct image {
    ino_t number;
    int descriptor;
    char *bytes;
    size_t size;
};

struct name {
    char text[NAME];
    int image;
};

struct change {
    enum { ADDED, REMOVED, MOVED } what;
    struct name name;
    char target[NAME];
};

struct names {
    struct name all[MOST];
    int count;
};

static struct image images[MOST];
static int image_count;
static struct names durable;
static struct change changes[MOST];
static int change_count;

static bool is_tracked(const char *name) {
    size_t length = strlen(name);
    return length > 0 && length < NAME && !strchr(name, '/') && !(length > 4 && !strcmp(name + length - 4, "-shm"));
}

static const char *full(const char *name, char *buffer) {
    snprintf(buffer, 4096 + NAME, "%s/%s", plan.directory, name);
    return buffer;
}

static void give_up(const char *what) {
    dprintf(2, "fault shim: %s\n", what);
    _exit(99);
}

static char *content(int descriptor, size_t *size) {
    struct stat status;
    if (fstat(descriptor, &status)) give_up("a file's length is not told");
    char *bytes = malloc((size_t)status.st_size + 1);
    size_t done = 0;
    while (done < (size_t)status.st_size) {
        long length = syscall(SYS_pread64, descriptor, bytes + done, (size_t)status.st_size - done, done);
        if (length <= 0) give_up("a file cannot be read");
        done += (size_t)length;
    }
    *size = done;
    return bytes;
}

// The image of the file that has a name now; made when there is none yet. -1 for what is no file.
static int image_named(const char *name, bool is_new) {
    char path[4096 + NAME];
    struct stat status;
    if (lstat(full(name, path), &status) || !S_ISREG(status.st_mode)) return -1;
    for (int i = 0; i < image_count; i++)
        if (images[i].number == status.st_ino) return i;
    if (image_count == MOST) give_up("too many files");
    struct image *image = &images[image_count];
    image->number = status.st_ino;
    image->descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (image->descriptor < 0) give_up("a file cannot be opened");
    if (is_new) image->bytes = calloc(1, 1);
    else image->bytes = content(image->descriptor, &image->size);
    return image_count++;
}

static int place_of(const struct names *names, const char *name) {
    for (int i = 0; i < names->count; i++)
        if (!strcmp(names->all[i].text, name)) return i;
    return -1;
}

static void set_name(struct names *names, const char *name, int image) {
    int place = place_of(names, name);
    if (place < 0) place = names->count++;
    if (place >= MOST) give_up("too many names");
    strcpy(names->all[place].text, name);
    names->all[place].image = image;
}

static void remove_name(struct names *names, const char *name) {
    int place = place_of(names, name);
    if (place >= 0) names->all[place] = names->all[--names->count];
}

static void apply(struct names *names, const struct change *change) {
    if (change->what != ADDED) remove_name(names, change->name.text);
    if (change->what == ADDED) set_name(names, change->name.text, change->name.image);
    if (change->what == MOVED) set_name(names, change->target, change->name.image);
}

static void note(int what, const char *name, const char *target, int image) {
    if (change_count == MOST) give_up("too many changes of names");
    struct change *change = &changes[change_count++];
    change->what = what;
    strcpy(change->name.text, name);
    change->name.image = image;
    strcpy(change->target, target);
}

void disk_begin(void) {
    DIR *directory = opendir(plan.directory);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        int image = is_tracked(entry->d_name) ? image_named(entry->d_name, false) : -1;
        if (image >= 0) set_name(&durable, entry->d_name, image);
    }
}

void disk_opened(const char *name, bool is_new) {
    if (plan.what != CUT || !is_tracked(name)) return;
    int image = image_named(name, is_new);
    if (is_new && image >= 0) note(ADDED, name, "", image);
}

void disk_synchronized(int descriptor, const char *name) {
    if (plan.what != CUT || plan.lies) return;
    if (!*name) {
        for (int i = 0; i < change_count; i++) apply(&durable, &changes[i]);
        change_count = 0;
        return;
    }
    struct stat status;
    if (fstat(descriptor, &status)) return;
    for (int i = 0; i < image_count; i++) {
        if (images[i].number != status.st_ino) continue;
        free(images[i].bytes);
        images[i].bytes = content(images[i].descriptor, &images[i].size);
    }
}

void disk_linked(const char *from, const char *to) {
    if (plan.what != CUT || !is_tracked(from) || !is_tracked(to)) return;
    int image = image_named(to, false);
    if (image >= 0) note(ADDED, to, "", image);
}

void disk_renamed(const char *from, const char *to) {
    if (plan.what != CUT || !is_tracked(from) || !is_tracked(to)) return;
    int image = image_named(to, false);
    if (image >= 0) note(MOVED, from, to, image);
}

void disk_unlinked(const char *name) {
    if (plan.what != CUT || !is_tracked(name)) return;
    note(REMOVED, name, "", -1);
}

static unsigned long state;

// Of two things the first, when the seed is 0; otherwise either.
static bool keeps_new(void) {
    if (!plan.seed) return false;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 20) & 1;
}

static void tear_content(struct image *image) {
    size_t size;
    char *bytes = content(image->descriptor, &size);
    size_t length = size != image->size && keeps_new() ? size : image->size;
    char *left = calloc(1, length + 1);
    for (size_t start = 0; start < length; start += SECTOR) {
        size_t end = start + SECTOR < length ? start + SECTOR : length;
        bool is_new = keeps_new();
        const char *source = is_new ? bytes : image->bytes;
        size_t available = is_new ? size : image->size;
        // What neither write nor disk had is zeros.
        if (start < available) memcpy(left + start, source + start, (end < available ? end : available) - start);
    }
    if (syscall(SYS_ftruncate, image->descriptor, 0)) give_up("a file cannot be cut");
    for (size_t done = 0; done < length;) {
        long written = syscall(SYS_pwrite64, image->descriptor, left + done, length - done, done);
        if (written <= 0) give_up("a file cannot be written");
        done += (size_t)written;
    }
    free(bytes);
    free(image->bytes);
    free(left);
}

static void put_back(const struct name *name) {
    char path[4096 + NAME], source[64];
    struct stat status;
    struct image *image = &images[name->image];
    bool is_there = !lstat(full(name->text, path), &status);
    if (is_there && status.st_ino == image->number) return;
    if (is_there) syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    snprintf(source, sizeof source, "/proc/self/fd/%d", image->descriptor);
    if (!syscall(SYS_linkat, AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) return;
    // The file has no name any more and can get none: a copy of it does.
    size_t size;
    char *bytes = content(image->descriptor, &size);
    image->descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (image->descriptor < 0 || fstat(image->descriptor, &status)) give_up("a file cannot be made");
    image->number = status.st_ino;
    if (size && syscall(SYS_pwrite64, image->descriptor, bytes, size, 0) != (long)size)
        give_up("a file cannot be written");
    free(bytes);
}

void disk_cut(unsigned long seed) {
    state = seed * 0x9E3779B97F4A7C15ul + 1;
    for (int i = 0; i < image_count; i++) tear_content(&images[i]);
    int kept = 0;
    while (kept < change_count && keeps_new()) kept++;
    struct names wanted = durable;
    for (int i = 0; i < kept; i++) apply(&wanted, &changes[i]);
    for (int i = 0; i < wanted.count; i++) put_back(&wanted.all[i]);
    DIR *directory = opendir(plan.directory);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        char path[4096 + NAME];
        if (!is_tracked(entry->d_name) || entry->d_type != DT_REG || place_of(&wanted, entry->d_name) >= 0) continue;
        syscall(SYS_unlinkat, AT_FDCWD, full(entry->d_name, path), 0);
    }
}

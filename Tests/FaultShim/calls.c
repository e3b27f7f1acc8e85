// The calls that are counted, in place of the C library's: the kernel is called directly, so that nothing need be
// looked up.
#define _GNU_SOURCE
#include "disk.h"
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { PATH = 8192 };

static long failure(int reason) {
    errno = reason;
    return -1;
}

// offset: -1 for where the file stands.
static long do_write(int descriptor, const void *bytes, size_t count, off_t offset) {
    return offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                      : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

static ssize_t counted_write(const char *call, int descriptor, const void *bytes, size_t count, off_t offset) {
    char buffer[PATH];
    const char *name = below(path_of(descriptor, buffer, sizeof buffer));
    if (!name) return do_write(descriptor, bytes, count, offset);
    long number = enter(call, name), result;
    if (number == plan.at && plan.what == TEAR) {
        do_write(descriptor, bytes, count / 2, offset);
        die();
    }
    if (is_full(number)) {
        bool fits_half = number == plan.at && count > 1;
        result = fits_half ? do_write(descriptor, bytes, count / 2, offset) : failure(ENOSPC);
    } else {
        result = fails(number) ? failure(EIO) : do_write(descriptor, bytes, count, offset);
    }
    int reason = errno;
    leave(number);
    errno = reason;
    return result;
}

PUBLIC ssize_t write(int descriptor, const void *bytes, size_t count) {
    return counted_write("write", descriptor, bytes, count, -1);
}

PUBLIC ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return counted_write("pwrite", descriptor, bytes, count, offset);
}

PUBLIC ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return counted_write("pwrite", descriptor, bytes, count, offset);
}

// Begins a call that is no write, which is not torn but left out.
static long enter_whole(const char *call, const char *name) {
    long number = enter(call, name);
    if (number == plan.at && plan.what == TEAR) die();
    return number;
}

static int counted_synchronization(const char *call, long system_call, int descriptor) {
    char buffer[PATH];
    const char *name = below(path_of(descriptor, buffer, sizeof buffer));
    if (!name) return (int)syscall(system_call, descriptor);
    long number = enter_whole(call, name);
    // The disk does not change under a test: what counts is what the shim holds to be on it.
    long result = fails(number) ? failure(EIO) : 0;
    if (!result) disk_synchronized(descriptor, name);
    int reason = errno;
    leave(number);
    errno = reason;
    return (int)result;
}

PUBLIC int fsync(int descriptor) { return counted_synchronization("fsync", SYS_fsync, descriptor); }

PUBLIC int fdatasync(int descriptor) { return counted_synchronization("fdatasync", SYS_fdatasync, descriptor); }

static int counted_truncation(int descriptor, off_t length) {
    char buffer[PATH];
    const char *name = below(path_of(descriptor, buffer, sizeof buffer));
    if (!name) return (int)syscall(SYS_ftruncate, descriptor, length);
    long number = enter_whole("ftruncate", name);
    long result = fails(number) ? failure(EIO) : syscall(SYS_ftruncate, descriptor, length);
    int reason = errno;
    leave(number);
    errno = reason;
    return (int)result;
}

PUBLIC int ftruncate(int descriptor, off_t length) { return counted_truncation(descriptor, length); }

PUBLIC int ftruncate64(int descriptor, off64_t length) { return counted_truncation(descriptor, length); }

PUBLIC int unlinkat(int directory, const char *path, int flags) {
    char buffer[PATH];
    const char *name = below(path_at(directory, path, buffer, sizeof buffer));
    // A directory is no file, and what is not there is no change.
    if (!name || flags || syscall(SYS_faccessat, directory, path, F_OK))
        return (int)syscall(SYS_unlinkat, directory, path, flags);
    long number = enter_whole("unlink", name);
    long result = fails(number) ? failure(EIO) : syscall(SYS_unlinkat, directory, path, flags);
    int reason = errno;
    if (!result) disk_unlinked(name);
    leave(number);
    errno = reason;
    return (int)result;
}

PUBLIC int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

PUBLIC int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    char from_buffer[PATH], to_buffer[PATH];
    const char *source = below(path_at(from_directory, from, from_buffer, sizeof from_buffer));
    const char *target = below(path_at(to_directory, to, to_buffer, sizeof to_buffer));
    if (!source || !target) return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
    long number = enter_whole("rename", target);
    long result = fails(number) ? failure(EIO) : syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
    int reason = errno;
    if (!result) disk_renamed(source, target);
    leave(number);
    errno = reason;
    return (int)result;
}

PUBLIC int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

PUBLIC int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
    char from_buffer[PATH], to_buffer[PATH];
    const char *source = below(path_at(from_directory, from, from_buffer, sizeof from_buffer));
    const char *target = below(path_at(to_directory, to, to_buffer, sizeof to_buffer));
    if (!source || !target) return (int)syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
    long number = enter_whole("link", target);
    long result = fails(number) ? failure(EIO) : syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
    int reason = errno;
    if (!result) disk_linked(source, target);
    leave(number);
    errno = reason;
    return (int)result;
}

PUBLIC int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

static int counted_open(int directory, const char *path, int flags, mode_t mode) {
    char buffer[PATH];
    const char *name = flags & O_CREAT ? below(path_at(directory, path, buffer, sizeof buffer)) : NULL;
    if (!name) return (int)syscall(SYS_openat, directory, path, flags, mode);
    // Only what makes a file is counted.
    bool is_new = syscall(SYS_faccessat, directory, path, F_OK) != 0;
    if (!is_new) return (int)syscall(SYS_openat, directory, path, flags, mode);
    long number = enter_whole("create", name);
    long result = fails(number) ? failure(EIO) : syscall(SYS_openat, directory, path, flags, mode);
    int reason = errno;
    if (result >= 0) disk_opened(name, is_new);
    leave(number);
    errno = reason;
    return (int)result;
}

#define MODE_OF(flags, mode)                     \
    mode_t mode = 0;                             \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {     \
        va_list arguments;                       \
        va_start(arguments, flags);              \
        mode = va_arg(arguments, mode_t);        \
        va_end(arguments);                       \
    }

PUBLIC int open(const char *path, int flags, ...) {
    MODE_OF(flags, mode)
    return counted_open(AT_FDCWD, path, flags, mode);
}

PUBLIC int open64(const char *path, int flags, ...) {
    MODE_OF(flags, mode)
    return counted_open(AT_FDCWD, path, flags, mode);
}

PUBLIC int openat(int directory, const char *path, int flags, ...) {
    MODE_OF(flags, mode)
    return counted_open(directory, path, flags, mode);
}

PUBLIC int openat64(int directory, const char *path, int flags, ...) {
    MODE_OF(flags, mode)
    return counted_open(directory, path, flags, mode);
}

#define _GNU_SOURCE
#include "plan.h"
#include "disk.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct plan plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;
static int trace = -1;

static enum fault fault_named(const char *name) {
    static const char *names[] = {"none", "kill-before", "kill-after", "tear", "cut", "fail", "full"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return (enum fault)i;
    return FAULT_NONE;
}

static long number_in(const char *variable) {
    const char *text = getenv(variable);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *directory = getenv("STRONGROOM_FAULT_DIRECTORY");
    if (!directory || strlen(directory) >= sizeof plan.directory) return;
    plan.what = fault_named(getenv("STRONGROOM_FAULT_DO"));
    plan.at = number_in("STRONGROOM_FAULT_AT");
    plan.seed = (unsigned long)number_in("STRONGROOM_FAULT_SEED");
    plan.lies = getenv("STRONGROOM_FAULT_LIES") != NULL;
    plan.filler = getenv("STRONGROOM_FAULT_FILLER");
    const char *log = getenv("STRONGROOM_FAULT_TRACE");
    if (log) trace = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    strcpy(plan.directory, directory);
    if (plan.what == CUT) disk_begin();
    // Last: from here on calls are counted.
    plan.length = strlen(directory);
}

const char *below(const char *path) {
    if (!path || !plan.length || strncmp(path, plan.directory, plan.length)) return NULL;
    if (!path[plan.length]) return "";
    return path[plan.length] == '/' ? path + plan.length + 1 : NULL;
}

const char *path_of(int descriptor, char *buffer, size_t size) {
    if (!plan.length) return NULL;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, size - 1);
    if (length <= 0) return NULL;
    buffer[length] = 0;
    char *gone = strstr(buffer, " (deleted)");
    if (gone) *gone = 0;
    return buffer;
}

const char *path_at(int directory, const char *path, char *buffer, size_t size) {
    if (!plan.length || !path || path[0] == '/' || directory == AT_FDCWD) return path;
    if (!path_of(directory, buffer, size)) return NULL;
    size_t length = strlen(buffer);
    snprintf(buffer + length, size - length, "/%s", path);
    return buffer;
}

void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

long enter(const char *call, const char *name) {
    pthread_mutex_lock(&lock);
    long number = ++count;
    if (trace >= 0) {
        char line[4200];
        int length = snprintf(line, sizeof line, "%ld %s %s\n", number, call, *name ? name : ".");
        syscall(SYS_write, trace, line, length);
    }
    if (number == plan.at && plan.what == KILL_BEFORE) die();
    if (number == plan.at && plan.what == CUT) {
        disk_cut(plan.seed);
        die();
    }
    return number;
}

void leave(long number) {
    if (number == plan.at && plan.what == KILL_AFTER) die();
    pthread_mutex_unlock(&lock);
}

bool fails(long number) { return plan.what == FAIL && number == plan.at; }

bool is_full(long number) {
    if (plan.what != FULL || number < plan.at) return false;
    return !plan.filler || !syscall(SYS_faccessat, AT_FDCWD, plan.filler, F_OK);
}

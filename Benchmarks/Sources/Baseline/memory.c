// open_memstream is of POSIX 2008, malloc_info an extension.
#define _GNU_SOURCE
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <string.h>

// The size in the last element that begins so: the one after those of each arena, over all of them.
static int64_t last_size(const char *text, const char *start) {
    const char *found = NULL;
    for (const char *next = text; (next = strstr(next, start)) != NULL; next++) found = next;
    const char *size = found == NULL ? NULL : strstr(found, "size=\"");
    return size == NULL ? 0 : strtoll(size + strlen("size=\""), NULL, 10);
}

int64_t baseline_allocated_memory(void) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL) return -1;
    int result = malloc_info(0, stream);
    if (fclose(stream) != 0 || result != 0) {
        free(text);
        return -1;
    }
    int64_t bytes = last_size(text, "<system type=\"current\"") + last_size(text, "<total type=\"mmap\"") -
                    last_size(text, "<total type=\"fast\"") - last_size(text, "<total type=\"rest\"");
    free(text);
    return bytes;
}

void baseline_release_memory(void) { malloc_trim(0); }
#else
int64_t baseline_allocated_memory(void) { return -1; }
void baseline_release_memory(void) {}
#endif

#include "discovery.h"

#if defined(__APPLE__)

// The name of the section is the one that the macro gives; see "getsectiondata" in <mach-o/getsect.h>. Every image that
// is loaded is asked, so that frameworks are found, too.
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

void strongroom_for_each_entry(void *context, void (*body)(void *context, strongroom_entry entry)) {
    uint32_t images = _dyld_image_count();
    for (uint32_t image = 0; image < images; image++) {
        const struct mach_header_64 *header = (const struct mach_header_64 *)_dyld_get_image_header(image);
        unsigned long size = 0;
        if (header == NULL) continue;
        const strongroom_entry *entries =
            (const strongroom_entry *)getsectiondata(header, "__DATA_CONST", "strongroom_cfg", &size);
        if (entries == NULL) continue;
        for (size_t i = 0; i < size / sizeof(strongroom_entry); i++) {
            if (entries[i] != NULL) body(context, entries[i]);
        }
    }
}

#elif defined(__ELF__)

// The linker makes these two for a section whose name is an identifier; weak, since a program may have no such section.
extern const strongroom_entry __start_strongroom_cfg[] __attribute__((weak, visibility("hidden")));
extern const strongroom_entry __stop_strongroom_cfg[] __attribute__((weak, visibility("hidden")));

void strongroom_for_each_entry(void *context, void (*body)(void *context, strongroom_entry entry)) {
    for (const strongroom_entry *entry = __start_strongroom_cfg; entry < __stop_strongroom_cfg; entry++) {
        if (*entry != NULL) body(context, *entry);
    }
}

#else

void strongroom_for_each_entry(void *context, void (*body)(void *context, strongroom_entry entry)) {}

#endif

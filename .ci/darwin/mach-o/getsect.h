// A stub of Apple's header, after cctools': what discovery.c uses.
#include <stdint.h>

struct mach_header_64;
extern uint8_t *getsectiondata(
    const struct mach_header_64 *mhp, const char *segname, const char *sectname, unsigned long *size);

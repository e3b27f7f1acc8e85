// A stub of Apple's header, after dyld's: what discovery.c uses.
#include <stdint.h>

struct mach_header;
extern uint32_t _dyld_image_count(void);
extern const struct mach_header *_dyld_get_image_header(uint32_t image_index);

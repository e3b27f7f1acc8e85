#ifndef STRONGROOM_ATTRIBUTES_H
#define STRONGROOM_ATTRIBUTES_H

// Extended attributes, which Swift's modules of the C library do not show on Linux. Declared here, since the system's
// own header would bring types along that belong to those modules.
#ifdef __linux__
#include <stddef.h>

ptrdiff_t llistxattr(const char *_Nonnull path, char *_Nullable list, size_t size);
ptrdiff_t lgetxattr(const char *_Nonnull path, const char *_Nonnull name, void *_Nullable value, size_t size);
int fsetxattr(
    int descriptor, const char *_Nonnull name, const void *_Nullable value, size_t size, int flags);
int fremovexattr(int descriptor, const char *_Nonnull name);
#endif

#endif

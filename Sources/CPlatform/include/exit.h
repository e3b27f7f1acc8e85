#ifndef STRONGROOM_EXIT_H
#define STRONGROOM_EXIT_H

/// Whether the engine frees its keys when the program calls `exit`.
int strongroom_engine_ends_at_exit(void);

/// From now on, a call of `exit` is recorded before the cleanup of what was initialised earlier.
void strongroom_watch_exit(void);

/// Waits until the process has ended if another thread has called `exit`, at most five seconds.
///
/// - Returns: Nonzero if `exit` was called.
int strongroom_wait_for_exit(void);

#endif

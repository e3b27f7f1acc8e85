import Foundation

/// What the thread sanitizer, under which the tests may run, does not allow.
enum ThreadSanitizer {
    static let isOn = dlsym(nil, "__tsan_init") != nil
}

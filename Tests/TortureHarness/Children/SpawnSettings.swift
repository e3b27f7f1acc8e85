import Foundation

/// What `posix_spawn` is told.
struct SpawnSettings {
    #if canImport(Darwin)
    private var actions: posix_spawn_file_actions_t?
    private var attributes: posix_spawnattr_t?
    #else
    private var actions = posix_spawn_file_actions_t()
    private var attributes = posix_spawnattr_t()
    #endif

    init() throws {
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else {
            throw ChildProcess.CannotStart(description: "posix_spawn")
        }
        // The harness ignores this one; a child is to have it as everybody has it.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    }

    mutating func destroy() {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    mutating func duplicate(_ descriptor: Int32, to other: Int32) {
        posix_spawn_file_actions_adddup2(&actions, descriptor, other)
        posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    mutating func open(_ path: String, _ flags: Int32, as descriptor: Int32) {
        posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o644)
    }

    mutating func start(_ arguments: [String], _ environment: [String: String]) throws -> pid_t {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for text in words + variables { free(text) }
        }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, arguments[0], &actions, &attributes, &words, &variables)
        guard code == 0 else {
            throw ChildProcess.CannotStart(description: "\(arguments[0]): \(String(cString: strerror(code)))")
        }
        return identifier
    }
}

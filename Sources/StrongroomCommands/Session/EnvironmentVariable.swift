#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Single variables of the process's environment: a dictionary of all would copy those that contain keys, too.
enum EnvironmentVariable {
    static func isSet(_ name: String) -> Bool { getenv(name) != nil }

    /// - Returns: The value; nil if the variable is not set.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The variables of a list that are set.
    static func values(_ names: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: names.compactMap { name in value(name).map { (name, $0) } })
    }

    /// Overwrites a variable's value in place, and removes the variable. The command line has been parsed by then, and
    /// no other thread changes the environment.
    static func erase(_ name: String) {
        guard let value = getenv(name) else { return }
        UnsafeMutableRawBufferPointer(start: value, count: strlen(value)).initializeMemory(as: UInt8.self, repeating: 0)
        unsetenv(name)
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Variables of the process's environment, one at a time: a dictionary of all would copy those that hold keys, too.
enum EnvironmentVariable {
    static func isSet(_ name: String) -> Bool { getenv(name) != nil }

    /// - Returns: The value; nil for a variable that is not set.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The variables of a list that are set.
    static func values(_ names: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: names.compactMap { name in value(name).map { (name, $0) } })
    }

    /// Overwrites a variable's value where it lies, and removes the variable. The command line is parsed by then, and
    /// no other thread changes the environment.
    static func erase(_ name: String) {
        guard let value = getenv(name) else { return }
        UnsafeMutableRawBufferPointer(start: value, count: strlen(value)).initializeMemory(as: UInt8.self, repeating: 0)
        unsetenv(name)
    }
}

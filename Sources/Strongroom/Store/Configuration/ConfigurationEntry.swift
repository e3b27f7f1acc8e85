import CDiscovery

/// A configuration embedded in the program by the macro `@Configuration`; do not use it directly.
public struct _ConfigurationEntry: Sendable {
    /// The function whose pointer is stored in the program's section.
    public typealias Writer = @convention(c) (UnsafeMutableRawPointer) -> Void

    let type: any Configuration.Type
    let make: @Sendable () -> any Configuration

    /// Writes an entry to memory that Strongroom provides.
    ///
    /// - Parameters:
    ///   - make: Creates the configuration.
    ///   - destination: Memory for one entry, which Strongroom passes to the function in the section.
    public static func write<C: Configuration>(
        _ make: @escaping @Sendable () -> C, to destination: UnsafeMutableRawPointer
    ) {
        destination.assumingMemoryBound(to: _ConfigurationEntry?.self).pointee = _ConfigurationEntry(
            type: C.self, make: make)
    }

    /// All entries of the program.
    static func all() -> [_ConfigurationEntry] {
        var entries: [_ConfigurationEntry] = []
        withUnsafeMutablePointer(to: &entries) { list in
            strongroom_for_each_entry(list) { list, function in
                var entry: _ConfigurationEntry?
                withUnsafeMutablePointer(to: &entry) { function($0) }
                guard let entry else { return }
                list.assumingMemoryBound(to: [_ConfigurationEntry].self).pointee.append(entry)
            }
        }
        // The order must not depend on the linker.
        return entries.sorted { String(reflecting: $0.type) < String(reflecting: $1.type) }
    }
}

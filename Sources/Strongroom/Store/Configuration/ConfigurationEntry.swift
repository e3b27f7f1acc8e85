import CDiscovery

/// A configuration that lies in the program; what the macro `@Configuration` writes, and not for use by hand.
public struct ConfigurationEntry: Sendable {
    /// The function whose pointer lies in the program's section.
    public typealias Writer = @convention(c) (UnsafeMutableRawPointer) -> Void

    let type: any Configuration.Type
    let make: @Sendable () -> any Configuration

    /// Writes an entry to where Strongroom asks for it.
    ///
    /// - Parameters:
    ///   - make: Makes the configuration.
    ///   - destination: Where the entry goes; memory for one, as Strongroom hands it to the function in the section.
    public static func write<C: Configuration>(
        _ make: @escaping @Sendable () -> C, to destination: UnsafeMutableRawPointer
    ) {
        destination.assumingMemoryBound(to: ConfigurationEntry?.self).pointee = ConfigurationEntry(
            type: C.self, make: make)
    }

    /// All entries of the program.
    static func all() -> [ConfigurationEntry] {
        var entries: [ConfigurationEntry] = []
        withUnsafeMutablePointer(to: &entries) { list in
            strongroom_for_each_entry(list) { list, function in
                var entry: ConfigurationEntry?
                withUnsafeMutablePointer(to: &entry) { function($0) }
                guard let entry else { return }
                list.assumingMemoryBound(to: [ConfigurationEntry].self).pointee.append(entry)
            }
        }
        // The linker's order is nobody's business.
        return entries.sorted { String(reflecting: $0.type) < String(reflecting: $1.type) }
    }
}

import Foundation

/// How a store's connections behave.
///
/// ```swift
/// StoreSettings(readers: 8, busyTimeout: .seconds(30))
/// ```
public struct StoreSettings: Sendable, Equatable {
    /// The most readers at one time, 1 to 1,024; what lies outside counts as the nearest.
    public var readers: Int {
        didSet { readers = Self.limited(readers) }
    }

    private static func limited(_ readers: Int) -> Int { min(max(1, readers), 1_024) }

    /// How long a statement waits for a lock of another process.
    public var busyTimeout: Duration

    /// How long opening waits for another process that is opening the same file.
    public var openTimeout: Duration

    /// Describes a store's behaviour.
    ///
    /// - Parameters:
    ///   - readers: The most readers at one time, 1 to 1,024; nil for the number of processors, at least 2.
    ///   - busyTimeout: How long a statement waits for a lock of another process.
    ///   - openTimeout: How long opening waits for another process that is opening the same file.
    public init(readers: Int? = nil, busyTimeout: Duration = .seconds(5), openTimeout: Duration = .seconds(30)) {
        self.readers = Self.limited(readers ?? max(2, ProcessInfo.processInfo.activeProcessorCount))
        self.busyTimeout = busyTimeout
        self.openTimeout = openTimeout
    }
}

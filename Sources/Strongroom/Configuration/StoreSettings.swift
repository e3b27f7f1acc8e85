import Foundation

/// How a store's connections behave.
///
/// ```swift
/// StoreSettings(readers: 8, busyTimeout: .seconds(30))
/// ```
public struct StoreSettings: Sendable, Equatable {
    /// The most readers at one time; fewer than 1 count as 1.
    public var readers: Int {
        didSet { readers = max(1, readers) }
    }

    /// How long a statement waits for a lock of another process.
    public var busyTimeout: Duration

    /// How long opening waits for another process that is opening the same file.
    public var openTimeout: Duration

    /// Describes a store's behaviour.
    ///
    /// - Parameters:
    ///   - readers: The most readers at one time, at least 1; nil for the number of processors, at least 2.
    ///   - busyTimeout: How long a statement waits for a lock of another process.
    ///   - openTimeout: How long opening waits for another process that is opening the same file.
    public init(readers: Int? = nil, busyTimeout: Duration = .seconds(5), openTimeout: Duration = .seconds(30)) {
        self.readers = max(1, readers ?? max(2, ProcessInfo.processInfo.activeProcessorCount))
        self.busyTimeout = busyTimeout
        self.openTimeout = openTimeout
    }
}

import Dispatch

/// Closes unused readers when the system is short of memory. Only Apple platforms report memory pressure; elsewhere use
/// ``StoreSettings/readerIdleTime`` and ``Store/releaseMemory()``.
final class MemoryPressure: Sendable {
    #if canImport(Darwin)
    private let source: Locked<any DispatchSourceMemoryPressure>

    init(of pool: ConnectionPool) {
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
        source.setEventHandler { [weak pool] in pool?.closeIdleReaders() }
        source.activate()
        self.source = Locked(source)
    }

    deinit {
        source.withLock { $0.cancel() }
    }
    #else
    init(of pool: ConnectionPool) {}
    #endif
}

import Dispatch

/// Closes the readers that nobody uses when the system is short of memory. Only Apple's systems tell programs of it;
/// elsewhere there are ``StoreSettings/readerIdleTime`` and ``Store/releaseMemory()``.
final class MemoryPressure: Sendable {
    #if canImport(Darwin)
    private let source: Locked<any DispatchSourceMemoryPressure>

    init(of access: Access) {
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
        source.setEventHandler { [weak access] in access?.closeIdleReaders() }
        source.activate()
        self.source = Locked(source)
    }

    deinit {
        source.withLock { $0.cancel() }
    }
    #else
    init(of access: Access) {}
    #endif
}

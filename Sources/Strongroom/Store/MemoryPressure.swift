import Dispatch

/// Closes the readers that nobody uses when the system is short of memory. Only Apple's systems tell programs of it; elsewhere there are
/// ``StoreSettings/readerIdleTime`` and ``Store/releaseMemory()``.
final class MemoryPressure: Sendable {
    #if canImport(Darwin)
    // Used by init and deinit alone.
    private nonisolated(unsafe) let source: any DispatchSourceMemoryPressure

    init(of access: Access) {
        source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
        source.setEventHandler { [weak access] in access?.closeIdleReaders() }
        source.activate()
    }

    deinit {
        source.cancel()
    }
    #else
    init(of access: Access) {}
    #endif
}

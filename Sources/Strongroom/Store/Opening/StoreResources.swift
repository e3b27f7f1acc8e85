/// What the stores of a registry share.
struct StoreResources: Sendable {
    /// The threads for their operations.
    var executor = StoreExecutor()
    /// Receives each operation.
    var observer: (any OperationObserver)?
    /// The counters of the stores, by family.
    let families = FamilyCounters()
}

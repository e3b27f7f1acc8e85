/// What the stores of a registry share.
struct StoreResources: Sendable {
    /// The threads for their operations.
    var executor = StoreExecutor()
    /// Is told of each operation that has ended.
    var observer: (any OperationObserver)?
}

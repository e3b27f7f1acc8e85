/// The options of a read or a write.
struct OperationLimits {
    /// Its name in error messages.
    var label: String?
    /// How long it may wait and run.
    var timeout: Duration?
    /// Whether it may begin while the store is closing, as long as closing waits for other operations.
    var isLast = false
    /// Whether the observer of operations receives it.
    var isObserved = true
}

/// What a caller says about a read or a write.
struct OperationLimits {
    /// How errors name it.
    var label: String?
    /// How long it may wait and run.
    var timeout: Duration?
    /// Whether it may begin while the store is being closed, as long as that waits for others.
    var isLast = false
}

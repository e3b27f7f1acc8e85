/// What a caller says about a read or a write.
struct AccessLimits {
    /// How errors name it.
    var label: String?
    /// How long it may wait and run.
    var timeout: Duration?
}

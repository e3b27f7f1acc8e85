#if S3
/// Why a request has no answer that decides its outcome.
struct HTTPFailure: Error, Equatable {
    /// What happened, as the end of "The last attempt failed: ".
    let reason: String
    /// Whether the service may have received the entire request, and so may have carried it out.
    let mayHaveArrived: Bool
    /// The pause that the service asks for.
    var retryAfter: Duration?
}
#endif

import Strongroom
import Testing

/// Checks that work fails with the library's error of a kind, and that it says these words.
@discardableResult
func expectFailure<T>(
    _ code: StrongroomError.Code,
    _ comment: Comment? = nil,
    saying words: String...,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () throws -> T
) throws -> StrongroomError {
    let error = try #require(throws: StrongroomError.self, comment, sourceLocation: sourceLocation) { _ = try work() }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    for word in words { #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation) }
    return error
}

/// Checks that async work fails with the library's error of a kind, and that it says these words.
@discardableResult
func expectFailure<T: Sendable>(
    _ code: StrongroomError.Code,
    _ comment: Comment? = nil,
    saying words: String...,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: @Sendable () async throws -> T
) async throws -> StrongroomError {
    let error = try await #require(throws: StrongroomError.self, comment, sourceLocation: sourceLocation) {
        _ = try await work()
    }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    for word in words { #expect(error.message.contains(word), "\(error)", sourceLocation: sourceLocation) }
    return error
}

import Strongroom
import Testing

@Suite("Errors and what to do")
struct ErrorsAndWhatToDoExamples {
    private enum Answer {
        case tryAgain, askForTheKey, restoreABackup, callTheOperator, rejectTheRequest, reportToTheDeveloper
    }

    /// Without a default: no later version adds a family.
    private func answer(to error: StrongroomError) -> Answer {
        switch error.family {
        case .contention: .tryAgain
        case .keys: .askForTheKey
        case .damage: .restoreABackup
        case .file, .system, .replication: .callTheOperator
        case .data, .query: .rejectTheRequest
        case .usage, .schema: .reportToTheDeveloper
        }
    }

    @Test func aProgramAnswersAFamily() throws {
        #expect(answer(to: StrongroomError(.busy, "")) == .tryAgain)
        #expect(answer(to: StrongroomError(.constraint, "")) == .rejectTheRequest)
        let error = try #require(throws: StrongroomError.self) { try DatabaseName("..") }
        #expect(answer(to: error) == .reportToTheDeveloper && !error.canRetry)
        #expect(StrongroomError(.locked, "").canRetry)
    }
}

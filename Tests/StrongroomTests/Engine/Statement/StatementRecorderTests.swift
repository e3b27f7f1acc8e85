import Testing

@testable import Strongroom

@Suite("Recorded statements")
struct StatementRecorderTests {
    @Test func aChangeIsRecordedOnceAndInItsOrder() {
        let recorder = StatementRecorder()
        for change in ["CREATE TABLE a (x)", "write [\"a\"]", "CREATE TABLE a (x)", "write [\"a\"]", "DROP TABLE a"] {
            recorder.record(change)
        }
        #expect(recorder.lines == ["CREATE TABLE a (x)", "write [\"a\"]", "DROP TABLE a"])
    }
}

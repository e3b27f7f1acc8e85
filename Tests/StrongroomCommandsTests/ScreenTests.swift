import StrongroomCommands
import Testing

struct ScreenTests {
    @Test("A status line that comes late is not shown, not even after the end of a later one")
    func lateStatus() {
        var screen = Screen()
        #expect(screen.showing(status: "40%", stamp: 2) == [Screen.Chunk("\r40%\u{1B}[K", to: .errors)])
        #expect(screen.showing(status: "30%", stamp: 1) == [])
        #expect(screen.showing(status: "", stamp: 4) == [Screen.Chunk("\r\u{1B}[K", to: .errors)])
        #expect(screen.showing(status: "50%", stamp: 3) == [])
        #expect(screen.writing("a\n", to: .errors, sharesRow: true) == [Screen.Chunk("a\n", to: .errors)])
    }

    @Test("Nothing is cleared where nothing is shown")
    func nothingShown() {
        var screen = Screen()
        #expect(screen.showing(status: "", stamp: 1) == [])
        #expect(screen.writing("a\n", to: .output, sharesRow: true) == [Screen.Chunk("a\n", to: .output)])
    }

    @Test("A line takes the status line's place and the status line follows")
    func lineAboveStatus() {
        var screen = Screen()
        _ = screen.showing(status: "40%", stamp: 1)
        #expect(
            screen.writing("a\n", to: .output, sharesRow: true) == [
                Screen.Chunk("\r\u{1B}[K", to: .errors), Screen.Chunk("a\n", to: .output),
                Screen.Chunk("40%", to: .errors),
            ])
        #expect(
            screen.writing("a\n", to: .errors, sharesRow: true) == [Screen.Chunk("\r\u{1B}[Ka\n40%", to: .errors)])
        #expect(screen.writing("a\n", to: .output, sharesRow: false) == [Screen.Chunk("a\n", to: .output)])
    }

    @Test("A failure is kept for its channel")
    func failures() {
        var screen = Screen()
        screen.record(.closed, of: .output)
        screen.record(nil, of: .output)
        #expect(screen.failure(of: .output) == .closed)
        #expect(screen.failure(of: .errors) == nil)
    }
}

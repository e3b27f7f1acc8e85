// Testable: what a terminal sends is looked at without one.
@testable import StrongroomCommands
import Testing

@Suite("Hidden line")
struct HiddenLineTests {
    private func line(_ text: String, longest: Int = 20) -> (text: String, step: HiddenLine.Step, isTooLong: Bool) {
        var line = HiddenLine(longest: longest)
        var step = HiddenLine.Step.more
        for byte in text.utf8 where step == .more { step = line.process(byte) }
        return (String(decoding: line.bytes, as: UTF8.self), step, line.isTooLong)
    }

    @Test(arguments: [
        ("secret\n", "secret"), ("secret\r", "secret"), ("se\u{1B}[Dcret\n", "secret"), ("\u{1B}OAsecret\n", "secret"),
        ("\u{1B}[200~secret\u{1B}[201~\n", "secret"), ("sec\t\0\u{1}ret\n", "secret"), ("sec\u{4}ret\n", "secret"),
        ("wrong\u{15}secret\n", "secret"), ("secreä\u{7F}t\n", "secret"), ("\u{4}", ""), ("\n", ""),
    ])
    func onlyCharactersArePartOfIt(typed: String, text: String) {
        let line = line(typed)
        #expect(line.text == text && line.step == .end && !line.isTooLong)
    }

    @Test func whatIsTooLongIsNotCut() {
        let long = line("secretsecret\n", longest: 11)
        #expect(long.isTooLong && long.text.isEmpty && long.step == .end)
        let fitting = line("secretsecret\n", longest: 12)
        #expect(!fitting.isTooLong && fitting.text == "secretsecret")
    }

    @Test func controlCInterrupts() {
        #expect(line("sec\u{3}ret\n").step == .interrupted)
    }
}

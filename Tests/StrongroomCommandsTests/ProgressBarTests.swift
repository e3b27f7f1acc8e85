import Strongroom
import StrongroomCommands
import Testing

struct ProgressBarTests {
    private let clock = ManualClock()
    private let screen = TextCapture()

    private func console(width: Int = 80, isTerminal: Bool = true) -> Console {
        let environment = ["COLUMNS": "\(width)", "NO_COLOR": "1"]
        let stream = ConsoleStream(capture: screen, isTerminal: isTerminal, environment: environment)
        return Console(output: stream, errors: stream)
    }

    private func bar(
        total: Int? = 1000, on console: Console, redirected: ProgressBar.Ending = .nothing
    ) -> ProgressBar {
        ProgressBar("Copying", total: total, on: console, redirected: redirected, now: { [clock] in clock.now })
    }

    /// The lines drawn one over the other.
    private var drawn: [String] {
        screen.text.split(separator: "\u{1B}[K").map { String($0).replacing("\r", with: "") }
            .filter { !$0.isEmpty }
    }

    @Test("The line has label, bar, percent, count, and after a second the rate and the time left")
    func wholeLine() {
        let bar = bar(total: 100_000, on: console())
        bar.advance()
        clock.advance(by: .milliseconds(999))
        bar.update(to: 20_000)
        clock.advance(by: .milliseconds(1001))
        bar.update(to: 42_000)
        #expect(
            drawn == [
                "Copying  [>                           ]    0%        1/100,000",
                "Copying  [=====>                      ]   20%   20,000/100,000",
                "Copying  [==========>              ]   42%   42,000/100,000  21,000/s  3 s left",
            ])
    }

    @Test("A bar is drawn at most ten times a second")
    func throttling() {
        let bar = bar(on: console())
        for _ in 0..<1000 {
            bar.advance()
            clock.advance(by: .milliseconds(1))
        }
        #expect(drawn.count == 10)
    }

    @Test(
        "A narrow terminal shows what fits into all cells but the last",
        arguments: [
            (200, "Copying  [===========>                ]   42%   42,000/100,000  10,500/s  6 s left"),
            (63, "Copying  [===>    ]   42%   42,000/100,000  10,500/s  6 s left"),
            (62, "Copying  [=======>         ]   42%   42,000/100,000  6 s left"),
            (53, "Copying  [===>    ]   42%   42,000/100,000  6 s left"),
            (52, "Copying  [=======>         ]   42%   42,000/100,000"),
            (43, "Copying  [===>    ]   42%   42,000/100,000"),
            (42, "Copying  [==========>             ]   42%"),
            (26, "Copying  [===>    ]   42%"),
            (25, "Copying   42%"), (14, "Copying   42%"), (13, "Copyi…   42%"), (8, "…   42%"), (7, " 42%"),
            (5, " 42%"), (4, " 4…"), (2, "…"), (1, nil),
        ] as [(Int, String?)])
    func narrow(width: Int, line: String?) {
        let bar = bar(total: 100_000, on: console(width: width))
        clock.advance(by: .seconds(4))
        bar.update(to: 42_000)
        #expect(drawn.first == line)
    }

    @Test("No line is ever wider than the terminal", arguments: 1...100, [nil, 0, 1, 987_654_321] as [Int?])
    func neverWider(width: Int, total: Int?) {
        let environment = ["COLUMNS": "\(width)", "NO_COLOR": "1"]
        let stream = ConsoleStream(capture: screen, isTerminal: true, environment: environment)
        let bar = ProgressBar(
            "Копирование 漢字\n", total: total, on: Console(output: stream, errors: stream),
            now: { [clock] in clock.now })
        for completed in [0, 1, 12_345_678, 987_654_321] {
            bar.update(to: completed)
            clock.advance(by: .seconds(1000))
        }
        #expect(drawn.allSatisfy { TerminalText.width(of: $0) < width })
        bar.finish()
        let last = drawn.last.map { $0.filter { $0 != "\n" } } ?? ""
        #expect(TerminalText.width(of: last) <= width)
    }

    @Test("A summary takes the bar's place at the end, and later progress is not drawn")
    func summary() {
        let bar = bar(on: console(width: 30))
        clock.advance(by: .milliseconds(500))
        bar.update(to: 600)
        bar.finish()
        bar.finish()
        clock.advance(by: .seconds(1))
        bar.advance()
        #expect(screen.text == "\rCopying  [=======>    ]   60%\u{1B}[K\r\u{1B}[KCopying: 600 of 1,000 in 500 …\n")
    }

    @Test("A bar that is given up clears itself")
    func abandoned() {
        let console = console(width: 30)
        do {
            let bar = bar(on: console)
            bar.update(to: 600)
        }
        #expect(screen.text == "\rCopying  [=======>    ]   60%\u{1B}[K\r\u{1B}[K")
    }

    @Test(
        "Without a terminal nothing is drawn, and the end is as chosen",
        arguments: [(.nothing, ""), (.summary, "Copying: 1,000 in 8.00 s, 125/s\n")] as [(ProgressBar.Ending, String)])
    func redirected(ending: ProgressBar.Ending, text: String) {
        let bar = bar(on: console(width: 10, isTerminal: false), redirected: ending)
        bar.update(to: 500)
        clock.advance(by: .seconds(8))
        bar.update(to: 1000)
        #expect(screen.text.isEmpty)
        bar.finish()
        #expect(screen.text == text)
    }

    @Test("A line that is written while a bar is shown goes above it", arguments: [Console.Channel.output, .errors])
    func linesAboveBar(channel: Console.Channel) {
        let console = console(width: 30)
        let bar = bar(on: console)
        bar.update(to: 600)
        console.write("found", to: channel)
        bar.finish()
        console.write("done", to: channel)
        #expect(
            screen.text
                == "\rCopying  [=======>    ]   60%\u{1B}[K\r\u{1B}[Kfound\nCopying  [=======>    ]   60%\r\u{1B}[K"
                + "Copying: 600 of 1,000 in 0 µs\ndone\n")
    }

    @Test("Progress from many threads is counted in full, and nothing is drawn after the end")
    func threads() async {
        let bar = bar(total: 8000, on: console())
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [clock] in
                    for _ in 0..<1000 {
                        clock.advance(by: .microseconds(500))
                        bar.advance()
                    }
                }
            }
        }
        bar.finish()
        #expect(drawn.last == "Copying: 8,000 in 4.00 s, 2,000/s\n")
    }
}

/// A clock that only the test moves. It does not begin at zero, as real ones do not.
final class ManualClock: Sendable {
    private let elapsed = Locked(Duration.seconds(3600))

    var now: Duration {
        elapsed.withLock { $0 }
    }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
    }
}

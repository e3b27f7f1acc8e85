/// The progress bar of a command: the progress with a single database, or the number of finished databases.
package struct CommandProgress: Sendable {
    private let bar: ProgressBar?
    private let isOfOne: Bool
    /// Whether the bar is displayed.
    package let isShown: Bool

    /// Creates a bar that appears after a second.
    ///
    /// - Parameters:
    ///   - label: The activity, such as `Rotating`.
    ///   - count: The number of databases.
    ///   - unit: The unit of progress with one database.
    ///   - isQuiet: Whether there is no bar.
    package init(_ label: String, count: Int, unit: ProgressBar.Unit = .count, isQuiet: Bool) {
        let session = CommandSession.current
        let isQuiet = isQuiet || session.console.isQuiet
        isOfOne = count == 1
        isShown = !isQuiet && session.console[.errors].redrawsLines
        bar =
            isQuiet
            ? nil
            : ProgressBar(
                label, total: isOfOne ? nil : count, unit: isOfOne ? unit : .count, on: session.console,
                ending: .nothing, delay: .seconds(1), now: session.uptime)
    }

    /// Updates the progress with a single database; ignored for several.
    package func update(to done: some BinaryInteger, of total: some BinaryInteger) {
        guard isOfOne else { return }
        bar?.update(to: Int(clamping: done), of: total > 0 ? Int(clamping: total) : nil)
    }

    /// Reports that one of several databases is finished.
    package func advance() {
        if !isOfOne { bar?.advance() }
    }

    /// Runs work that may report no progress for long, such as a single statement, and displays the elapsed time.
    package func accompany<T: Sendable>(_ work: @Sendable () async throws -> T) async throws -> T {
        guard isShown else { return try await work() }
        let beat = Task { [bar] in
            while true {
                try await Task.sleep(for: Self.pause)
                bar?.refresh()
            }
        }
        defer { beat.cancel() }
        return try await work()
    }

    private static let pause = Duration.milliseconds(250)

    /// Removes the bar.
    package func finish() { bar?.finish() }
}

/// The bar of a command: how far it is with its one database, or how many of several are done.
package struct CommandProgress: Sendable {
    private let bar: ProgressBar?
    private let isOfOne: Bool
    /// Whether anybody sees it.
    package let isShown: Bool

    /// A bar that is first drawn after a second.
    ///
    /// - Parameters:
    ///   - label: What is being done, such as `Rotating`.
    ///   - count: How many databases there are.
    ///   - unit: What is counted of one database.
    ///   - isQuiet: Whether there is none.
    package init(_ label: String, count: Int, unit: ProgressBar.Unit = .count, isQuiet: Bool) {
        let session = CommandSession.current
        isOfOne = count == 1
        isShown = !isQuiet && session.console[.errors].redrawsLines
        bar =
            isQuiet
            ? nil
            : ProgressBar(
                label, total: isOfOne ? nil : count, unit: isOfOne ? unit : .count, on: session.console,
                ending: .nothing, delay: .seconds(1), now: session.uptime)
    }

    /// Tells how far the one database is; of several it says nothing.
    package func update(to done: some BinaryInteger, of total: some BinaryInteger) {
        guard isOfOne else { return }
        bar?.update(to: Int(clamping: done), of: total > 0 ? Int(clamping: total) : nil)
    }

    /// Tells that one of several is done.
    package func advance() {
        if !isOfOne { bar?.advance() }
    }

    /// Does work that may tell nothing for long, as one statement does, and shows meanwhile that time goes on.
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

    /// Ends the bar.
    package func finish() { bar?.finish() }
}

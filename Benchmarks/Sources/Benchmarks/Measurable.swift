/// What a line of the results comes from.
protocol Measurable {
    /// - Parameters:
    ///   - runs: The counted runs of what is repeated.
    ///   - engine: The engine's version.
    func run(runs: Int, engine: String) async throws -> Result
}

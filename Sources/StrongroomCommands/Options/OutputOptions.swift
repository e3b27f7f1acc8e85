import ArgumentParser

/// The output options of a command.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for scripts; errors, too.")
    package var json = false

    @Flag(help: "Print nothing but errors, and what --json prints; the exit code says the rest.")
    package var quiet = false

    package init() {}

    /// Writes a value as a line of JSON.
    package func write(_ value: some Encodable) throws {
        CommandSession.current.console.write(verbatim: try JSONLine.encode(value))
    }
}

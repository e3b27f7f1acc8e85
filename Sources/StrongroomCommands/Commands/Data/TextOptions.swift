import ArgumentParser

/// The text format of rows.
struct TextOptions: ParsableArguments {
    /// The names of the formats on the command line.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, jsonl
    }

    @Option(help: "csv or jsonl, one JSON object per line (default: by the file's name, else csv).")
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "The field separator of CSV: one ASCII character that numbers do not contain, or \"tab\".",
            valueName: "char")
    )
    var separator = ","

    func validate() throws {
        let isTab = separator == "tab" || separator == "\t"
        let byte = separator.utf8.count == 1 ? separator.utf8.first : nil
        let isUsable = byte.map { (0x20..<0x7F).contains($0) && $0 != CSVReader.quote && !Self.isOfNumber($0) } ?? false
        guard isTab || isUsable else {
            throw ValidationError("--separator takes one ASCII character that numbers do not contain, or \"tab\".")
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool { "0123456789+-.eE".utf8.contains(byte) }

    var separatorByte: UInt8 {
        separator == "tab" ? UInt8(ascii: "\t") : separator.utf8.first ?? UInt8(ascii: ",")
    }

    /// The format of a file.
    ///
    /// - Parameters:
    ///   - file: Its name; nil for standard input or output.
    ///   - fallback: The format if neither an option nor the name specifies one.
    func rowFormat(of file: String?, otherwise fallback: RowFormat = .csv) -> RowFormat {
        switch format {
        case .csv: .csv
        case .jsonl: .jsonLines
        case nil: file.flatMap { RowFormat(fileName: $0) } ?? fallback
        }
    }
}

package import Strongroom

/// Text formats of rows for other programs.
package enum RowFormat: String, CaseIterable, Sendable {
    /// Comma-separated values with a header, according to RFC 4180.
    case csv
    /// One JSON object per line.
    case jsonLines = "jsonl"

    /// The format of a file name's extension; nil for any other.
    package init?(fileName: String) {
        let ending = fileName.split(separator: ".").last.map { $0.lowercased() }
        switch ending {
        case "csv": self = .csv
        case "jsonl", "ndjson", "json": self = .jsonLines
        default: return nil
        }
    }
}

/// Writes rows in a format, in chunks: memory usage does not depend on the number of rows.
package struct RowText {
    private let format: RowFormat
    private let separator: UInt8
    private let names: [String]
    /// For JSON: each name in the form before its value.
    private let keys: [String]
    private let write: (String) throws -> Void
    private let shown: ShownRow
    private var text = ""

    /// The size of a chunk in bytes.
    private static let portion = 1 << 16

    /// - Parameters:
    ///   - names: The names of the columns.
    ///   - sql: The query of the rows.
    ///   - write: Called with complete lines of text.
    /// - Throws: ``CommandFailure`` for JSON if two columns have the same name.
    package init(
        _ format: RowFormat, _ names: [String], of sql: String, separator: UInt8 = UInt8(ascii: ","),
        write: @escaping (String) throws -> Void
    ) throws {
        self.format = format
        self.names = names
        shown = ShownRow(sql)
        self.separator = separator
        self.write = write
        var keys: [String] = []
        var seen: Set<[UInt8]> = []
        for name in names {
            guard format == .csv || seen.insert(Array(name.utf8)).inserted else {
                throw CommandFailure(
                    "twoColumnsOfOneName",
                    """
                    The result has two columns named "\(name)", which JSON does not allow. Rename one with AS.
                    """,
                    .usage)
            }
            var key = keys.isEmpty ? "{" : ","
            JSONText.append(name, to: &key)
            keys.append(key + ":")
        }
        self.keys = keys
        guard format == .csv else { return }
        for (index, name) in names.enumerated() {
            if index > 0 { text.unicodeScalars.append(Unicode.Scalar(separator)) }
            CSVText.append(name, separator: separator, to: &text)
        }
        text += "\r\n"
    }

    /// Adds a row.
    ///
    /// - Throws: ``CommandFailure`` for a number that is not finite; errors of the row or of the output.
    package mutating func append(_ row: borrowing Row) throws {
        for index in names.indices {
            let value = try shown.value(row, at: index)
            switch format {
            case .csv:
                if index > 0 { text.unicodeScalars.append(Unicode.Scalar(separator)) }
                try CSVText.append(value, column: names[index], separator: separator, to: &text)
            case .jsonLines:
                text += keys[index]
                try JSONText.append(value, column: names[index], to: &text)
            }
        }
        text += format == .csv ? "\r\n" : "}\n"
        if text.utf8.count >= Self.portion { try flush() }
    }

    /// Writes the buffered text.
    package mutating func flush() throws {
        guard !text.isEmpty else { return }
        try write(text)
        text = ""
    }
}

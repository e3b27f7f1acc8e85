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
    private let keys: [[UInt8]]
    private let write: (String) throws -> Void
    private var shown: ShownRow
    private var text = TextBytes()

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
        var keys: [[UInt8]] = []
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
            var key = TextBytes()
            key.append(keys.isEmpty ? "{" : ",")
            JSONText.append(name, to: &key)
            key.append(":")
            keys.append(key.bytes)
        }
        self.keys = keys
        guard format == .csv else { return }
        for (index, name) in names.enumerated() {
            if index > 0 { text.append(byte: separator) }
            CSVText.append(name, separator: separator, to: &text)
        }
        text.append("\r\n")
    }

    /// Adds a row.
    ///
    /// - Throws: ``CommandFailure`` for a number that is not finite; errors of the row or of the output.
    package mutating func append(_ row: borrowing Row) throws {
        shown.begin(row)
        for index in names.indices {
            switch format {
            case .csv:
                if index > 0 { text.append(byte: separator) }
                if try !appendFieldUnchanged(row, index) {
                    let value = try shown.value(row, at: index)
                    try CSVText.append(value, column: names[index], separator: separator, to: &text)
                }
            case .jsonLines:
                keys[index].withUnsafeBufferPointer { text.append(utf8: $0) }
                if try !appendMemberUnchanged(row, index) {
                    try JSONText.append(shown.value(row, at: index), column: names[index], to: &text)
                }
            }
        }
        text.append(format == .csv ? "\r\n" : "}\n")
        if text.count >= Self.portion { try flush() }
    }

    /// Appends a field without making a value of it, which takes longer than all the rest.
    ///
    /// - Returns: False if that is necessary: for text that is not ASCII, for bytes, and for decimals.
    private mutating func appendFieldUnchanged(_ row: borrowing Row, _ index: Int) throws -> Bool {
        switch try row.content(at: index) {
        case .null: return true
        case .integer(let number) where !shown.isInDigits(index): text.append(number)
        case .real(let number): try text.append(number, column: names[index])
        case .text(let bytes) where bytes.isASCII: CSVText.append(utf8: bytes, separator: separator, to: &text)
        case .integer, .text, .blob: return false
        }
        return true
    }

    /// Appends a member's value, as ``appendFieldUnchanged(_:_:)`` does.
    private mutating func appendMemberUnchanged(_ row: borrowing Row, _ index: Int) throws -> Bool {
        switch try row.content(at: index) {
        case .null: text.append("null")
        case .integer(let number) where !shown.isInDigits(index): text.append(number)
        case .real(let number): try text.append(number, column: names[index])
        case .text(let bytes): return JSONText.append(plain: bytes, to: &text)
        case .integer, .blob: return false
        }
        return true
    }

    /// Writes the buffered text.
    package mutating func flush() throws {
        guard text.count > 0 else { return }
        try write(text.text)
        text.removeAll()
    }
}

/// Reads comma-separated values, one record at a time, as RFC 4180 describes them.
///
/// A quoted field may contain commas, line breaks and, doubled, quotation marks. A record ends with CR LF, LF or CR. A
/// UTF-8 byte order mark is skipped. **An empty field without quotation marks is NULL, an empty field in quotation
/// marks is an empty text.** An error in a record is stored in it, and the reader continues with the next line.
package struct CSVReader {
    /// A field of a record.
    package struct Field: Equatable, Sendable {
        package var text: String
        package var isQuoted: Bool

        package init(_ text: String, isQuoted: Bool = false) {
            self.text = text
            self.isQuoted = isQuoted
        }

        /// Whether it is NULL.
        package var isNull: Bool { !isQuoted && text.isEmpty }
    }

    /// A record, and its error.
    package struct Record: Equatable, Sendable {
        /// The line at which it begins, counted from 1.
        package var line: Int
        package var fields: [Field]
        /// Why it is invalid.
        package var fault: String?

        /// Whether the line is empty.
        package var isBlank: Bool { fault == nil && fields.count == 1 && fields[0].isNull }
    }

    private enum State {
        case start, plain, quoted, closed, skipped
    }

    /// The maximum length of a record in bytes. A longer one means a missing closing quotation mark, not a value.
    package static let longestRecord = 256 << 20

    private let separator: UInt8
    private let limit: Int
    private var bytes: ByteBuffer
    private var line = 1
    private var field: [UInt8] = []
    private var isQuoted = false
    private var record = Record(line: 1, fields: [])
    private var length = 0

    /// - Parameters:
    ///   - source: The source of the bytes.
    ///   - separator: The field separator, one byte of ASCII.
    ///   - limit: The maximum length of a record, in bytes.
    package init(
        _ source: ByteSource, separator: UInt8 = UInt8(ascii: ","), limit: Int = CSVReader.longestRecord
    ) {
        self.separator = separator
        self.limit = limit
        bytes = ByteBuffer(source)
    }

    /// The next record; nil at the end.
    ///
    /// - Throws: ``CommandFailure`` for text in UTF-16 and for a record without an end; errors of the source.
    package mutating func next() throws -> Record? {
        try bytes.passByteOrderMark()
        guard try bytes.peek() != nil else { return nil }
        record = Record(line: line, fields: [])
        length = 0
        var state = State.start
        while true {
            if state != .closed, state != .skipped {
                let count = bytes.appendBytes(
                    before: separator, Self.quote, Self.lineFeed, Self.carriageReturn, to: &field)
                length += count
                guard length <= limit else { throw tooLong }
                if state == .start, count > 0 { state = .plain }
            }
            guard let byte = try bytes.next() else { break }
            length += 1
            guard length <= limit else { throw tooLong }
            if state != .quoted, byte == Self.lineFeed || byte == Self.carriageReturn {
                if byte == Self.carriageReturn, try bytes.peek() == Self.lineFeed { _ = try bytes.next() }
                line += 1
                return finished(state)
            }
            state = try stepped(state, byte)
        }
        if state == .quoted { fault("the quotation mark that opens here is never closed") }
        return finished(state)
    }

    private mutating func stepped(_ state: State, _ byte: UInt8) throws -> State {
        switch state {
        // The fields after the invalid one are parsed normally: a quoted one may contain line breaks, after which no
        // record begins.
        case .skipped: return byte == separator ? endField() : .skipped
        case .quoted: return try stepInQuotes(byte)
        case .closed:
            if byte == Self.quote { return keep(byte, .quoted) }
            if byte == separator { return endField() }
            return fault("text follows a closing quotation mark")
        case .start where byte == Self.quote:
            isQuoted = true
            return .quoted
        case .start, .plain:
            if byte == separator { return endField() }
            if byte == Self.quote {
                return fault("a quotation mark is inside a field that does not begin with one")
            }
            return keep(byte, .plain)
        }
    }

    private mutating func stepInQuotes(_ byte: UInt8) throws -> State {
        if byte == Self.quote { return .closed }
        if byte == Self.lineFeed { line += 1 }
        if byte == Self.carriageReturn, try bytes.peek() != Self.lineFeed { line += 1 }
        return keep(byte, .quoted)
    }

    private mutating func keep(_ byte: UInt8, _ state: State) -> State {
        field.append(byte)
        return state
    }

    @discardableResult
    private mutating func endField() -> State {
        let text =
            field.withUnsafeBufferPointer(\.isASCII)
            ? String(decoding: field, as: UTF8.self) : String(validating: field, as: UTF8.self)
        if text == nil { fault("field \(record.fields.count + 1) is not in UTF-8") }
        record.fields.append(Field(text ?? "", isQuoted: isQuoted))
        field.removeAll(keepingCapacity: true)
        isQuoted = false
        return .start
    }

    @discardableResult
    private mutating func fault(_ reason: String) -> State {
        record.fault = record.fault ?? reason
        return .skipped
    }

    private mutating func finished(_ state: State) -> Record {
        endField()
        // The memory of a very large value is not kept for the rest of the file.
        if field.capacity > 1 << 20 { field = [] }
        return record
    }

    private var tooLong: CommandFailure {
        CommandFailure(
            "recordTooLong",
            """
            The record that begins on line \(record.line) has more than \(HumanReadable.bytes(limit)). A missing \
            closing quotation mark may be the cause; check the line.
            """, .dataError)
    }

    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}

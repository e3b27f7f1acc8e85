/// A paragraph split into its fields.
///
/// It refers to memory of the scanner, and must not outlive the closure that received that memory.
struct ControlParagraph {
    /// A field: the offsets of its name and its value, and the range of its lines in the paragraph.
    struct Field {
        let name: Range<Int>
        let hash: UInt64
        let known: KnownField?
        let valueStart: Int
        var lines: Range<Int>
    }

    static let mostFields = 1_024

    let bytes: UnsafeRawBufferPointer
    let lines: [ParagraphScanner.Line]
    let isClosed: Bool
    private(set) var fields: [Field] = []

    init(
        bytes: UnsafeRawBufferPointer, lines: [ParagraphScanner.Line], isClosed: Bool
    ) throws(ControlFileError) {
        self.bytes = bytes
        self.lines = lines
        self.isClosed = isClosed
        fields.reserveCapacity(min(lines.count, 32))
        for index in lines.indices {
            let first = bytes[lines[index].start]
            if first == .space || first == .tab, let last = fields.indices.last {
                fields[last].lines = fields[last].lines.lowerBound..<index + 1
            } else {
                try appendField(at: index)
            }
        }
    }

    private mutating func appendField(at index: Int) throws(ControlFileError) {
        let line = lines[index]
        var end = line.start
        while end < line.end, bytes[end].isFieldNameByte { end += 1 }
        guard end > line.start, end < line.end, bytes[end] == .colon, bytes[line.start] != UInt8(ascii: "-") else {
            throw .missingColon(line: line.number)
        }
        let name = UnsafeRawBufferPointer(rebasing: bytes[line.start..<end])
        let hash = FieldName.hash(of: name)
        for other in fields where other.hash == hash && FieldName.isSame(name, bytes[other.name]) {
            throw .duplicateField(line: line.number, firstLine: lines[other.lines.lowerBound].number)
        }
        guard fields.count < Self.mostFields else { throw .tooManyFields(line: line.number) }
        fields.append(
            Field(
                name: line.start..<end, hash: hash, known: KnownField(name, hash: hash), valueStart: end + 1,
                lines: index..<index + 1))
    }

    /// The field `known`; nil if the paragraph does not contain it.
    func field(_ known: KnownField) -> Field? {
        fields.first { $0.known == known }
    }

    /// The number of the line that `field` starts on.
    func lineNumber(of field: Field) -> Int {
        lines[field.lines.lowerBound].number
    }

    /// Line `index` of `field`'s value, without leading and trailing blanks.
    func value(of field: Field, line index: Int) -> Range<Int> {
        var start = index == field.lines.lowerBound ? field.valueStart : lines[index].start
        var end = lines[index].end
        while start < end, bytes[start].isBlank { start += 1 }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The text at `range`, which the scanner has validated as UTF-8.
    func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// The whole value, its lines joined with single spaces; nil if the field is absent or empty.
    func text(_ known: KnownField) -> String? {
        guard let field = field(known) else { return nil }
        if field.lines.count == 1 {
            let range = value(of: field, line: field.lines.lowerBound)
            return range.isEmpty ? nil : string(range)
        }
        let parts = field.lines.map { value(of: field, line: $0) }.filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.map(string).joined(separator: " ")
    }
}

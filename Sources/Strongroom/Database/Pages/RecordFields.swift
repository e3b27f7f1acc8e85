/// The first values of a record in a page ("Database File Format", section 2.1, sqlite.org/fileformat.html).
struct RecordFields {
    enum Field: Hashable {
        case plain(Value)
        case blob(WipedBytes)
        case text(EncodedText)

        /// A copy in separate memory, so that the row can be released.
        var copied: Field {
            switch self {
            case .plain: self
            case .blob(let bytes): .blob(WipedBytes(copying: bytes))
            case .text(let text): .text(EncodedText(bytes: WipedBytes(copying: text.bytes), encoding: text.encoding))
            }
        }
    }

    let fields: [Field]

    /// - Parameters:
    ///   - record: The complete record.
    ///   - count: The number of values to decode, nil for all; nil is returned if the record has fewer.
    init?(_ record: WipedBytes, count: Int? = nil, encoding: EncodedText.Encoding) {
        guard let header = record.variableInteger(at: 0), let length = Int(exactly: header.value),
            length <= record.count
        else { return nil }
        var (position, content) = (header.length, length)
        var fields: [Field] = []
        while count.map({ fields.count < $0 }) ?? (position < length) {
            guard position < length, let type = record.variableInteger(at: position) else { return nil }
            position += type.length
            guard let size = Self.size(of: type.value), content >= 0, size <= record.count - content else { return nil }
            fields.append(Self.field(type.value, record.part(content..<content + size), encoding))
            content += size
        }
        self.fields = fields
    }

    /// The serial types of a record; nil if it is not a valid record.
    ///
    /// - Parameter record: The record, or its beginning, which contains all serial types.
    static func types<Bytes: RandomAccessCollection<UInt8>>(_ record: Bytes) -> [Int64]? where Bytes.Index == Int {
        guard let header = record.variableInteger(at: 0), let length = Int(exactly: header.value),
            length <= record.count
        else { return nil }
        var position = header.length
        var types: [Int64] = []
        while position < length {
            guard let type = record.variableInteger(at: position), size(of: type.value) != nil else { return nil }
            position += type.length
            types.append(type.value)
        }
        return position == length ? types : nil
    }

    private static func size(of type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...: Int((type - 12) / 2)
        default: nil
        }
    }

    private static func field(_ type: Int64, _ bytes: WipedBytes, _ encoding: EncodedText.Encoding) -> Field {
        switch type {
        case 0: return .plain(.null)
        case 8, 9: return .plain(.integer(type - 8))
        case 12... where type.isMultiple(of: 2): return .blob(bytes)
        case 12...: return .text(EncodedText(bytes: bytes, encoding: encoding))
        default:
            let bits = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            if type == 7 { return .plain(.real(Double(bitPattern: bits))) }
            // The first byte has the sign.
            let unused = 64 - 8 * bytes.count
            return .plain(.integer(Int64(bitPattern: bits << unused) >> unused))
        }
    }
}

extension Statement {
    /// Binds a value from a page to a parameter.
    func bind(_ field: RecordFields.Field, at index: Int) throws {
        switch field {
        case .plain(let value): try Bindings(self).bind(value, at: index)
        case .blob(let bytes): try bytes.withUnsafeBytes { try Bindings(self).bind(bytes: $0, at: index) }
        case .text(let text): try Bindings(self).bind(text, at: index)
        }
    }
}

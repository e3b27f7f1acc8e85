package import Strongroom

/// A column that receives imported values, and the conversion of a field to its declared type.
///
/// The conversion follows the engine's rules for types ("Datatypes In SQLite", section 3.1, sqlite.org/datatype3.html),
/// but strictly: an INTEGER column rejects a field that is not an integer, which the engine would store as text.
package struct ImportColumn: Sendable, Equatable {
    /// Why a field cannot be stored; does not contain its content.
    package struct Fault: Error, Equatable {
        package let reason: String
    }

    enum Kind: Sendable, Equatable {
        case integer, real, text, bytes, numeric, any
        /// The library's decimals, in the sortable text form or as scaled integers.
        case decimal
        /// The library's dates as text, which have one spelling.
        case date(DateForm)
        /// Other types such as DATE, which keep texts except those that the engine treats as numbers.
        case other
    }

    package let name: String
    let kind: Kind
    let isBoolean: Bool
    /// The scale of decimals that are stored as integers.
    private let scale: DecimalScale?

    package init(_ column: ColumnInfo) {
        self.init(column.name, declaredType: column.declaredType)
    }

    package init(_ name: String, declaredType: String) {
        let type = declaredType.uppercased()
        func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
        self.name = name
        isBoolean = has("BOOL")
        scale = DecimalScale(declaredType: declaredType)
        kind =
            if type == SortedDecimal.declaredType || scale != nil {
                .decimal
            } else if let form = DateForm(declaredType: declaredType), has("TEXT") {
                .date(form)
            } else if has("INT") {
                .integer
            } else if has("CHAR", "CLOB", "TEXT") {
                .text
            } else if has("BLOB") {
                .bytes
            } else if type.isEmpty {
                .any
            } else if has("REAL", "FLOA", "DOUB") {
                .real
            } else if has("NUM", "DEC", "BOOL") { .numeric } else { .other }
    }

    /// Converts a CSV field.
    package func value(_ field: CSVReader.Field) throws(Fault) -> SQLValue {
        field.isNull ? .null : try value(text: field.text, isCSV: true)
    }

    /// Converts a member of a JSON object.
    package func value(_ member: JSONObject.Member) throws(Fault) -> SQLValue {
        switch member {
        case .bool(let flag): return try value(flag: flag)
        case .value(.integer(let number)): return try value(integer: number)
        case .value(.real(let number)): return try value(real: number)
        case .rounded(let number):
            if kind == .numeric || kind == .other { throw fault(Self.lostDigits) }
            return try value(real: number)
        case .value(.text(let text)): return try value(text: text, isCSV: false)
        case .value(let value): return value
        }
    }

    private func value(text: String, isCSV: Bool) throws(Fault) -> SQLValue {
        // JSON has literals for the two; a text would be restored as another value.
        if isCSV, isBoolean, let flag = Self.flags[text.lowercased()] { return .integer(flag) }
        switch kind {
        case .text, .any: return .text(text)
        case .decimal:
            guard let stored = try decimal(text) else { throw fault("takes a decimal number, such as -12.5") }
            return stored
        case .date(let form):
            guard let stored = Spelling.date(form).canonical(.text(text)) else {
                throw fault("takes a date, such as 2026-11-21T20:15:00.250Z")
            }
            return stored
        case .numeric:
            guard let number = try exactNumber(text) else {
                throw fault(isBoolean ? "takes true, false and numbers" : "takes a number")
            }
            return number
        case .other: return try exactNumber(text) ?? .text(text)
        case .integer:
            guard let number = Int64(text) else { throw fault("takes an integer of up to 64 bits") }
            return .integer(number)
        case .real:
            let number = Self.number(text)
            let isWhole = !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
            // A Double represents each whole number of up to 15 digits.
            if isWhole, text.utf8.count > 15, let number, DecimalDigits(text) != DecimalDigits(String(number)) {
                throw fault(Self.lostDigits)
            }
            return try value(real: number)
        case .bytes:
            guard isCSV else { throw fault("takes bytes; write them as {\"base64\":\"AQID\"}") }
            guard let bytes = Base64.bytes(text) else { throw fault("takes bytes in Base64") }
            return .blob(bytes)
        }
    }

    /// The stored form of a decimal's digits; nil for a text that is not a decimal.
    private func decimal(_ text: String) throws(Fault) -> SQLValue? {
        guard let scale else { return SortedDecimal.stored(text).map { .text($0) } }
        do {
            return try scale.stored(digits: text).map { .integer($0) }
        } catch {
            let digits = HumanReadable.count(scale.digits, "digit")
            throw fault("takes a number with at most \(digits) after the point, within 64 bits")
        }
    }

    /// In SQL, true and false are numbers, and only numeric columns accept them.
    private func value(flag: Bool) throws(Fault) -> SQLValue {
        try checkTakesNumbers()
        guard kind == .integer || isBoolean else { throw fault("does not take true and false; write 1 or 0") }
        return .integer(flag ? 1 : 0)
    }

    private func value(integer: Int64) throws(Fault) -> SQLValue {
        if kind == .decimal { return try value(text: String(integer), isCSV: false) }
        try checkTakesNumbers()
        if kind == .real, Double(exactly: integer) == nil { throw fault(Self.lostDigits) }
        return .integer(integer)
    }

    /// - Parameter number: Nil for a text that is not a number.
    private func value(real number: Double?) throws(Fault) -> SQLValue {
        guard let number else { throw fault("takes a number") }
        guard number.isFinite else { throw fault("does not take NaN and infinity, which cannot be stored") }
        try checkTakesNumbers()
        guard kind != .integer else {
            throw fault("takes an integer of up to 64 bits, without a point or an exponent")
        }
        return .real(number)
    }

    private func checkTakesNumbers() throws(Fault) {
        switch kind {
        case .text: throw fault("takes a text; write it in quotation marks")
        case .date: throw fault("takes a date as a string, such as \"2026-11-21T20:15:00.250Z\"")
        case .bytes: throw fault("takes bytes; write them as {\"base64\":\"AQID\"}")
        // A floating-point number may already have other digits.
        case .decimal: throw fault("takes a decimal number as a string, such as \"-12.5\"")
        default: return
        }
    }

    private static let lostDigits = "does not take a number with so many digits, some of which would be lost"

    /// The number to which the engine converts a text in a column of this kind, ignoring surrounding spaces; nil for a
    /// text that it does not convert.
    private func exactNumber(_ text: String) throws(Fault) -> SQLValue? {
        let spaces = " \t\n\u{0B}\u{0C}\r".unicodeScalars
        var inner = text.unicodeScalars[...]
        while let first = inner.first, spaces.contains(first) { inner.removeFirst() }
        while let last = inner.last, spaces.contains(last) { inner.removeLast() }
        let digits = String(inner)
        if let integer = Int64(digits) { return .integer(integer) }
        guard let number = Self.number(digits), !number.isNaN else { return nil }
        guard number.isFinite else {
            // The engine does not convert words to numbers.
            guard digits.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return nil }
            throw fault("does not take so large a number, which cannot be stored")
        }
        guard DecimalDigits(digits) == DecimalDigits(String(number)) else {
            throw fault(Self.lostDigits)
        }
        return .real(number)
    }

    private func fault(_ reason: String) -> Fault { Fault(reason: "column \"\(name)\" \(reason)") }

    private static let flags: [String: Int64] = ["true": 1, "false": 0]

    /// A number in decimal notation; Swift would also accept hexadecimal ones.
    private static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy(isOfNumber) || names.contains(text.lowercased()) else { return nil }
        return Double(text)
    }

    private static let names: Set = ["nan", "inf", "infinity", "+inf", "-inf", "+infinity", "-infinity"]

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension ImportColumn {
    /// By bytes: to the engine two names differ that differ only in Unicode composition, which Swift treats as equal.
    package static func == (left: ImportColumn, right: ImportColumn) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.kind == right.kind && left.isBoolean == right.isBoolean
            && left.scale == right.scale
    }
}

extension ImportColumn {
    /// Whether an import reads the CSV field of any value of this storage class as the same value.
    func preserves(_ content: StoredContent) -> Bool {
        switch (content, kind) {
        case (.null, _), (.blob, .bytes), (.integer, .integer), (.integer, .numeric), (.integer, .other),
            (.real, .real):
            true
        case (.text, .date): true
        case (.text, .text), (.text, .any): !isBoolean
        default: false
        }
    }

    /// Whether an import would silently read a value's CSV field as another value, where its storage class does not
    /// tell already.
    package func confuses(_ value: SQLValue) -> Bool {
        if case (.text(let digits), .decimal) = (value, kind) {
            // An export writes the digits, which an import converts to the stored form.
            return SortedDecimal.stored(digits) == nil
        }
        let text =
            switch value {
            case .null: ""
            case .integer(let number): String(number)
            case .real(let number): String(number)
            case .text(let text): text
            case .blob(let bytes): Base64.text(bytes)
            }
        do throws(Fault) {
            let read = try self.value(CSVReader.Field(text, isQuoted: true))
            // Swift treats texts as equal that differ only in Unicode composition.
            if case .text(let first) = read, case .text(let second) = value {
                return !first.utf8.elementsEqual(second.utf8)
            }
            return read != value
        } catch {
            // The line will be rejected.
            return false
        }
    }
}

@testable import Strongroom
@testable import StrongroomCommands

extension Reader {
    /// CSV and JSON Lines that the tool imports.
    static let exchange = Reader("exchange", longest: 1 << 13) { input in
        let options = input.byte()
        let separator = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")][Int(options >> 1) % 3]
        let bytes = input.remainder()
        if options & 1 == 1 {
            try readCSV(bytes, separator)
        } else {
            try readJSON(bytes)
        }
        var lines = try ImportLines(ByteSource(bytes), options & 1 == 1 ? .csv : .jsonLines, separator: separator)
        while let line = try lines.next() {
            require(line.number > 0, "lines are counted from 1")
            convert(line.content)
        }
    }

    private static func records(_ bytes: [UInt8], _ separator: UInt8, portion: Int) throws -> [CSVReader.Record] {
        var reader = CSVReader(ByteSource(bytes, portion: portion), separator: separator)
        var records: [CSVReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    private static func readCSV(_ bytes: [UInt8], _ separator: UInt8) throws {
        let records = try records(bytes, separator, portion: 1 << 16)
        require(try self.records(bytes, separator, portion: 3) == records, "chunks make no difference")
        let valid = records.filter { $0.fault == nil }
        var text = TextBytes()
        for record in valid {
            for (index, field) in record.fields.enumerated() {
                if index > 0 { text.append(byte: separator) }
                if !field.isNull { CSVText.append(field.text, separator: separator, to: &text) }
            }
            text.append("\r\n")
        }
        let again = try self.records(text.bytes, separator, portion: 1 << 16)
        require(again.count == valid.count, "each record is read as it is written")
        for (one, other) in zip(again, valid) {
            require(one.fault == nil && one.fields.count == other.fields.count, "each field is read as it is written")
            for (field, expected) in zip(one.fields, other.fields) {
                require(field.text.utf8.elementsEqual(expected.text.utf8), "a field is read as it is written")
                require(field.isNull == expected.isNull, "NULL is read as it is written")
            }
        }
    }

    private static func readJSON(_ bytes: [UInt8]) throws {
        let members: [(name: String, member: JSONObject.Member)]
        do throws(JSONObject.Fault) {
            members = try JSONObject(bytes).members
        } catch {
            return
        }
        for (name, member) in members {
            guard case .value(let value) = member else { continue }
            var text = TextBytes()
            text.append("{")
            JSONText.append(name, to: &text)
            text.append(":")
            try JSONText.append(value, column: name, to: &text)
            text.append("}")
            do throws(JSONObject.Fault) {
                let again = try JSONObject(text.bytes).members
                require(again.count == 1 && again[0].name.utf8.elementsEqual(name.utf8), "a name is read as written")
                require(again[0].member == member, "a value is read as it is written")
            } catch {
                fatalError("JSON that was written cannot be read: \(error.reason)")
            }
        }
    }

    private static func convert(_ content: ImportLines.Content) {
        for column in ImportColumns.all {
            switch content {
            case .fault: break
            case .fields(let fields):
                for field in fields {
                    guard let value = try? column.value(field) else { continue }
                    _ = column.confuses(value)
                }
            case .members(let members):
                for (_, member) in members {
                    guard let value = try? column.value(member), value != .null, column.kind != .decimal else {
                        continue
                    }
                    require((try? column.value(.value(value))) == value, "a stored value is imported unchanged")
                }
            }
        }
    }
}

private enum ImportColumns {
    static let all = [
        "INTEGER", "REAL", "TEXT", "BLOB", "NUMERIC", "", "BOOLEAN", "DATE", "DECIMAL_TEXT", "DECIMAL_INTEGER(2)",
        "ISO8601_TEXT", "DATETIME_TEXT", "UNIXTIME_REAL",
    ].map { ImportColumn("c", declaredType: $0) }
}

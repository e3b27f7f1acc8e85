/// The lines of an imported file, in any format.
struct ImportLines {
    /// A valid or invalid line.
    struct Line {
        let number: Int
        let content: Content
    }

    enum Content {
        /// Fields in the order of the header.
        case fields([CSVReader.Field])
        case members([(name: String, member: JSONObject.Member)])
        case fault(String)
    }

    private enum Reader {
        case csv(CSVReader, columns: Int)
        case json(ByteBuffer, line: Int)
    }

    /// The column names of the header; nil for a format in which each line has its own names.
    let header: [String]?
    private var reader: Reader

    /// Opens a file and reads its header.
    init(_ source: ByteSource, _ format: RowFormat, separator: UInt8) throws {
        switch format {
        case .jsonLines:
            header = nil
            reader = .json(ByteBuffer(source), line: 0)
        case .csv:
            var csv = CSVReader(source, separator: separator)
            guard let first = try csv.next(), !first.isBlank else {
                throw CommandFailure(
                    "noHeader", "The first line must contain the column names, but there is none.", .dataError)
            }
            if let fault = first.fault { throw CommandFailure("badLines", "The header: \(fault).", .dataError) }
            header = first.fields.map(\.text)
            reader = .csv(csv, columns: first.fields.count)
        }
    }

    /// The next line that is not blank; nil at the end.
    mutating func next() throws -> Line? {
        switch reader {
        case .csv(var csv, let columns):
            // A single owner: otherwise each step would copy the reader's buffer.
            reader = .json(ByteBuffer(ByteSource([])), line: 0)
            defer { reader = .csv(csv, columns: columns) }
            while let record = try csv.next() {
                // For a single column a blank line is NULL; for several columns it is skipped.
                if record.isBlank, columns > 1 { continue }
                return Line(number: record.line, content: Self.content(record, columns))
            }
            return nil
        case .json(var buffer, var number):
            reader = .json(ByteBuffer(ByteSource([])), line: 0)
            defer { reader = .json(buffer, line: number) }
            if number == 0 { try buffer.passByteOrderMark() }
            while let (bytes, isTooLong) = try buffer.nextLine(limit: CSVReader.longestRecord) {
                number += 1
                if isTooLong { return Line(number: number, content: .fault("the line is too long")) }
                if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
                return Line(number: number, content: Self.content(bytes))
            }
            return nil
        }
    }

    private static func content(_ record: CSVReader.Record, _ columns: Int) -> Content {
        if let fault = record.fault { return .fault(fault) }
        guard record.fields.count == columns else {
            return .fault("\(HumanReadable.count(record.fields.count, "field")) instead of \(columns)")
        }
        return .fields(record.fields)
    }

    private static func content(_ bytes: [UInt8]) -> Content {
        do throws(JSONObject.Fault) {
            return .members(try JSONObject(bytes).members)
        } catch {
            return .fault(error.reason)
        }
    }
}

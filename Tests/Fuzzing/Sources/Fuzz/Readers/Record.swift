import Strongroom

extension Reader {
    /// A record as JSON, as a client of a service sends it.
    static let record = Reader("record", longest: 1 << 14) { input in
        let options = input.byte()
        let text = input.text()
        var coding = RecordCoding(unknownKeys: options & 1 == 0 ? .ignored : .refused)
        coding.dates = [.exact, .stored, .form(.iso8601), .form(.since1970(.milliseconds))][Int(options >> 1) % 4]
        if options & 16 != 0 { coding.keys = .snakeCase }
        guard options & 8 == 0 else {
            for record in try Sample.records(json: text, coding) { checkRoundTrip(record, coding) }
            return
        }
        var record = try Sample(json: text, coding)
        checkRoundTrip(record, coding)
        let before = try? record.json(coding)
        try record.apply(json: text, coding)
        require((try? record.json(coding)) == before, "values that are set again change nothing")
    }

    private static func checkRoundTrip(_ record: Sample, _ coding: RecordCoding) {
        // JSON has no infinite numbers.
        guard let text = try? record.json(coding) else { return }
        do {
            require(try Sample(json: text, coding).json(coding) == text, "a record is read as it is written")
        } catch {
            fatalError("a record that was written cannot be read: \(error)")
        }
    }
}

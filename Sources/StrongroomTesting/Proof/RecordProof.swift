import Strongroom

/// A table whose records are read and written at the newest version.
struct RecordProof: Sendable {
    /// The result for one file.
    struct Finding: Sendable {
        var faults: [String] = []
        /// The number of records that were read or written.
        var count = 0
    }

    let tableName: String
    /// Reads and writes in a file that is discarded.
    let prove: @Sendable (borrowing WriteTransaction) throws -> Finding

    init<T: Table>(_ table: T.Type, _ samples: [T.RecordType]) {
        tableName = T.schema.name
        prove = { db in
            var work = RecordWork<T>()
            work.proveRows(in: db)
            for sample in samples { work.insert(sample, in: db) }
            return work.finding
        }
    }
}

private struct RecordWork<T: Table> {
    var finding = RecordProof.Finding()

    private let title = "the records \(T.RecordType.self) of table \"\(T.schema.name)\""

    /// Runs work, and records the fault that it returns or throws.
    private mutating func recordFault(_ what: String, _ work: () throws -> String?) {
        do {
            if let fault = try work() { finding.faults.append("\(title) \(fault)") }
        } catch {
            finding.faults.append("\(title) cannot be \(what) at the newest version: \(error)")
        }
    }

    /// The values that must be the same after writing and reading; generated columns are computed by the engine.
    private static func values(_ record: T.RecordType) throws -> [String: SQLValue] {
        let generated = Set(T.schema.columns.filter { $0.generated != nil }.map(\.name))
        return try record.columnValues().filter { !generated.contains($0.key) }
    }

    mutating func proveRows(in db: borrowing WriteTransaction) {
        var records: [T.RecordType] = []
        recordFault("read") {
            records = try T.all(in: db)
            return nil
        }
        finding.count += records.count
        guard !T.schema.primaryKeys.isEmpty else { return }
        for record in records {
            guard let key = T.key(of: record) else { continue }
            recordFault("written") {
                try T.update(record, in: db)
                let again = try T.find(key, in: db).map(Self.values)
                return again == (try Self.values(record))
                    ? nil : "differ after they were read, written and read again"
            }
        }
    }

    mutating func insert(_ sample: T.RecordType, in db: borrowing WriteTransaction) {
        finding.count += 1
        recordFault("inserted") {
            var sample = sample
            try T.save(&sample, .insert, in: db)
            guard let key = T.key(of: sample), let found = try T.find(key, in: db) else {
                return "are not found after a sample was inserted"
            }
            return try Self.values(found) == Self.values(sample)
                ? nil : "differ after a sample was inserted and read"
        }
    }
}

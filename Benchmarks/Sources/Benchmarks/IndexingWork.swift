import Strongroom
import TestData

/// A full-text index that is written: by us, by C, and by GRDB. The time lasts until the file is closed, so that the
/// checkpoint counts on all sides.
struct IndexingWork {
    /// A file of all documents without an index.
    let filled: Workplace.File
    let entries: [Document]
    let workplace: Workplace

    private let rivalEntries: RivalEntries
    /// Without a document, with the index and without it.
    private let indexed: Workplace.File
    private let plain: Workplace.File
    /// A word, and the number of documents that have it.
    private let word: String
    private let count: Int

    init(_ workplace: Workplace, _ documents: [TestDocument], _ questions: TestQuestions) async throws {
        self.workplace = workplace
        entries = documents.map(Document.init)
        rivalEntries = try RivalEntries(documents)
        indexed = try await workplace.makeFile(indexed: true)
        plain = try await workplace.makeFile(indexed: false)
        filled = try await workplace.makeFile(indexed: false, entries)
        word = questions.common[0]
        count = questions.commonCount
    }

    // MARK: Inserting

    func insertMany() async throws -> Duration {
        try await ours(indexed) { [entries] db in _ = try Document.insert(contentsOf: entries, in: db) }
    }

    func insertEach() async throws -> Duration {
        try await ours(indexed) { [entries] db in
            for entry in entries { try Document.insert(entry, in: db) }
        }
    }

    func insertByRival() async throws -> Duration {
        try rival(plain, index: DocumentIndex.rival, prepare: { try $0.run(DocumentIndex.creation) }) { rival in
            try rival.insertDocuments(rivalEntries)
        }
    }

    func insertBySameTriggers() async throws -> Duration {
        try rival(indexed, index: DocumentIndex.ours, prepare: { try $0.registerWords() }) { rival in
            try rival.insertDocuments(rivalEntries)
        }
    }

    // MARK: Indexing

    func index() async throws -> Duration {
        try await ours(filled) { db in try db.keepFullText(of: Document.schema) }
    }

    func indexByRival() async throws -> Duration {
        try rival(filled, index: DocumentIndex.rival) { rival in try rival.run(DocumentIndex.filling) }
    }

    func index(by process: GRDBProcess) async throws -> Duration {
        let file = try filled.copy()
        let report = try process.run(.documentIndex, on: file)
        try check(file, DocumentIndex.rival)
        try file.remove()
        return report.duration
    }

    // MARK: Sizes

    /// The sizes of closed files with indexes that were created on a filled table.
    func sizes() async throws -> [Gauge] {
        let ours = try await size { file in
            let store = try await file.open()
            try await store.write { db in try db.keepFullText(of: Document.schema) }
            try await store.close()
        }
        let theirs = try await size { file in
            let rival = try file.openRival()
            try rival.run(DocumentIndex.filling)
            rival.close()
        }
        let grdb: Double? =
            if let process = workplace.grdb {
                try await size { file in _ = try process.run(.documentIndex, on: file) }
            } else {
                nil
            }
        func comparison(_ name: String, _ size: Double) -> Comparison {
            let ratio = size / ours
            return Comparison(rival: name, ratio: ratio, low: ratio, high: ratio, theirs: size, target: nil)
        }
        return [
            Gauge(
                name: "size with index", unit: "MB", amount: ours, rival: comparison("C", theirs),
                grdb: grdb.map { comparison(GRDBProcess.name, $0) }),
            Gauge(
                name: "size with index", unit: "MB", amount: ours,
                rival: comparison("without index", try filled.megabytes())),
        ]
    }

    private func size(_ work: (Workplace.File) async throws -> Void) async throws -> Double {
        let file = try filled.copy()
        try await work(file)
        let size = try file.megabytes()
        try file.remove()
        return size
    }

    // MARK: Sides

    private func ours(
        _ template: Workplace.File, _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) async throws -> Duration {
        let file = try template.copy()
        let store = try await file.open()
        let duration = try await ContinuousClock().measure {
            try await store.write { db in try work(db) }
            try await store.close()
        }
        try check(file, DocumentIndex.ours)
        try file.remove()
        return duration
    }

    private func rival(
        _ template: Workplace.File, index: String, prepare: (Rival) throws -> Void = { _ in },
        _ work: (Rival) throws -> Void
    ) throws -> Duration {
        let file = try template.copy()
        let rival = try file.openRival()
        try prepare(rival)
        let duration = try ContinuousClock().measure {
            try work(rival)
            rival.close()
        }
        try check(file, index)
        try file.remove()
        return duration
    }

    /// Shows that an index has the documents.
    private func check(_ file: Workplace.File, _ index: String) throws {
        let rival = try file.openRival()
        let found = try rival.value(#"SELECT count(*) FROM "\#(index)" WHERE "\#(index)" MATCH '\#(word)'"#)
        try Summary(rows: found).check(Summary(rows: Int64(count)))
        rival.close()
    }
}

import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A version, and times, that a table keeps by itself.
struct UpkeepTests {
    @Table("document")
    struct Document: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        var title = ""
        var note: String?
        @Column("v", kept: .version) var version = 0
        @Column(kept: .created) var created: Date = Self.never
        @Column("changed_at", kept: .updated, as: .since1970(.milliseconds)) var changed: Date?

        static let never = Date(timeIntervalSinceReferenceDate: 0)
    }

    @Table("import")
    struct Imported: Equatable {
        var id: Int64?
        @Column(kept: .created) var created: Date?
    }

    @Table("copy", of: UpkeepTests.Document.self)
    enum Copy {}

    /// With a history, and with hooks that write what they get.
    @Table("dossier", history: .keep(days: 1))
    struct Dossier: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        @Column(kept: .version) var version: Int
        @Column(kept: .created) var created: Date
        @Column(kept: .updated, as: .iso8601) var changed: Date
        var shelf: Int64?

        init(id: Int64? = nil, code: String) {
            (self.id, self.code, version, created, changed) = (id, code, 0, Document.never, Document.never)
        }

        static let hooks: RecordHooks<Dossier>? = RecordHooks().didSave { dossier, db in
            guard try db.value("SELECT 1 FROM sqlite_master WHERE name = 'log'", as: Int.self) != nil else { return }
            try db.execute("INSERT INTO log VALUES (\(dossier.version), \(dossier.changed > Document.never))")
        }
    }

    @Table("shelf")
    struct Shelf: Equatable {
        var id: Int64?
        @HasMany var dossiers: [Dossier] = []

        static let relations: Relations<Shelf>? = Relations().hasMany(\.$dossiers, by: \.shelf, orphans: .detach)
    }

    private let store: Store

    init() async throws {
        store = try await TemporaryStore(tables: [
            Document.schema, Imported.schema, Copy.schema, Shelf.schema, Dossier.schema,
        ]).store
    }

    /// The doors that write a record to its row.
    enum Door: CaseIterable, Sendable {
        case update, updateInOut, updateList, updateOnly, save, saveList, upsert, upsertByCode, upsertList
        case upsertOnly, upsertKeepingNil, json

        func write(_ document: Document, in db: borrowing WriteTransaction) throws {
            var copy = document
            switch self {
            case .update: try Document.update(document, in: db)
            case .updateInOut: try Document.save(&copy, .update, in: db)
            case .updateList: try Document.update(contentsOf: [document], in: db)
            case .updateOnly: try Document.update(document, only: { [$0.title] }, in: db)
            case .save: try Document.save(&copy, in: db)
            case .saveList:
                var list = [document]
                try Document.save(contentsOf: &list, in: db)
            case .upsert: try Document.upsert(document, in: db)
            case .upsertByCode: try Document.upsert(document, .by(\.code), in: db)
            case .upsertList: try Document.upsert(contentsOf: [document], in: db)
            case .upsertOnly: try Document.upsert(document, .by(\.code, only: { [$0.title] }), in: db)
            case .upsertKeepingNil: try Document.upsert(document, .by(\.code, nils: .keep), in: db)
            case .json:
                try Document.upsert(
                    json: #"{"code": "a", "title": "\#(document.title)", "version": \#(document.version)}"#,
                    .by(\.code), in: db)
            }
        }
    }

    @Test(arguments: Door.allCases)
    func aStaleRecordIsRefused(door: Door) async throws {
        try await store.write { db in
            var document = Document(code: "a")
            try Document.save(&document, .insert, in: db)
            document.title = "first"
            try door.write(document, in: db)
            let row = try #require(try Document.find(1, in: db))
            #expect(row.title == "first")
            #expect(row.version == 1)
            // The record has the version from before.
            document.title = "second"
            try expectFailure(.staleRecord, saying: "\"document\"", "again") { try door.write(document, in: db) }
            #expect(try Document.all(in: db) == [row])
            var fresh = row
            fresh.title = "second"
            try door.write(fresh, in: db)
            #expect(try Document.find(1, in: db)?.version == 2)
            #expect(try Document.find(1, in: db)?.title == "second")
        }
    }

    @Test func aRecordThatIsGivenInOutFollows() async throws {
        try await store.write { db in
            var document = Document(code: "a")
            try Document.save(&document, .insert, in: db)
            #expect(document.version == 0)
            try Document.save(&document, in: db)
            var list = [document, Document(code: "b"), Document(code: "c")]
            try Document.save(contentsOf: &list, in: db)
            try Document.save(contentsOf: &list, in: db)
            #expect(list.map(\.version) == [3, 1, 1] && list.map(\.id) == [1, 2, 3])
            let stored = try Document.order { $0.id.ascending }.fetch(in: db)
            #expect(stored.map(\.version) == [3, 1, 1])
            #expect(stored.map(\.created) == list.map(\.created))
        }
    }

    /// The doors that set in the record what was stored.
    enum InOutDoor: CaseIterable, Sendable {
        case update, updateList, save, saveList, saveByCode, saveListByCode

        func write<T: Table>(
            _ record: inout T, by code: KeyPath<T.Columns, Column<String>>, in db: borrowing WriteTransaction
        ) throws where T.RecordType == T {
            var list = [record]
            switch self {
            case .update: try T.save(&record, .update, in: db)
            case .updateList: try T.save(contentsOf: &list, .update, in: db)
            case .save: try T.save(&record, in: db)
            case .saveList: try T.save(contentsOf: &list, in: db)
            case .saveByCode: try T.save(&record, .by(code), in: db)
            case .saveListByCode: try T.save(contentsOf: &list, .by(code), in: db)
            }
            switch self {
            case .updateList, .saveList, .saveListByCode: record = list[0]
            default: break
            }
        }
    }

    @Test(arguments: InOutDoor.allCases)
    func aRecordIsWrittenAgainAndAgain(door: InOutDoor) async throws {
        try await store.write { db in
            var list = [Document(code: "a")]
            try Document.save(contentsOf: &list, .insert, in: db)
            #expect(list[0].created > Document.never)
            for version in 1...3 {
                list[0].title += "x"
                try door.write(&list[0], by: \.code, in: db)
                #expect(list[0].version == version)
                let row = try #require(try Document.find(1, in: db))
                #expect(row.version == version && row.title == list[0].title && row.created == list[0].created)
            }
        }
    }

    @Test(arguments: InOutDoor.allCases)
    func theHooksGetWhatIsStored(door: InOutDoor) async throws {
        try await store.write { db in
            try db.execute("CREATE TABLE log (version, isStamped)")
            var list = [Dossier(code: "a")]
            try Dossier.save(contentsOf: &list, .insert, in: db)
            for version in 1...2 {
                try door.write(&list[0], by: \.code, in: db)
                #expect(list[0].version == version)
            }
            #expect(try db.value("SELECT group_concat(version) FROM log", as: String.self) == "0,1,2")
            #expect(try db.value("SELECT count(*) FROM log WHERE isStamped", as: Int.self) == 3)
            // Several rows have one record.
            try db.execute("DELETE FROM log")
            try Dossier.upsert(list[0], .matching(\.version), in: db)
            #expect(try db.value("SELECT group_concat(version) FROM log", as: String.self) == "3")
        }
    }

    @Test func anIgnoredUpdateIsNotStale() async throws {
        try await store.write { db in
            var document = Document(code: "a")
            try Document.save(&document, .insert, in: db)
            let stale = document
            try Document.save(&document, .update, in: db)
            try db.execute("CREATE TRIGGER ignores BEFORE UPDATE ON document BEGIN SELECT RAISE(IGNORE); END")
            try expectFailure(.writeRefused, saying: "trigger") { try Document.update(document, in: db) }
            try expectFailure(.staleRecord) { try Document.update(stale, in: db) }
        }
    }

    @Test func keptColumnsNeedNoValues() async throws {
        let start = Date()
        try await store.write { db in
            try Dossier.upsert(json: #"[{"code": "a"}, {"code": "a", "shelf": 1}]"#, .by(\.code), in: db)
            try Dossier.upsert(dictionaries: [["code": .text("b")]], .by(\.code), in: db)
            let id = try Dossier.insert(in: db) { [$0.code.set("c")] }
            let all = try Dossier.order { $0.id.ascending }.fetch(in: db)
            #expect(all.map(\.version) == [1, 0, 0] && id == all[2].id)
            #expect(all.allSatisfy { $0.created >= start && $0.changed > Document.never })
            #expect(try Dossier(json: #"{"code": "d"}"#).version == 0)
        }
    }

    @Test func anImportThatChangesNothingIsNoUpdate() async throws {
        let dossiers = store.table(Dossier.self)
        try await store.write { db in try Dossier.upsert(json: #"{"code": "a"}"#, .by(\.code), in: db) }
        let row = try #require(try await dossiers.all().first)
        let exported = try Dossier.json(of: [row])
        let partly = RecordCoding(dates: .form(.iso8601))
        for (json, coding) in [
            (exported, RecordCoding()), (try Dossier.json(of: [row], partly), partly), (#"{"code": "a"}"#, partly),
        ] {
            let outcome = try await store.write { db in
                try Dossier.upsert(json: json, .by(\.code), coding: coding, in: db)
            }
            #expect(outcome == [Upserted(.updated, try #require(row.id))])
        }
        let isWritten = try await store.write { db throws in
            let before = try db.value("SELECT total_changes()", as: Int.self)
            try Dossier.upsert(json: exported, in: db)
            return try db.value("SELECT total_changes()", as: Int.self) != before
        }
        #expect(!isWritten)
        #expect(try await dossiers.all().map(\.version) == [0])
        #expect(try await dossiers.all().first?.changed == row.changed)
        // Another version is a stale record.
        let stale = #"{"code": "a", "version": 7}"#
        try await expectFailure(.staleRecord) {
            try await store.write { db in try Dossier.upsert(json: stale, .by(\.code), in: db) }
        }
        try await store.write { db in
            try Dossier.upsert(json: #"{"code": "a", "version": 0, "shelf": null}"#, .by(\.code), in: db)
        }
        #expect(try await dossiers.all().map(\.version) == [0])
    }

    @Test func aDetachedRowHasTheNextVersion() async throws {
        try await store.write { db in
            var shelf = Shelf(dossiers: [Dossier(code: "a"), Dossier(code: "b")])
            try Shelf.save(&shelf, cascading: true, in: db)
            let lost = shelf.dossiers.removeLast()
            try Shelf.save(&shelf, cascading: true, in: db)
            let row = try #require(try Dossier.where { $0.code == "b" }.first(in: db))
            #expect(row.shelf == nil && row.version == lost.version + 1)
            try expectFailure(.staleRecord) { try Dossier.update(lost, in: db) }
        }
    }

    @Test func aListWithAStaleRecordIsNotWritten() async throws {
        try await store.write { db in
            var list = (0..<40).map { Document(code: "\($0)") }
            try Document.save(contentsOf: &list, in: db)
            try Document.update(7, in: db) { [$0.title.set("other")] }
            let before = try Document.all(in: db)
            var changed = list
            for index in changed.indices { changed[index].title = "mine" }
            let given = changed
            try expectFailure(.staleRecord) { try Document.update(contentsOf: given, in: db) }
            try expectFailure(.staleRecord) { try Document.save(contentsOf: &changed, in: db) }
            #expect(changed == given)
            #expect(try Document.all(in: db) == before)
        }
    }

    @Test func aRowThatIsGoneIsNotStale() async throws {
        try await store.write { db in
            var document = Document(code: "a")
            try Document.save(&document, .insert, in: db)
            try Document.delete(document, in: db)
            try expectFailure(.noSuchRow) { try Document.update(document, in: db) }
            document.version = 5
            try Document.save(&document, in: db)
            #expect(try Document.find(1, in: db)?.version == 5)
        }
    }

    @Test func assignmentsCount() async throws {
        try await store.write { db in
            try Document.insert(contentsOf: [Document(code: "a"), Document(code: "b")], in: db)
            try db.execute("UPDATE document SET changed_at = 0")
            try Document.where { $0.code == "a" }.update(in: db) { [$0.title.set("x")] }
            let rows = try Document.order { $0.id.ascending }.fetch(in: db)
            #expect(rows.map(\.version) == [1, 0])
            #expect(rows.map { $0.changed == Date(timeIntervalSince1970: 0) } == [false, true])
            try Document.update(2, in: db) { [$0.version.set(9), $0.changed.set(nil)] }
            #expect(try Document.find(2, in: db)?.version == 9)
            #expect(try Document.find(2, in: db)?.changed == nil)
            let id = try Document.insert(in: db) { [$0.code.set("c")] }
            let new = try #require(try Document.find(id, in: db))
            #expect(new.version == 0)
            #expect(new.created > Document.never)
            #expect(new.changed != nil)
        }
    }

    @Test func theTimesAreThoseOfTheTransaction() async throws {
        let start = Date()
        let (first, second) = try await store.write { db in
            var first = Document(code: "a", created: .distantFuture)
            try Document.save(&first, .insert, in: db)
            var list = [Document(code: "b"), Document(code: "c")]
            try Document.save(contentsOf: &list, in: db)
            #expect(list.allSatisfy { $0.created == first.created })
            return (first, list[1])
        }
        #expect(first.created >= start)
        #expect(first.created <= Date())
        #expect(first.changed == first.created)
        let rows = try await store.read { db in try Document.order { $0.id.ascending }.fetch(in: db) }
        #expect(rows.map(\.created) == [first.created, first.created, first.created])
        // The form of the column holds milliseconds.
        let changed = try #require(rows[0].changed)
        #expect(abs(changed.timeIntervalSince(first.created)) < 0.001)

        let later = try await store.write { db in
            var copy = second
            copy.created = .distantPast
            copy.title = "later"
            try Document.save(&copy, .update, in: db)
            return copy
        }
        let row = try await store.read { db in try #require(try Document.find(3, in: db)) }
        #expect(row.title == "later")
        #expect(row.created == first.created)
        #expect(try #require(later.changed) > first.created)
    }

    @Test func aCreationTimeThatIsGivenIsKept() async throws {
        try await store.write { db in
            let old = Date(timeIntervalSinceReferenceDate: 5)
            var records = [Imported(created: old), Imported()]
            try Imported.save(contentsOf: &records, in: db)
            #expect(records[0].created == old)
            #expect(try #require(records[1].created) > old)
            #expect(try Imported.order { $0.id.ascending }.fetch(in: db) == records)
            records[0].created = nil
            try Imported.save(&records[0], in: db)
            #expect(try Imported.find(1, in: db)?.created == old)
        }
    }

    @Test func aFurtherTableKeepsTheSame() async throws {
        try await store.write { db in
            let id = try Copy.insert(Document(code: "a"), in: db)
            var copy = try #require(try Copy.find(id, in: db))
            #expect(copy.created > Document.never)
            let stale = copy
            try Copy.save(&copy, .update, in: db)
            try expectFailure(.staleRecord, saying: "\"copy\"") { try Copy.update(stale, in: db) }
        }
    }
}

import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Each rule with each of its options in each form of a write, against a model of a few lines.
@Suite("The rule of a write")
struct WriteRuleTests {
    @Table("item")
    struct Item: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        var shelf: String
        var name: String?
    }

    enum Row: CaseIterable {
        case key, byCode, matching, matchingAll, insert, update
    }

    enum Form: CaseIterable {
        case record, list, variable, variables, json, dictionaries

        var isVariable: Bool { self == .variable || self == .variables }
    }

    private typealias Model = (items: [Item], outcome: Saved, keys: [Int64])

    private static let items = [
        Item(id: 1, code: "a", shelf: "x", name: "one"), Item(id: 2, code: "b", shelf: "x", name: "two"),
        Item(id: 3, code: "c", shelf: "y", name: "three"),
    ]

    /// Records with and without a key, a value and a match.
    private static let given = [nil, 1, 9].flatMap { (id: Int64?) in
        ["a", "b", "d"].flatMap { code in
            ["x", "y", "z"].flatMap { shelf in
                [nil, "new"].map { Item(id: id, code: code, shelf: shelf, name: $0) }
            }
        }
    }

    @Test(arguments: Row.allCases, Form.allCases)
    func doesTheSameInEachForm(row: Row, form: Form) async throws {
        try await TemporaryStore(tables: [Item.schema]).store.write { db in
            try Item.insert(contentsOf: Self.items, in: db)
            for nils in [NilPolicy.overwrite, .keep] {
                for isNamed in [false, true] where row != .insert || (nils == .overwrite && !isNamed) {
                    for item in Self.given {
                        try db.savepoint { db in
                            try Self.expect(item, row, nils, isNamed, form, in: db)
                            try db.rollBack()
                        }
                    }
                }
            }
        }
    }

    private static func expect(
        _ item: Item, _ row: Row, _ nils: NilPolicy, _ isNamed: Bool, _ form: Form, in db: borrowing WriteTransaction
    ) throws {
        let comment: Comment = "\(item) \(nils) \(isNamed ? "only the name" : "")"
        do {
            let model = try model(item, row, nils, isNamed, form)
            let (outcome, keys) = try write(item, rule(row, nils, isNamed), form, in: db)
            #expect(outcome == model.outcome && keys == model.keys, comment)
            #expect(try Item.order { $0.id.ascending }.fetch(in: db) == model.items, comment)
        } catch let code as Expected {
            let error = try expectFailure(code.code) { try write(item, rule(row, nils, isNamed), form, in: db) }
            #expect(!error.message.isEmpty, comment)
            #expect(try Item.all(in: db) == items, comment)
        }
    }

    private static func rule(_ row: Row, _ nils: NilPolicy, _ isNamed: Bool) -> WriteRule<Item> {
        let name: ((Item.Columns) -> [any SchemaColumn])? = isNamed ? { [$0.name] } : nil
        return switch row {
        case .key: .key(nils: nils, only: name)
        case .byCode: .by(\.code, nils: nils, only: name)
        case .matching: .matching(\.shelf, nils: nils, only: name)
        case .matchingAll: .matching(\.shelf, several: .updateAll, nils: nils, only: name)
        case .insert: .insert
        case .update: .update(nils: nils, only: name)
        }
    }

    private static func write(
        _ item: Item, _ rule: WriteRule<Item>, _ form: Form, in db: borrowing WriteTransaction
    ) throws -> (Saved, [Int64]) {
        let rows: [Upserted<Int64>]
        switch form {
        case .record: rows = [try Item.upsert(item, rule, in: db)]
        case .list: rows = try Item.upsert(contentsOf: [item], rule, in: db)
        case .json: rows = try Item.upsert(json: item.json(), rule, in: db)
        case .dictionaries: rows = try Item.upsert(dictionaries: [item.dictionary()], rule, in: db)
        case .variable, .variables:
            var list = [item]
            do {
                let outcome =
                    try form == .variables
                    ? Item.save(contentsOf: &list, rule, in: db)[0] : Item.save(&list[0], rule, in: db)
                return (outcome, [try #require(list[0].id)])
            } catch {
                #expect(list == [item])
                throw error
            }
        }
        #expect(rows.count == 1)
        return (rows[0].outcome, rows[0].keys)
    }

    private struct Expected: Error {
        let code: StrongroomError.Code
    }

    private static func model(
        _ item: Item, _ row: Row, _ nils: NilPolicy, _ isNamed: Bool, _ form: Form
    ) throws -> Model {
        if row == .matchingAll, form.isVariable { throw Expected(code: .invalidRule) }
        var found: [Item] =
            switch row {
            case .byCode: items.filter { $0.code == item.code }
            case .matching, .matchingAll: items.filter { $0.shelf == item.shelf }
            default: []
            }
        if row == .matching, found.count > 1 { throw Expected(code: .notUnique) }
        if found.isEmpty, row != .insert { found = items.filter { $0.id == item.id } }
        guard !found.isEmpty else {
            if row == .update { throw Expected(code: item.id == nil ? .missingKey : .noSuchRow) }
            var new = item
            new.id = item.id ?? 4
            return try checked((items + [new], .inserted, [new.id ?? 0]))
        }
        let keys = found.compactMap(\.id)
        let written = items.map { present in
            guard keys.contains(present.id ?? 0) else { return present }
            var new = present
            if !isNamed { (new.code, new.shelf) = (item.code, item.shelf) }
            new.name = item.name ?? (nils == .keep ? present.name : nil)
            return new
        }
        return try checked((written, .updated, keys))
    }

    private static func checked(_ model: Model) throws -> Model {
        let isUnique =
            Set(model.items.map(\.id)).count == model.items.count
            && Set(model.items.map(\.code)).count == model.items.count
        guard isUnique else { throw Expected(code: .constraint) }
        return model
    }

    @Test("a rule beside cascading is refused, and nothing is written")
    func refusals() async throws {
        try await TemporaryStore(tables: [Item.schema]).store.write { db in
            for rule in [WriteRule<Item>.insert, .update, .by(\.code), .key(nils: .keep), .key(only: { [$0.name] })] {
                var list = [Item(code: "a", shelf: "x")]
                try expectFailure(.invalidRule) { try Item.save(&list[0], rule, cascading: true, in: db) }
                try expectFailure(.invalidRule) { try Item.save(contentsOf: &list, rule, cascading: true, in: db) }
                #expect(list == [Item(code: "a", shelf: "x")])
            }
            #expect(try Item.count(in: db) == 0)
        }
    }

    @Test("columns that the record lacks are refused, and an empty list writes nothing")
    func columns() async throws {
        try await TemporaryStore(tables: [Item.schema]).store.write { db in
            try Item.insert(contentsOf: Self.items, in: db)
            var item = Item(id: 1, code: "new", shelf: "new")
            // Not inside of the macro: Swift 6.3.1 takes a closure there for the one in the rule below.
            let outcome = try Item.save(&item, .update(only: { _ in [] }), in: db)
            #expect(outcome == .updated)
            #expect(try Item.all(in: db) == Self.items)
            let rule = WriteRule<Item>.key(only: { [$0.name, Other.columns.level] })
            try expectFailure(.invalidArgument) { try Item.upsert(item, rule, in: db) }
            // The variable gets the key of the row also when nothing is written to it.
            var other = Item(code: "b", shelf: "z")
            try Item.save(&other, .by(\.code, only: { _ in [] }), in: db)
            #expect(other.id == 2)
            try Item.update(contentsOf: [item], only: { [$0.shelf] }, in: db)
            #expect(try Item.find(1, in: db) == Item(id: 1, code: "a", shelf: "new", name: "one"))
        }
    }

    @Table("mark")
    struct Mark: Equatable {
        var id: Int64?
        @Column(unique: true) var code: String
        @Column(kept: .created) var created: Date?

        static let hooks: RecordHooks<Mark>? = RecordHooks().deletesOnSave { $0.code.isEmpty || $0.code == "gone" }
    }

    @Test("a marked record is deleted by its key, and refused with a rule that finds another row")
    func markedRecords() async throws {
        try await TemporaryStore(tables: [Mark.schema]).store.write { db in
            try Mark.insert(contentsOf: [Mark(id: 5, code: "gone"), Mark(id: 7, code: "b")], in: db)
            var list = [Mark(id: 7, code: "gone")]
            let byCode = WriteRule<Mark>.by(\.code)
            for rule in [byCode, .matching(\.code), .insert] {
                try expectFailure(.invalidRule) { try Mark.save(&list[0], rule, in: db) }
                try expectFailure(.invalidRule) { try Mark.save(contentsOf: &list, rule, in: db) }
            }
            #expect(try Mark.count(in: db) == 2)
            let outcome = try Mark.save(&list[0], .update, in: db)
            #expect(outcome == .deleted)
            #expect(try Mark.all(in: db).map(\.id) == [5])
        }
    }

    @Test("JSON by `update` names a missing row or key, and wrong values are refused also where they are not written")
    func updateOfJSON() async throws {
        try await TemporaryStore(tables: [Item.schema, Mark.schema]).store.write { db in
            try expectFailure(.noSuchRow) { try Item.upsert(json: #"{"id": 9, "name": "x"}"#, .update, in: db) }
            try expectFailure(.missingKey) { try Item.upsert(json: #"{"name": "x"}"#, .update, in: db) }
            try Mark.insert(Mark(code: "a"), in: db)
            let wrong = #"{"code": "a", "created": "nonsense"}"#
            try expectFailure(.typeMismatch) { try Mark.upsert(json: wrong, .by(\.code), in: db) }
        }
    }

    @Table("other")
    struct Other {
        var id: Int64?
        var level: Int
    }
}

/// A record that says no: to a name on insert, to another on update.
@Table("choosy")
private struct Choosy: Equatable {
    var id: Int64?
    var name: String
    @Column(unique: true) var code: String

    struct Refusal: Error, Equatable {
        let operation: String
        let name: String
    }

    static func validateInsert(_ record: Choosy) throws {
        if record.name.contains("no insert") { throw Refusal(operation: "insert", name: record.name) }
    }

    static func validateUpdate(_ record: Choosy) throws {
        if record.name.contains("no update") { throw Refusal(operation: "update", name: record.name) }
    }

    init(id: Int64? = nil, _ name: String, _ code: String) {
        (self.id, self.name, self.code) = (id, name, code)
    }
}

struct ValidationTests {
    private static let noInsert = Choosy.Refusal(operation: "insert", name: "no insert")
    private static let noUpdate = Choosy.Refusal(operation: "update", name: "no update")

    @Test func anUpsertIsAskedAboutWhatItDoes() async throws {
        try await TemporaryStore(tables: [Choosy.schema]).store.write { db in
            try Choosy.insert(Choosy("a", "1"), in: db)
            for nils in [NilPolicy.overwrite, .keep] {
                #expect(throws: Self.noUpdate, "by the unique column") {
                    try Choosy.upsert(Choosy("no update", "1"), .by(\.code, nils: nils), in: db)
                }
                #expect(throws: Self.noUpdate, "by the key") {
                    try Choosy.upsert(Choosy(id: 1, "no update", "9"), .by(\.code, nils: nils), in: db)
                }
                #expect(throws: Self.noUpdate) {
                    try Choosy.upsert(Choosy(id: 1, "no update", "9"), .key(nils: nils), in: db)
                }
                #expect(throws: Self.noInsert) {
                    try Choosy.upsert(Choosy("no insert", "9"), .by(\.code, nils: nils), in: db)
                }
                #expect(throws: Self.noInsert) {
                    try Choosy.upsert(Choosy(id: 9, "no insert", "9"), .by(\.code, nils: nils), in: db)
                }
            }
            #expect(try Choosy.all(in: db) == [Choosy(id: 1, "a", "1")])
        }
    }

    @Test func anUpsertIsNotAskedAboutWhatItDoesNot() async throws {
        try await TemporaryStore(tables: [Choosy.schema]).store.write { db in
            try Choosy.upsert(Choosy("no update", "1"), .by(\.code), in: db)
            try Choosy.upsert(Choosy(id: 5, "no update", "5"), .by(\.code), in: db)
            try Choosy.upsert(Choosy(id: 6, "no update", "6"), in: db)
            try Choosy.upsert(Choosy("no insert", "1"), .by(\.code), in: db)
            try Choosy.upsert(Choosy(id: 5, "no insert", "55"), .by(\.code), in: db)
            #expect(try Choosy.all(in: db).map(\.name) == ["no insert", "no insert", "no update"])
        }
    }
}

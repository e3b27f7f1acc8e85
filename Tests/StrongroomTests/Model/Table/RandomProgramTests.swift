import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A row whose table and columns have names that hurt.
@Table("from \"where\" `x` 表")
private struct Odd: Equatable {
    @Column("select", primaryKey: true) var id: Int64?
    @Column("a \"quoted\" name", unique: true) var text: String
    @Column("it's `odd`") var note: String?
    @Column("🙂 é") var real: Double?
    @Column("order by 1; --") var blob: [UInt8]?
    @Column("rowid?", indexed: true) var number: Int64
}

extension Odd {
    init(_ generator: inout SeededGenerator) {
        let hurts = ["", "'", "\"", "`", "a\0b", "NULL", "%_\\", "🙂👩‍👩‍👧", "e\u{301}", "é", "?1", "); DROP TABLE x; --"]
        func word() -> String {
            hurts[Int.random(in: 0..<hurts.count, using: &generator)] + generator.text(upTo: 4)
        }
        id = nil
        text = word() + "\(Int.random(in: 0..<60, using: &generator))"
        if Int.random(in: 0..<400, using: &generator) == 0 { text += String(repeating: "x\0é", count: 250_000) }
        note = Bool.random(using: &generator) ? word() : nil
        real = Bool.random(using: &generator) ? generator.smallNumber() : nil
        blob = Bool.random(using: &generator) ? generator.bytes(upTo: 3) : nil
        number =
            Bool.random(using: &generator)
            ? Int64.random(in: -4...4, using: &generator) : [.min, .max][Int.random(in: 0...1, using: &generator)]
    }
}

/// A random program of writes and queries on a store and on a plain array, which must agree after each step.
@Suite("Random programs")
struct RandomProgramTests {
    @Test(
        "what goes in comes out, and what a query finds is what the model finds",
        arguments: Array(1...6) as [UInt64])
    func modelAndStoreAgree(seed: UInt64) async throws {
        try await TemporaryStore(tables: [Odd.schema]).store.write { db in
            var generator = SeededGenerator(seed)
            var model: [Odd] = []
            for step in 0..<250 {
                try change(&model, &generator, db)
                if step.isMultiple(of: 10) { try compare(model, &generator, db, "seed \(seed), step \(step)") }
            }
            try compare(model, &generator, db, "seed \(seed), at the end")
        }
    }

    private func change(
        _ model: inout [Odd], _ generator: inout SeededGenerator, _ db: borrowing WriteTransaction
    ) throws {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: try insert(&model, &generator, db)
        case 2: try insertList(&model, &generator, db)
        case 3: try update(&model, &generator, db)
        case 4, 5: try upsert(&model, &generator, db)
        case 6:
            let number = Int64.random(in: -4...4, using: &generator)
            let count = try Odd.where { $0.number == number }.delete(in: db)
            #expect(count == model.filter { $0.number == number }.count)
            model.removeAll { $0.number == number }
        default:
            guard let odd = model.randomElement(using: &generator), let id = odd.id else { return }
            #expect(try Odd.delete(id, in: db))
            model.removeAll { $0.id == id }
        }
    }

    private func isTaken(_ text: String, in model: [Odd], except id: Int64? = nil) -> Bool {
        model.contains { Self.isSame($0.text, text) && ($0.id == nil || $0.id != id) }
    }

    private func insert(_ model: inout [Odd], _ generator: inout SeededGenerator, _ db: borrowing WriteTransaction)
        throws
    {
        var odd = Odd(&generator)
        if isTaken(odd.text, in: model) {
            try expectFailure(.constraint) { try Odd.insert(odd, in: db) }
        } else {
            try Odd.save(&odd, .insert, in: db)
            model.append(odd)
        }
    }

    private func insertList(
        _ model: inout [Odd], _ generator: inout SeededGenerator, _ db: borrowing WriteTransaction
    ) throws {
        var list: [Odd] = []
        for _ in 0..<Int.random(in: 0..<80, using: &generator) {
            let odd = Odd(&generator)
            if !isTaken(odd.text, in: model + list) { list.append(odd) }
        }
        let keys = try Odd.insert(contentsOf: list, in: db)
        for (index, key) in keys.enumerated() { list[index].id = key }
        model += list
    }

    private func update(_ model: inout [Odd], _ generator: inout SeededGenerator, _ db: borrowing WriteTransaction)
        throws
    {
        guard let place = model.indices.randomElement(using: &generator) else { return }
        var odd = Odd(&generator)
        odd.id = model[place].id
        if isTaken(odd.text, in: model, except: odd.id) {
            try expectFailure(.constraint) { try Odd.update(odd, in: db) }
        } else {
            try Odd.update(odd, in: db)
            model[place] = odd
        }
    }

    private func upsert(_ model: inout [Odd], _ generator: inout SeededGenerator, _ db: borrowing WriteTransaction)
        throws
    {
        var odd = Odd(&generator)
        let keeps = Bool.random(using: &generator)
        if Bool.random(using: &generator), let other = model.randomElement(using: &generator) { odd.text = other.text }
        let done = try Odd.upsert(odd, .by(\.text, nils: keeps ? .keep : .overwrite), in: db)
        odd.id = done.key
        if let place = model.firstIndex(where: { Self.isSame($0.text, odd.text) }) {
            #expect(done == Upserted(.updated, model[place].id ?? 0))
            if keeps {
                odd.note = odd.note ?? model[place].note
                odd.real = odd.real ?? model[place].real
                odd.blob = odd.blob ?? model[place].blob
            }
            model[place] = odd
        } else {
            #expect(done.outcome == .inserted)
            model.append(odd)
        }
    }

    private func compare(
        _ model: [Odd], _ generator: inout SeededGenerator, _ db: borrowing WriteTransaction, _ where: Comment
    ) throws {
        let sorted = model.sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        #expect(try Odd.all(in: db) == sorted, `where`)
        let number = Int64.random(in: -4...4, using: &generator)
        let found = try Odd.where { $0.number >= number && $0.note != nil }.order { $0.id.ascending }.fetch(in: db)
        #expect(found == sorted.filter { $0.number >= number && $0.note != nil }, `where`)
        let notes = sorted.compactMap(\.note).prefix(40)
        let listed = try Odd.where { $0.note.isIn(Array(notes)) }.order { $0.id.ascending }.fetch(in: db)
        let wanted = Set(notes.map { Array($0.utf8) })
        #expect(listed == sorted.filter { $0.note.map { wanted.contains(Array($0.utf8)) } ?? false }, `where`)
        let part = ["'", "%", "\0", "🙂", "e"][Int.random(in: 0..<5, using: &generator)]
        let containing = try Odd.where { $0.text.contains(part) }.count(in: db)
        let bytes = Data(part.utf8)
        #expect(containing == sorted.filter { Data($0.text.utf8).range(of: bytes) != nil }.count, `where`)
        for odd in model.prefix(3) { #expect(try Odd.find(odd.id ?? 0, in: db) == odd, `where`) }
    }

    /// The engine tells texts apart by their bytes, Swift by their characters.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && Data(first.utf8) == Data(second.utf8)
    }
}

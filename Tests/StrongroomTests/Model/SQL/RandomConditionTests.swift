import Strongroom
import StrongroomTesting
import Testing

/// Random conditions on random rows: the engine finds the rows that a model in memory finds.
struct RandomConditionTests {
    private static func samples(_ generator: inout SeededGenerator, _ count: Int) -> [Sample] {
        (1...count).map { Sample(id: Int64($0), &generator) }
    }

    @Test(arguments: Kind.allCases)
    func eachOperatorFindsWhatTheModelFinds(kind: Kind) async throws {
        let store = try await TemporaryStore(tables: [Sample.schema]).store
        var generator = SeededGenerator(UInt64(kind.rawValue) + 100)
        let samples = Self.samples(&generator, 150)
        try await store.write { db in try Sample.insert(contentsOf: samples, in: db) }
        let made = (0..<60).map { _ in kind.make(samples, &generator) }
        try await Self.expectModel(made + made.map { !$0 }, samples, store)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func combinedConditionsFindWhatTheModelFinds(seed: UInt64) async throws {
        let store = try await TemporaryStore(tables: [Sample.schema]).store
        var generator = SeededGenerator(seed)
        let samples = Self.samples(&generator, 150)
        try await store.write { db in try Sample.insert(contentsOf: samples, in: db) }
        let made = (0..<150).map { _ in Self.tree(4, samples, &generator) }
        try await Self.expectModel(made, samples, store)
    }

    private static func tree(
        _ depth: Int, _ samples: [Sample], _ generator: inout SeededGenerator
    ) -> ModelledCondition {
        switch depth == 0 ? 9 : Int.random(in: 0..<6, using: &generator) {
        case 0, 1: tree(depth - 1, samples, &generator) && tree(depth - 1, samples, &generator)
        case 2, 3: tree(depth - 1, samples, &generator) || tree(depth - 1, samples, &generator)
        case 4: !tree(depth - 1, samples, &generator)
        default: (Kind.allCases.randomElement(using: &generator) ?? .equal).make(samples, &generator)
        }
    }

    private static func expectModel(_ made: [ModelledCondition], _ samples: [Sample], _ store: Store) async throws {
        let found = try await store.read { db in
            try made.map { one in
                try Sample.where { _ in one.condition }.order { $0.id.ascending }.fetch(in: db).map(\.id)
            }
        }
        let counted = try await store.read { db in
            try made.map { one in try Sample.where { _ in one.condition }.count(in: db) }
        }
        let hits = made.map { one in samples.filter { one.holds($0) == true }.map(\.id) }
        let wrong = made.indices.filter { found[$0] != hits[$0] || counted[$0] != hits[$0].count }
        // One of many is enough to see what is wrong.
        let first = wrong.first.map { index in
            """
            \(made[index].condition.sql) found \(found[index].compactMap(\.self)), not \(hits[index].compactMap(\.self))
            """
        }
        #expect(first == nil, "\(wrong.count) of \(made.count) conditions")
        #expect(hits.contains { !$0.isEmpty && $0.count < samples.count }, "no condition tells rows apart")
    }
}

extension RandomConditionTests {
    /// An operator.
    enum Kind: Int, CaseIterable {
        case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
        case isNull, isNotNull, isIn, twoColumns, hasPrefix, hasSuffix, contains, like, raw

        func make(_ samples: [Sample], _ generator: inout SeededGenerator) -> ModelledCondition {
            switch self {
            case .equal: Self.comparison(samples, &generator, ==, ==, ==, ==) { $0 == $1 }
            case .unequal: Self.comparison(samples, &generator, !=, !=, !=, !=) { $0 != $1 }
            case .less: Self.comparison(samples, &generator, <, <, <, <) { $0 < $1 }
            case .lessOrEqual: Self.comparison(samples, &generator, <=, <=, <=, <=) { $0 <= $1 }
            case .greater: Self.comparison(samples, &generator, >, >, >, >) { $0 > $1 }
            case .greaterOrEqual: Self.comparison(samples, &generator, >=, >=, >=, >=) { $0 >= $1 }
            case .isNull: Self.nullness(&generator, true)
            case .isNotNull: Self.nullness(&generator, false)
            case .isIn: Self.membership(samples, &generator)
            case .twoColumns: Self.twoColumns(&generator)
            case .hasPrefix, .hasSuffix, .contains, .like: Self.search(self, samples, &generator)
            case .raw: Self.raw(&generator)
            }
        }
    }
}

extension RandomConditionTests.Kind {
    private typealias Columns = Sample.Columns
    private static var columns: Columns { Sample.columns }

    private static func comparison(
        _ samples: [Sample],
        _ generator: inout SeededGenerator,
        _ text: (Column<String?>, String?) -> Condition,
        _ number: (Column<Double?>, Double?) -> Condition,
        _ integer: (Column<Int64>, Int64) -> Condition,
        _ bytes: (Column<[UInt8]?>, [UInt8]?) -> Condition,
        _ holds: @escaping @Sendable (Sortable, Sortable) -> Bool
    ) -> ModelledCondition {
        let sample = samples.randomElement(using: &generator) ?? samples[0]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let wanted = sample.word ?? ""
            return ModelledCondition(text(columns.word, wanted)) {
                $0.word.map { holds(Sortable($0), Sortable(wanted)) }
            }
        case 1:
            let wanted = sample.number ?? 0
            return ModelledCondition(number(columns.number, wanted)) {
                $0.number.map { holds(Sortable($0), Sortable(wanted)) }
            }
        case 2:
            let wanted = sample.size
            return ModelledCondition(integer(columns.size, wanted)) { holds(Sortable($0.size), Sortable(wanted)) }
        default:
            let wanted = sample.data ?? []
            return ModelledCondition(bytes(columns.data, wanted)) {
                $0.data.map { holds(Sortable($0), Sortable(wanted)) }
            }
        }
    }

    private static func nullness(_ generator: inout SeededGenerator, _ isNull: Bool) -> ModelledCondition {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: ModelledCondition(isNull ? columns.word == nil : columns.word != nil) { ($0.word == nil) == isNull }
        case 1:
            ModelledCondition(isNull ? columns.number == nil : columns.number != nil) { ($0.number == nil) == isNull }
        case 2: ModelledCondition(isNull ? columns.flag == nil : columns.flag != nil) { ($0.flag == nil) == isNull }
        default: ModelledCondition(isNull ? columns.data == nil : columns.data != nil) { ($0.data == nil) == isNull }
        }
    }

    private static func membership(_ samples: [Sample], _ generator: inout SeededGenerator) -> ModelledCondition {
        let chosen = samples.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            let sizes = chosen.map(\.size)
            return ModelledCondition(columns.size.isIn(sizes)) { sizes.contains($0.size) }
        case 1:
            let words = chosen.map { $0.word.map { Array($0.utf8) } }
            return ModelledCondition(columns.word.isIn(chosen.map(\.word))) { sample in
                contains(words, sample.word.map { Array($0.utf8) })
            }
        default:
            let flags = chosen.map(\.flag)
            return ModelledCondition(columns.flag.isIn(flags)) { contains(flags, $0.flag) }
        }
    }

    /// Nil in the list stands for NULL; a NULL that is not asked for is in no list and, but for an empty one, out of
    /// none.
    private static func contains<Element: Equatable>(_ list: [Element?], _ element: Element?) -> Bool? {
        if element == nil, !list.contains(nil), !list.isEmpty { return nil }
        return list.contains(element)
    }

    private static func twoColumns(_ generator: inout SeededGenerator) -> ModelledCondition {
        let other = Column<String?>("note")
        func texts(_ holds: @escaping @Sendable (Sortable, Sortable) -> Bool) -> @Sendable (Sample) -> Bool? {
            { sample in sample.word.map { holds(Sortable($0), Sortable(sample.note)) } }
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return ModelledCondition(columns.word == other, texts { $0 == $1 })
        case 1: return ModelledCondition(columns.word != other, texts { $0 != $1 })
        case 2: return ModelledCondition(columns.word < other, texts { $0 < $1 })
        default: return ModelledCondition(columns.word > other, texts { $0 > $1 })
        }
    }

    /// A condition in the user's own SQL, with an operator that binds less than AND.
    private static func raw(_ generator: inout SeededGenerator) -> ModelledCondition {
        let (first, second) = (Int64.random(in: -3...3, using: &generator), Int64.random(in: -3...3, using: &generator))
        return ModelledCondition(Condition("size = \(first) OR size = \(second)")) {
            $0.size == first || $0.size == second
        }
    }

    private static func search(
        _ kind: Self, _ samples: [Sample], _ generator: inout SeededGenerator
    ) -> ModelledCondition {
        let onNote = generator.next().isMultiple(of: 2)
        let part = part(samples, &generator)
        let find: @Sendable (String) -> Bool = { text in
            let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
            return switch kind {
            case .hasPrefix: bytes.starts(with: wanted)
            case .hasSuffix: bytes.reversed().starts(with: wanted.reversed())
            case .contains: wanted.isEmpty || bytes.contains(wanted)
            default: text.isLike(part)
            }
        }
        func condition(_ column: some SQLExpression<some TextColumnValue>) -> Condition {
            switch kind {
            case .hasPrefix: column.hasPrefix(part)
            case .hasSuffix: column.hasSuffix(part)
            case .contains: column.contains(part)
            default: column.like(part)
            }
        }
        return onNote
            ? ModelledCondition(condition(columns.note)) { find($0.note) }
            : ModelledCondition(condition(columns.word)) { $0.word.map(find) }
    }

    /// A text to look for: often one that is there, or a part of it, sometimes with wildcards.
    private static func part(_ samples: [Sample], _ generator: inout SeededGenerator) -> String {
        let text = samples.randomElement(using: &generator)?.note ?? ""
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return text
        case 1: return String(text.unicodeScalars.prefix(1))
        case 2: return String(text.unicodeScalars.suffix(1))
        case 3: return "%\(String(text.unicodeScalars.prefix(1)))_"
        case 4: return "\\\(text.lowercased())%"
        default: return generator.text(upTo: 2)
        }
    }
}

/// A condition made twice: as the library makes it, and as a function on a record in memory. Nil is SQL's unknown.
struct ModelledCondition: Sendable {
    let condition: Condition
    let holds: @Sendable (Sample) -> Bool?

    init(_ condition: Condition, _ holds: @escaping @Sendable (Sample) -> Bool?) {
        self.condition = condition
        self.holds = holds
    }

    static func && (left: Self, right: Self) -> Self {
        Self(left.condition && right.condition) { sample in
            switch (left.holds(sample), right.holds(sample)) {
            case (false, _), (_, false): false
            case (true, true): true
            default: nil
            }
        }
    }

    static func || (left: Self, right: Self) -> Self {
        Self(left.condition || right.condition) { sample in
            switch (left.holds(sample), right.holds(sample)) {
            case (true, _), (_, true): true
            case (false, false): false
            default: nil
            }
        }
    }

    static prefix func ! (one: Self) -> Self {
        Self(!one.condition) { sample in one.holds(sample).map { !$0 } }
    }
}

/// A value in the order of the engine: texts and bytes byte by byte, numbers by size.
enum Sortable: Comparable {
    case bytes([UInt8])
    case number(Double)

    static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.number(let left), .number(let right)): left < right
        case (.number, .bytes): true
        case (.bytes, .number): false
        }
    }

    init(_ text: String) { self = .bytes(Array(text.utf8)) }
    init(_ number: Double) { self = .number(number) }
    init(_ number: Int64) { self = .number(Double(number)) }
    init(_ flag: Bool) { self = .number(flag ? 1 : 0) }
    init(_ bytes: [UInt8]) { self = .bytes(bytes) }
}

extension String {
    /// Whether the text fits a LIKE pattern: scalar by scalar, A to Z as a to z, both only up to a NUL.
    func isLike(_ pattern: String) -> Bool {
        func letters(_ text: String) -> [Unicode.Scalar] {
            Array(text.unicodeScalars.prefix { $0 != "\0" })
        }
        return Self.matches(letters(self)[...], letters(pattern)[...])
    }

    private static func matches(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "%":
            return (text.startIndex...text.endIndex).contains { matches(text[$0...], rest) }
        case "_":
            return !text.isEmpty && matches(text.dropFirst(), rest)
        case "\\":
            guard let literal = rest.first, let letter = text.first, same(literal, letter) else { return false }
            return matches(text.dropFirst(), rest.dropFirst())
        default:
            guard let letter = text.first, same(first, letter) else { return false }
            return matches(text.dropFirst(), rest)
        }
    }

    private static func same(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
        func lower(_ scalar: Unicode.Scalar) -> UInt32 {
            ("A"..."Z").contains(scalar) ? scalar.value + 32 : scalar.value
        }
        return lower(left) == lower(right)
    }
}

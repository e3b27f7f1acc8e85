import Foundation
import Testing

@Suite(
    "How much the compiler's solver has to try for a query",
    .enabled(if: SwiftCompiler.path != nil, "there is no swiftc, or the trait ConfigReader is on")
)
struct QueryComplexityTests {
    private static let compiler = Result { try SwiftCompiler() }

    /// The scopes that an expression may take: the time of the check is in proportion to them, with Swift 6.3 about 100
    /// ms for each thousand. A query of ten conditions takes fewer than 400.
    private static let scopes = 1_000

    /// What the compiler says to an expression that takes more.
    private static let refusal = "unable to type-check this expression in reasonable time"

    @Test("A query of ten conditions takes few", arguments: TenConditions.all)
    func aQueryOfTenConditionsTakesFew(query: TenConditions) async throws {
        let answer = try await Self.compiler.get().checkTypes(query.source, scopes: Self.scopes)
        #expect(answer.status == 0)
        #expect(answer.output == "")
    }

    /// The tests around them, which are longer, included.
    @Test func everyQueryOfTheGuidesTakesFew() async throws {
        let tests = URL(filePath: #filePath)
            .deletingLastPathComponent().appending(path: "../../DocumentationTests").standardized
        let files = try ["Examples", "Fixtures", "Check"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: tests.appending(path: folder).path())
                .filter { $0.hasSuffix(".swift") }.sorted()
                .map { tests.appending(path: "\(folder)/\($0)").path(percentEncoded: false) }
        }
        #expect(files.count > 25)
        try await expectFew(files, /Examples\/\w+\.swift:\d+/)
    }

    private func expectFew(_ files: [String], _ place: Regex<Substring>) async throws {
        let answer = try await Self.compiler.get().checkTypes(nil, files, scopes: 2 * Self.scopes)
        let errors = answer.output.split(separator: "\n").filter { $0.contains(": error: ") }
        #expect(errors.allSatisfy { $0.contains(Self.refusal) }, "\(answer.output)")
        // A line that is in no file is one of what `#expect` makes, which is no query.
        let refused = errors.filter { $0.contains(place) }
        #expect(refused.isEmpty, "\(refused.joined(separator: "\n"))")
    }

    /// The list of sixty queries, of which each is pinned as SQL beside its result.
    @Test func eachOfTheSixtyQueriesTakesFew() async throws {
        let tests = URL(filePath: #filePath)
            .deletingLastPathComponent().appending(path: "../../StrongroomTests").standardized
        let files = ["Fixtures/Practice", "Rows", "Values", "AcrossTables"].map { name in
            let path =
                name.contains("/") ? name : "Model/Query/Queries\(name == "AcrossTables" ? "" : "Of")\(name)Tests"
            return tests.appending(path: "\(path).swift").path(percentEncoded: false)
        }
        try await expectFew(files, /Tests\.swift:\d+/)
    }

    /// The same query, where fewer are permitted.
    @Test func anExpressionThatTakesMoreIsRefused() async throws {
        let answer = try await Self.compiler.get().checkTypes(TenConditions.all[0].source, scopes: Self.scopes / 10)
        #expect(answer.status == 1)
        #expect(answer.errors.count == 1)
        #expect(answer.output.contains(Self.refusal))
    }
}

/// A query of ten conditions.
struct TenConditions: Sendable, CustomStringConvertible {
    let description: String
    let source: String

    private init(_ description: String, _ query: String) {
        self.description = description
        source = Self.source(query)
    }

    /// A function with the query as its body.
    static func source(_ query: String) -> String {
        """
        import Foundation
        import Strongroom

        @Table("contact")
        struct Contact {
            var id: Int64?
            var name: String
            var email: String?
            var age: Int
            var score: Double
            var city: String
            var isActive: Bool
            var born: Date
            var balance: Decimal
            var parent: Int64?
        }

        @Table("call")
        struct Call {
            var id: Int64?
            var contact: Int64
            var minutes: Int
            var note: String?
        }

        func query(_ db: borrowing ReadTransaction, _ place: String, _ day: Date) throws -> [Contact] {
            \(query)
        }

        """
    }

    static let all = [
        TenConditions(
            "comparisons",
            """
            try Contact.where {
                $0.age > 18 && $0.age < 65 && $0.name.hasPrefix("A") && $0.city == "Oslo" && $0.isActive == true
                    && $0.score >= 2.5 && $0.email != nil && $0.parent == nil && $0.name != "Alice" && $0.city != place
            }.fetch(in: db)
            """),
        TenConditions(
            "columns that are conditions",
            """
            try Contact.where {
                $0.isActive && $0.age > 18 && !$0.isActive && ($0.isActive || $0.city == "Oslo") && $0.score >= 2.5
                    && $0.email != nil && $0.name.hasPrefix("A") && $0.name != "Alice" && $0.city != place
                    && $0.isActive
            }.where { $0.isActive }.fetch(in: db)
            """),
        TenConditions(
            "alternatives and negations",
            """
            try Contact.where {
                ($0.age > 18 || $0.age + 1 < 7) && !($0.name.hasPrefix("A") || $0.city.contains("Oslo"))
                    && $0.isActive == true && $0.score * 2 >= 2.5 && $0.email == "a@b.c" && $0.born < day
                    && $0.balance > 10 && $0.age.isIn([1, 2, 3])
            }.order { $0.name.ascending }.limit(20).fetch(in: db)
            """),
        TenConditions(
            "one column, ten values",
            """
            try Contact.where {
                $0.age == 1 || $0.age == 2 || $0.age == 3 || $0.age == 4 || $0.age == 5 || $0.age == 6 || $0.age == 7
                    || $0.age == 8 || $0.age == 9 || $0.age == 10
            }.fetch(in: db)
            """),
        TenConditions(
            "columns that may be nil",
            """
            try Contact.where {
                $0.parent == 1 || $0.parent == nil || $0.parent == 3 || $0.email == "4" || $0.parent == 5
                    || $0.parent != 6 || $0.parent < 7 || $0.parent >= 8 || $0.parent ?? 0 == 9 || $0.email != "10"
            }.fetch(in: db)
            """),
        TenConditions(
            "calculations",
            """
            try Contact.where {
                $0.age + 1 < 2 && $0.age - 2 > 3 && $0.age * 4 + 5 > $0.age / 6 && $0.score * 2 + 1 > 3.5
                    && $0.score / 2 - 1 < 7 && $0.age % 2 == 0 && $0.age * 2 > -3 && $0.score + 1 >= $0.score * 2
                    && $0.name.length() + 3 * $0.age - 2 > 7 && $0.age + $0.age > 40
            }.fetch(in: db)
            """),
        TenConditions(
            "two tables",
            """
            try Contact.join(Call.self) { contact, call in contact.id == call.contact }.where { contact, call in
                call.minutes > 3 && call.minutes < 60 && contact.age > 18 && contact.name.hasPrefix("A")
                    && contact.city == place && call.note != nil && contact.email == nil && contact.score >= 2.5
                    && (call.note == "urgent" || contact.parent == 7)
            }.fetch(in: db).map(\\.0)
            """),
    ]
}

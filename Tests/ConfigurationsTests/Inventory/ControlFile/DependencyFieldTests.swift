import Configurations
import Testing

@Suite("Reading dependency fields")
struct DependencyFieldTests {
    private func dependencies(_ field: String) throws -> [PackageDependency] {
        try #require(try ControlFileSample.read(ControlFileSample.paragraph(field)).first).dependencies
    }

    /// The values of a dependency as one line, so that a test pins all of them.
    private func line(_ dependency: PackageDependency) -> String {
        let version = dependency.relation.map { " \($0.rawValue) \(dependency.version ?? "nil")" } ?? ""
        let architecture = dependency.architecture.map { ":" + $0 } ?? ""
        return "\(dependency.group).\(dependency.alternative) \(dependency.name)\(architecture)\(version)"
    }

    @Test(
        "numbers groups and alternatives",
        arguments: [
            ("a", ["0.0 a"]),
            ("a, b", ["0.0 a", "1.0 b"]),
            ("a|b ,c | d|e", ["0.0 a", "0.1 b", "1.0 c", "1.1 d", "1.2 e"]),
            ("a,b,", ["0.0 a", "1.0 b"]),
            ("a\n , b\n\t| c\n ,", ["0.0 a", "1.0 b", "1.1 c"]),
            ("\n a,\n b", ["0.0 a", "1.0 b"]),
        ])
    func positions(field: String, expected: [String]) throws {
        #expect(try dependencies("Depends: " + field).map(line) == expected)
    }

    @Test(
        "reads relations and versions",
        arguments: [
            ("a (<< 1)", "0.0 a << 1"),
            ("a (<= 1)", "0.0 a <= 1"),
            ("a (= 1)", "0.0 a = 1"),
            ("a (>= 1)", "0.0 a >= 1"),
            ("a (>> 1)", "0.0 a >> 1"),
            ("a (< 1)", "0.0 a <= 1"),
            ("a (> 1)", "0.0 a >= 1"),
            ("a (1)", "0.0 a = 1"),
            ("a(>=1:2.0~rc1+dfsg-1.1)", "0.0 a >= 1:2.0~rc1+dfsg-1.1"),
            ("a \t( \t>=\t 1 \t)", "0.0 a >= 1"),
            ("a (>=\n 1\n )", "0.0 a >= 1"),
        ])
    func relations(field: String, expected: String) throws {
        #expect(try dependencies("Depends: " + field).map(line) == [expected])
    }

    @Test(
        "reads an architecture behind the name",
        arguments: [
            ("python3:any", "0.0 python3:any"),
            ("gcc:native (>= 12)", "0.0 gcc:native >= 12"),
            ("libc6:kfreebsd-amd64", "0.0 libc6:kfreebsd-amd64"),
        ])
    func architectures(field: String, expected: String) throws {
        #expect(try dependencies("Depends: " + field).map(line) == [expected])
    }

    @Test(
        "tolerates restrictions to architectures and build profiles",
        arguments: [
            "a [amd64]", "a[!i386 !hurd-any]", "a (= 1) [linux-any]", "a <!nocheck>", "a <!nocheck> <cross !pkg.x.y>",
            "a (= 1) [amd64 i386] <!nodoc>", "a <!nocheck> [amd64]",
        ])
    func restrictions(field: String) throws {
        let found = try dependencies("Depends: \(field), b | \(field)")
        #expect(found.map(\.name) == ["a", "b", "a"])
        #expect(found.map(\.group) == [0, 1, 1])
    }

    @Test("knows each kind of field, whatever its case", arguments: PackageDependency.Kind.allCases)
    func kinds(kind: PackageDependency.Kind) throws {
        for name in [kind.rawValue, kind.rawValue.uppercased(), kind.rawValue.lowercased()] {
            #expect(try dependencies("\(name): a (= 1)").map(\.kind) == [kind])
        }
    }

    @Test("keeps the file's order of the fields")
    func fieldOrder() throws {
        let text = ControlFileSample.paragraph("Suggests: s", "Depends: d", "Pre-Depends: p", "Provides: v")
        let found = try #require(try ControlFileSample.read(text).first).dependencies
        #expect(found.map(\.name) == ["s", "d", "p", "v"])
        #expect(found.map(\.kind.rawValue) == ["Suggests", "Depends", "Pre-Depends", "Provides"])
    }

    @Test(
        "refuses what doesn't follow the grammar",
        arguments: [
            ",", ", a", "a,,b", "a, ,b", "|", "a |", "| a", "a | | b", "a b", "a (", "a ()", "a (>=)", "a (>= )",
            "a (>= 1",
            "a (>= 1 2)", "a (== 1)", "a (=> 1)", "a (>= 1) (<< 2)", "a )", "a:", "a: any", "a:any:any", "a [amd64",
            "a <!nocheck", "a [x", "a >", "a ]", "-a", "+a", "${misc:Depends}", "é", "a;b", "a (>= é)", "a [b, c]",
            "(= 1)",
            "a,\n ,", "a (>= 1,\n 2)",
        ])
    func malformed(field: String) throws {
        let error = try #require(ControlFileSample.failure(of: ControlFileSample.paragraph("Depends: " + field)))
        #expect(error.code == .malformedDependency)
        #expect((4...5).contains(error.line ?? 0))
    }

    @Test("names the very line of a folded field")
    func lineOfFault() throws {
        let text = ControlFileSample.paragraph("Depends: a,", " b,", "# comment", " c (,", " d")
        #expect(ControlFileSample.failure(of: text)?.line == 7)
    }
}

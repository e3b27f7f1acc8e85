import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import StrongroomMacros

/// A source that a macro refuses, and what it says.
struct Refusal: Sendable, CustomTestStringConvertible {
    /// The source; `▸` stands before what the diagnostic points to.
    let marked: String
    let message: String
    let fixIts: [String]
    /// The source after the first fix-it; nil where there is none.
    let fixed: String?
    /// Whether the type becomes a configuration all the same.
    let isConfiguration: Bool

    var testDescription: String { message }

    init(
        _ marked: String, _ message: String, fixIts: [String] = [], fixed: String? = nil, isConfiguration: Bool = false
    ) {
        self.marked = marked
        self.message = message
        self.fixIts = fixIts
        self.fixed = fixed
        self.isConfiguration = isConfiguration
    }

    /// A property of a table that has a key.
    static func column(
        _ marked: String, _ message: String, fixIts: [String] = [], fixed: String? = nil
    ) -> Refusal {
        Refusal(table(with: marked), message, fixIts: fixIts, fixed: fixed.map(table(with:)))
    }

    private static func table(with property: String) -> String {
        let lines = property.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
        return """
            @Table("t")
            struct T {
                var id: Int64?
            \(lines.joined(separator: "\n"))
            }
            """
    }

    /// Expects the diagnostic and, where there are fix-its, what the source is after the first.
    func expect(at location: Testing.SourceLocation = #_sourceLocation) {
        let source = marked.replacing("▸", with: "")
        let before = marked.prefix { $0 != "▸" }.split(separator: "\n", omittingEmptySubsequences: false)
        let end = isConfiguration ? "\n\nextension A: Strongroom.Configuration {\n}" : ""
        expectExpansion(
            source,
            Self.withoutMacros(source) + end,
            diagnostics: [
                DiagnosticSpec(
                    message: message, line: before.count, column: (before.last?.utf8.count ?? 0) + 1,
                    fixIts: fixIts.map { FixItSpec(message: $0) })
            ],
            fixIts: fixIts.first.map { [$0] },
            fixed: fixed,
            at: location
        )
    }

    /// The source without the macros' attributes: nothing else is made of what is refused.
    private static func withoutMacros(_ source: String) -> String {
        var rest = Substring(source)
        var plain = ""
        while let start = rest.firstIndex(of: "@") {
            plain += rest[..<start]
            let attribute = rest[start...].dropFirst()
            let name = attribute.prefix { $0.isLetter }
            guard ["Table", "Record", "Column", "Ignored", "Configuration"].contains(name) else {
                plain += "@"
                rest = attribute
                continue
            }
            rest = withoutArguments(attribute[name.endIndex...])
            if rest.first == " " || plain.isEmpty || plain.last == "\n" { rest = rest.dropFirst() }
        }
        return plain + rest
    }

    private static func withoutArguments(_ text: Substring) -> Substring {
        guard text.first == "(" else { return text }
        var depth = 0
        let end = text.firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth == 0
        }
        return end.map { text[$0...].dropFirst() } ?? text
    }
}

private let specs: [String: MacroSpec] = [
    "Table": MacroSpec(type: TableMacro.self, conformances: ["Table", "Record"]),
    "Record": MacroSpec(type: RecordMacro.self, conformances: ["Record"]),
    "Column": MacroSpec(type: ColumnMacro.self),
    "Ignored": MacroSpec(type: IgnoredMacro.self),
    "Configuration": MacroSpec(type: ConfigurationMacro.self, conformances: ["Configuration"]),
]

/// Expands the macros in a source and compares what comes out.
func expectExpansion(
    _ source: String,
    _ expanded: String,
    diagnostics: [DiagnosticSpec] = [],
    fixIts: [String]? = nil,
    fixed: String? = nil,
    at location: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source,
        expandedSource: expanded,
        diagnostics: diagnostics,
        macroSpecs: specs,
        applyFixIts: fixIts,
        fixedSource: fixed,
        indentationWidth: .spaces(4),
        failureHandler: { Issue.record("\($0.message)", sourceLocation: location) }
    )
}

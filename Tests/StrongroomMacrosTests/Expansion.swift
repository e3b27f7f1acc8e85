import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import StrongroomMacros

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

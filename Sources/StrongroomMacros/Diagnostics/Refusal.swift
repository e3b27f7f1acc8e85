#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// What a macro does not accept, and why.
struct Refusal: DiagnosticMessage {
    let message: String
    let diagnosticID: MessageID
    let severity = DiagnosticSeverity.error

    /// - Parameters:
    ///   - id: A word for tools.
    ///   - message: What is wrong and what to do.
    init(_ id: String, _ message: String) {
        self.message = message
        diagnosticID = MessageID(domain: "Strongroom", id: id)
    }

    /// The diagnostic at a place in the source.
    func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: node, message: self, fixIts: fixIts)
    }
}

/// What a fix-it does.
struct Repair: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ id: String, _ message: String) {
        self.message = message
        fixItID = MessageID(domain: "Strongroom", id: id)
    }

    /// The fix-it that puts one node in the place of another.
    func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        FixIt(message: self, changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
#endif

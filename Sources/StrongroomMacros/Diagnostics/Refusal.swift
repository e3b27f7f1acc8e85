#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// An error of a macro.
struct Refusal: DiagnosticMessage {
    let message: String
    let diagnosticID: MessageID
    let severity = DiagnosticSeverity.error

    /// - Parameters:
    ///   - id: An identifier for tools.
    ///   - message: The error and how to fix it.
    init(_ id: String, _ message: String) {
        self.message = message
        diagnosticID = MessageID(domain: "Strongroom", id: id)
    }

    /// The diagnostic at a node of the source.
    func at(_ node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
        Diagnostic(node: node, message: self, fixIts: fixIts)
    }
}

/// The message of a fix-it.
struct Repair: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ id: String, _ message: String) {
        self.message = message
        fixItID = MessageID(domain: "Strongroom", id: id)
    }

    /// The fix-it that replaces one node by another.
    func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        FixIt(message: self, changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
#endif

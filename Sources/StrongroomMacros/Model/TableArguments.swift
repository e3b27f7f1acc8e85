#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The arguments of `@Table(…)`.
struct TableArguments {
    let name: String
    /// The database's name, as in the source.
    let database: String?
    /// The history that is kept, as in the source.
    let history: String?
    /// The full-text indexes, as in the source.
    let fullText: String?
    /// The record's type, for an additional table.
    let record: String?

    /// Reads the arguments.
    ///
    /// - Returns: Nil if an error was reported.
    init?(_ attribute: AttributeSyntax, in context: some MacroExpansionContext) {
        guard let argument = attribute.unlabeled, let name = argument.literalText else {
            context.diagnose(
                Refusal.notALiteral("A table's name").at(attribute.unlabeled.map(Syntax.init) ?? Syntax(attribute)))
            return nil
        }
        guard !name.isEmpty else {
            context.diagnose(Refusal.emptyName("A table's name").at(argument))
            return nil
        }
        guard !name.lowercased().hasPrefix("sqlite_") else {
            context.diagnose(Refusal.reservedTable(name).at(argument))
            return nil
        }
        let database = attribute.argument("in")
        if let database, database.literalText == "" {
            context.diagnose(Refusal.emptyName("A database's name").at(database))
            return nil
        }
        self.name = name
        self.database = database?.trimmedDescription
        let history = attribute.argument("history")?.trimmedDescription
        self.history = history == "nil" ? nil : history
        fullText = attribute.argument("fullText")?.trimmedDescription
        record = attribute.argument("of").flatMap { $0.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription }
    }
}
#endif

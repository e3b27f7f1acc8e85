#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

extension ExtensionDeclSyntax {
    /// An extension with members.
    ///
    /// - Parameters:
    ///   - type: The extended type.
    ///   - conformances: The protocols to which it does not conform yet.
    ///   - members: The members' source.
    static func generated(
        of type: some TypeSyntaxProtocol, _ conformances: [TypeSyntax], _ members: [String]
    ) throws -> ExtensionDeclSyntax {
        let list = conformances.map { "Strongroom.\($0.trimmedDescription.split(separator: ".").last ?? "")" }
        let inheritance = list.isEmpty ? "" : ": \(list.joined(separator: ", "))"
        return try ExtensionDeclSyntax(
            """
            extension \(type.trimmed)\(raw: inheritance) {
            \(raw: members.joined(separator: "\n\n"))
            }
            """)
    }
}
#endif

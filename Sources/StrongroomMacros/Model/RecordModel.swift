#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The model of the code that is generated for a record.
struct RecordModel {
    let access: Access
    let properties: [PropertyModel]
    /// The properties of the primary key; empty for a record without one.
    let keys: [PropertyModel]
    /// Whether the compiler certainly synthesises a memberwise initialiser.
    let hasMemberwiseInitializer: Bool

    /// Reads a struct.
    ///
    /// - Returns: Nil if an error was reported.
    static func read(
        _ declaration: some DeclGroupSyntax, _ macro: AttributeSyntax, needsKey: Bool,
        in context: some MacroExpansionContext
    ) -> RecordModel? {
        let name = macro.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        guard let type = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(Refusal.notAStruct(name).at(declaration.introducer))
            return nil
        }
        guard type.genericParameterClause == nil, !context.isInGenericType else {
            context.diagnose(
                Refusal.generic(name).at(type.genericParameterClause.map(Syntax.init) ?? Syntax(type.name)))
            return nil
        }
        let reader = PropertyReader(type.memberBlock.members)
        var diagnostics = reader.diagnostics
        let model = RecordModel(type, reader.properties)
        if diagnostics.isEmpty {
            if model.properties.isEmpty {
                diagnostics.append(Refusal.noColumns(type.name.text).at(type.name))
            } else if needsKey, model.keys.isEmpty {
                diagnostics.append(Refusal.noKey(type.name.text).at(type.name, fixIts: [type.addingKey]))
            }
        }
        diagnostics += model.keyDiagnostics
        for diagnostic in diagnostics { context.diagnose(diagnostic) }
        return diagnostics.isEmpty ? model : nil
    }

    private init(_ type: StructDeclSyntax, _ properties: [PropertyModel]) {
        access = type.modifiers.access
        self.properties = properties
        hasMemberwiseInitializer = type.hasMemberwiseInitializer
        let marked = properties.filter { $0.column.primaryKey == true }
        keys = marked.isEmpty ? properties.filter { $0.plainName == "id" && $0.column.primaryKey == nil } : marked
    }

    private var keyDiagnostics: [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for property in properties {
            let isRowID = keys.count == 1 && keys[0].name == property.name && property.type.isRowID
            if let argument = property.column.autoincrement, !isRowID {
                diagnostics.append(Refusal.autoincrement(property.plainName).at(argument))
            }
        }
        if keys.count > 1 {
            for key in keys where key.isOptional {
                diagnostics.append(Refusal.optionalKeyPart(key.plainName).at(key.identifier))
            }
        }
        return diagnostics
    }
}

extension StructDeclSyntax {
    /// Whether the compiler certainly synthesises the memberwise initialiser, which it does unless another initialiser
    /// is declared in the struct itself: by hand, under a condition, or by another macro.
    fileprivate var hasMemberwiseInitializer: Bool {
        attributes.count == 1
            && memberBlock.members.allSatisfy { member in
                !member.decl.is(InitializerDeclSyntax.self) && !member.decl.is(IfConfigDeclSyntax.self)
                    && !member.decl.is(MacroExpansionDeclSyntax.self)
            }
    }

    /// The fix-it that adds a key.
    fileprivate var addingKey: FixIt {
        var members = memberBlock.members
        let prefix = modifiers.access.memberPrefix
        let indentation = members.first?.leadingTrivia ?? [.newlines(1), .spaces(4)]
        var key = MemberBlockItemSyntax(decl: "\(raw: prefix)var id: Int64?" as DeclSyntax)
        key.leadingTrivia = Trivia(pieces: indentation.filter { $0.isWhitespace })
        members.insert(key, at: members.startIndex)
        var changed = self
        changed.memberBlock.members = members
        return Repair("addKey", "Add 'var id: Int64?'").replacing(self, with: changed)
    }
}
#endif

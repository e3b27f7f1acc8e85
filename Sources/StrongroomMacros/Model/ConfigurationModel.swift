#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The model of the code that is generated for a configuration.
struct ConfigurationModel {
    let type: String
    let target: String
    let access: Access
    let declaresTarget: Bool

    /// Reads a type.
    ///
    /// - Returns: Nil if an error was reported.
    init?(_ attribute: AttributeSyntax, _ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext) {
        guard let named = declaration.asProtocol((any NamedDeclSyntax).self), !declaration.is(ProtocolDeclSyntax.self)
        else {
            context.diagnose(Refusal.configurationType().at(declaration.introducer))
            return nil
        }
        let generics = declaration.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
        guard generics == nil, !context.isInGenericType else {
            context.diagnose(Refusal.generic("Configuration").at(generics.map(Syntax.init) ?? Syntax(named.name)))
            return nil
        }
        guard let argument = attribute.unlabeled, let target = argument.literalText else {
            context.diagnose(
                Refusal.notALiteral("A target").at(attribute.unlabeled.map(Syntax.init) ?? Syntax(attribute)))
            return nil
        }
        guard !target.isEmpty else {
            context.diagnose(Refusal.emptyName("A target").at(argument))
            return nil
        }
        guard !target.contains(where: { "_./\\".contains($0) }) else {
            context.diagnose(Refusal.target(target).at(argument))
            return nil
        }
        guard declaration.hasEmptyInitializer else {
            context.diagnose(
                Refusal.noInitializer(named.name.text).at(named.name, fixIts: [declaration.addingInitializer]))
            return nil
        }
        type = named.name.text
        self.target = target
        access = declaration.modifiers.access
        declaresTarget = declaration.declaresStatic("target")
    }
}

extension DeclGroupSyntax {
    /// Whether the type has an `init()`, as far as its own declaration shows.
    fileprivate var hasEmptyInitializer: Bool {
        let initializers = memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
        let isCallable = initializers.contains { initializer in
            initializer.optionalMark == nil && initializer.signature.effectSpecifiers == nil
                && initializer.signature.parameterClause.parameters.allSatisfy { $0.defaultValue != nil }
        }
        guard !isCallable else { return true }
        // A case of an enum could be the value, but which one is not defined.
        guard initializers.isEmpty, !self.is(EnumDeclSyntax.self) else { return false }
        return memberBlock.members.allSatisfy { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored else { return true }
            return variable.bindings.allSatisfy { binding in
                binding.initializer != nil
                    || (!variable.isConstant && binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true)
            }
        }
    }

    /// Whether the type declares a static property with a name.
    fileprivate func declaresStatic(_ name: String) -> Bool {
        memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
            return variable.modifiers.contains(.static, .class)
                && variable.bindings.contains { $0.pattern.trimmedDescription == name }
        }
    }

    /// The fix-it that adds an initialiser.
    fileprivate var addingInitializer: FixIt {
        var changed = self
        let indentation = memberBlock.members.first?.leadingTrivia.filter(\.isWhitespace) ?? [.newlines(1), .spaces(4)]
        var item = MemberBlockItemSyntax(
            decl: "\(raw: modifiers.access.memberPrefix)init() { <#code#> }" as DeclSyntax)
        item.leadingTrivia = Trivia(pieces: indentation)
        changed.memberBlock.members.append(item)
        return Repair("addInitializer", "Add 'init()'").replacing(self, with: changed)
    }
}
#endif

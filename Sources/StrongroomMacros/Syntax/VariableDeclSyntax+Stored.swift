#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension VariableDeclSyntax {
    var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    /// Whether it is a stored property: neither static nor computed. Observers do not matter.
    var isStored: Bool {
        guard !modifiers.contains(.static, .class) else { return false }
        return bindings.allSatisfy { binding in
            switch binding.accessorBlock?.accessors {
            case nil: true
            case .getter: false
            case .accessors(let accessors):
                accessors.allSatisfy {
                    [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
                }
            }
        }
    }

    /// The fix-it that excludes the property from the table.
    var ignoring: FixIt {
        var ignored = self
        let trivia = leadingTrivia
        ignored.leadingTrivia = []
        ignored.attributes = ignored.attributes.filter { element in
            guard case .attribute(let attribute) = element else { return true }
            return !["Column", "Strongroom.Column"].contains(attribute.attributeName.trimmedDescription)
        }
        var attribute: AttributeSyntax = "@Ignored"
        attribute.trailingTrivia = .space
        ignored.attributes.insert(.attribute(attribute), at: ignored.attributes.startIndex)
        ignored.leadingTrivia = trivia
        return Repair("ignore", "Mark it @Ignored").replacing(self, with: ignored)
    }

    /// The fix-it that stores the property as JSON; without one for a property that has arguments for its column.
    var storedAsJSON: FixIt {
        var encoded = self
        let trivia = leadingTrivia
        encoded.leadingTrivia = []
        let column = encoded.attributes.firstIndex { element in
            guard case .attribute(let attribute) = element else { return false }
            return ["Column", "Strongroom.Column"].contains(attribute.attributeName.trimmedDescription)
        }
        let arguments = column.flatMap { encoded.attributes[$0].as(AttributeSyntax.self)?.labeled.trimmedDescription }
        var attribute: AttributeSyntax = "@Column(\(raw: arguments.map { "\($0), " } ?? "")as: .json)"
        attribute.trailingTrivia = .space
        if let column { encoded.attributes.remove(at: column) }
        encoded.attributes.insert(.attribute(attribute), at: encoded.attributes.startIndex)
        encoded.leadingTrivia = trivia
        return Repair("storeAsJSON", "Store it as JSON").replacing(self, with: encoded)
    }

    /// The fix-it that makes a constant a variable.
    var asVariable: FixIt {
        var specifier = bindingSpecifier
        specifier.tokenKind = .keyword(.var)
        return Repair("makeVariable", "Make it a variable").replacing(bindingSpecifier, with: specifier)
    }

    /// The fix-it that declares each property separately; nil if that requires more than moving tokens.
    func split(in member: MemberBlockItemSyntax) -> FixIt? {
        guard let list = member.parent?.as(MemberBlockItemListSyntax.self),
            let index = list.firstIndex(of: member),
            bindings.allSatisfy({ $0.accessorBlock == nil && $0.pattern.is(IdentifierPatternSyntax.self) })
        else { return nil }
        // A type annotation applies to all preceding names without one.
        var type: TypeAnnotationSyntax?
        var single: [MemberBlockItemSyntax] = []
        for binding in bindings.reversed() {
            if binding.initializer == nil || binding.typeAnnotation != nil { type = binding.typeAnnotation ?? type }
            var own = binding.trimmed
            own.trailingComma = nil
            if own.initializer == nil { own.typeAnnotation = type?.trimmed }
            var declaration = self
            declaration.bindings = [own]
            var item = member
            item.decl = DeclSyntax(declaration)
            single.insert(item, at: 0)
        }
        var changed = list
        changed.remove(at: index)
        changed.insert(contentsOf: single, at: index)
        return Repair("split", "Declare each on its own").replacing(list, with: changed)
    }
}

extension PatternBindingSyntax {
    /// The fix-it that adds an initial value.
    func beginning(with value: String) -> FixIt {
        var repaired = self
        repaired.pattern = pattern.trimmed
        repaired.typeAnnotation = typeAnnotation?.trimmed
        repaired.initializer = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: "\(raw: value)" as ExprSyntax)
        return Repair("addValue", "Give it a value").replacing(self, with: repaired)
    }

    /// The fix-it that adds a placeholder for the type.
    var withTypePlaceholder: FixIt {
        var typed = self
        typed.pattern = pattern.trimmed
        typed.typeAnnotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space), type: "<#Type#>" as TypeSyntax,
            trailingTrivia: initializer == nil ? [] : .space)
        return Repair("addType", "Add its type").replacing(self, with: typed)
    }
}
#endif

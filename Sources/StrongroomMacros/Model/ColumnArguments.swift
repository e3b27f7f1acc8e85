#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The arguments of `@Column(…)`.
struct ColumnArguments {
    /// The name, if specified.
    var name: String?
    /// The name's position in the source.
    var nameNode: ExprSyntax?
    /// Whether it is the key, if specified.
    var primaryKey: Bool?
    var autoincrement: ExprSyntax?
    var encoding: PropertyModel.Encoding?
    /// The digits after the decimal point, if it is stored as a scaled integer.
    var scale: Int?
    /// The scale's position in the source.
    var scaleNode: ExprSyntax?
    var isGenerated = false
    /// The stored form of a date, if specified: a case with its arguments, as in the source.
    var dateForm: String?
    /// The position of `as:` in the source.
    var encodingNode: ExprSyntax?
    /// What the table keeps in the column, if anything.
    var kept: Kept?
    /// The position of `kept:` in the source.
    var keptNode: ExprSyntax?
    /// The value of new rows in place of nil.
    var defaultValue: ExprSyntax?
    /// The arguments that are copied, as written in the source.
    var copied: [String] = []

    /// What a table maintains in a column.
    enum Kept: String {
        case version, created, updated
    }

    /// Whether the property's initial value becomes the column's default.
    var takesInitialValue: Bool { defaultValue == nil && encoding == nil && !isGenerated }

    /// A column without arguments.
    init() {}

    /// Reads the arguments.
    init(_ attribute: AttributeSyntax, _ diagnostics: inout [Diagnostic]) {
        for argument in attribute.labeled {
            read(argument, &diagnostics)
        }
    }

    private mutating func read(_ argument: LabeledExprSyntax, _ diagnostics: inout [Diagnostic]) {
        let value = argument.expression
        switch argument.label?.text {
        case nil:
            readName(value, &diagnostics)
        case "as":
            readEncoding(value, &diagnostics)
        case "kept":
            readKept(value, &diagnostics)
        case "scale"?:
            readScale(value, &diagnostics)
        case "primaryKey"?:
            primaryKey = value.literalBoolean
            if primaryKey == nil { diagnostics.append(Refusal.notABoolean("primaryKey").at(value)) }
        case let label?:
            if label == "autoincrement", value.literalBoolean != false { autoincrement = value }
            if label == "generated", !value.is(NilLiteralExprSyntax.self) { isGenerated = true }
            if label == "default" { defaultValue = value }
            copied.append("\(label): \(value.trimmedDescription)")
        }
    }

    private mutating func readEncoding(_ value: ExprSyntax, _ diagnostics: inout [Diagnostic]) {
        if value.is(NilLiteralExprSyntax.self) { return }
        encodingNode = value
        let call = value.as(FunctionCallExprSyntax.self)
        switch (call?.calledExpression ?? value).as(MemberAccessExprSyntax.self)?.declName.baseName.text {
        case "json": encoding = .json
        case let form? where ["since1970", "iso8601", "iso8601WithBlank"].contains(form):
            dateForm = form + (call.map { "(\($0.arguments.trimmedDescription))" } ?? "")
        default: diagnostics.append(Refusal.encoding().at(value))
        }
    }

    private mutating func readKept(_ value: ExprSyntax, _ diagnostics: inout [Diagnostic]) {
        if value.is(NilLiteralExprSyntax.self) { return }
        kept = (value.as(MemberAccessExprSyntax.self)?.declName.baseName.text).flatMap(Kept.init)
        keptNode = value
        if kept == nil { diagnostics.append(Refusal.kept().at(value)) }
    }

    private mutating func readScale(_ value: ExprSyntax, _ diagnostics: inout [Diagnostic]) {
        if value.is(NilLiteralExprSyntax.self) { return }
        guard let number = value.literalInteger, (0...18).contains(number) else {
            diagnostics.append(Refusal.scale().at(value))
            return
        }
        scale = number
        scaleNode = value
    }

    private mutating func readName(_ value: ExprSyntax, _ diagnostics: inout [Diagnostic]) {
        if value.is(NilLiteralExprSyntax.self) { return }
        guard let text = value.literalText else {
            diagnostics.append(Refusal.notALiteral("A column's name").at(value))
            return
        }
        if text.isEmpty { diagnostics.append(Refusal.emptyName("A column's name").at(value)) }
        name = text
        nameNode = value
    }
}
#endif

import Strongroom

/// Translates a parsed predicate into a condition, for one table and its arguments.
struct FormatTranslation {
    let parsed: ParsedFormat
    let tableName: String
    let properties: FormatProperties
    let arguments: [FormatArgument]
    let interpolations: [FormatArgument]

    /// A resolved operand.
    enum Term {
        case property(any FormatProperty)
        case constant(FormatConstant)
        case list([FormatConstant])
        case range(FormatConstant, FormatConstant, isClosed: Bool)
    }

    func mistake(_ message: String, at operand: FormatOperand, code: StrongroomError.Code = .invalidPredicate)
        -> StrongroomError
    {
        mistake(message, at: operand.range.lowerBound, code: code)
    }

    func mistake(_ message: String, at position: Int, code: StrongroomError.Code = .invalidPredicate) -> StrongroomError
    {
        FormatMistake(in: parsed.text).error(message, at: position, code: code)
    }

    func condition() throws -> Condition {
        try checkCounts()
        return try condition(parsed.root)
    }

    private func checkCounts() throws {
        let (given, wanted) = (arguments.count, parsed.placeholders.count)
        let counts = "The predicate takes \(wanted.counting("argument")), and has \(given);"
        guard given >= wanted else {
            let missing = parsed.placeholders[given]
            throw mistake("\(counts) give one for \(missing.kind.name).", at: missing.range.lowerBound)
        }
        guard given == wanted else {
            throw mistake(
                "\(counts) leave the rest out, or write %@ for each, outside of quotes.", at: parsed.text.utf8.count)
        }
        guard interpolations.count == parsed.interpolationCount else {
            throw mistake("The predicate holds the character U+FFFC, which stands for a value; leave it out.", at: 0)
        }
    }

    private func condition(_ node: FormatNode) throws -> Condition {
        switch node {
        case .all(let nodes): try joined(nodes, &&, " AND ")
        case .any(let nodes): try joined(nodes, ||, " OR ")
        case .not(let node): try !condition(node)
        case .comparison(let comparison): try condition(comparison)
        }
    }

    private func joined(
        _ nodes: [FormatNode], _ join: (Condition, Condition) -> Condition, _ sign: String
    ) throws -> Condition {
        let most = nodes.allSatisfy(\.isComparison) ? Self.maxJoined : Self.maxJoinedWithOthers
        guard nodes.count <= most else { return try listed(nodes, sign) }
        var result = try condition(nodes[0])
        for node in nodes.dropFirst() { result = join(result, try condition(node)) }
        return result
    }

    /// The largest numbers of conditions, without and with compound ones, that are joined in nested pairs; more would
    /// exceed the engine's expression depth.
    private static let maxJoined = 8
    private static let maxJoinedWithOthers = 3

    private func listed(_ nodes: [FormatNode], _ sign: String) throws -> Condition {
        var sql = SQL(verbatim: "(")
        for (index, node) in nodes.enumerated() {
            if index > 0 { sql.append(text: sign) }
            sql.append(try condition(node).sql)
        }
        sql.append(text: ")")
        return Condition(sql)
    }

    private func condition(_ comparison: FormatComparison) throws -> Condition {
        let (left, right) = (try term(comparison.left), try term(comparison.right))
        let terms = (left, right)
        switch comparison.sign {
        case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try self.comparison(comparison, terms)
        case .between, .isIn:
            return try membership(comparison, terms)
        case .beginsWith, .endsWith, .contains, .like:
            return try search(comparison, terms)
        }
    }
}

extension FormatTranslation {
    private func term(_ operand: FormatOperand) throws -> Term {
        switch operand.content {
        case .property(let name): return .property(try property(name, at: operand))
        case .null: return .constant(.null)
        case .bool(let bool): return .constant(.bool(bool))
        case .number(let number): return .constant(.number(number))
        case .text(let text): return .constant(.text(text))
        case .list(let elements): return .list(try elements.map { try element($0) })
        case .argument(let kind, let number): return try term(argument(kind, number), kind, at: operand)
        }
    }

    func argument(_ kind: FormatPlaceholder.Kind, _ number: Int) -> FormatArgument {
        kind == .interpolated ? interpolations[number] : arguments[number]
    }

    private func property(_ name: String, at operand: FormatOperand) throws -> any FormatProperty {
        guard let property = properties[name] else {
            let known = properties.names.joined(separator: ", ")
            throw mistake(
                "There is no property \"\(name)\" in table \"\(tableName)\"; it has \(known). A text stands in quotes.",
                at: operand)
        }
        return property
    }

    private func element(_ operand: FormatOperand) throws -> FormatConstant {
        guard case .constant(let constant) = try term(operand) else {
            throw mistake("A list in braces holds values; give a list by an argument alone: IN %@.", at: operand)
        }
        return constant
    }

    private func term(_ argument: FormatArgument, _ kind: FormatPlaceholder.Kind, at operand: FormatOperand) throws
        -> Term
    {
        try check(argument, kind, at: operand)
        switch argument {
        case .null: return .constant(.null)
        case .value(let value):
            guard kind == .property, let name = value as? String else { return .constant(.argument(value)) }
            return .property(try property(name, at: operand))
        case .list(let elements): return .list(try elements.map { try constant($0, at: operand) })
        case .range(let lower, let upper, let isClosed):
            return .range(.argument(lower), .argument(upper), isClosed: isClosed)
        case .unusable(let type):
            throw mistake(
                "No column holds a \(type); give a ColumnValue, a list or a range of them, or nil.", at: operand)
        }
    }

    private func check(_ argument: FormatArgument, _ kind: FormatPlaceholder.Kind, at operand: FormatOperand) throws {
        let fits =
            switch (kind, argument) {
            case (.any, _), (.interpolated, _): true
            case (.property, .value(let value)): value is String
            case (.integer, .value(let value)): [.integer, .bool].contains(ColumnKind(type(of: value).unwrapped))
            case (.real, .value(let value)): [.real, .float].contains(ColumnKind(type(of: value).unwrapped))
            default: false
            }
        guard fits else {
            let wanted = kind == .property ? "a String" : kind == .integer ? "an integer" : "a Double"
            throw mistake(
                "\(kind.name) needs \(wanted), but got \(argument.name); %@ takes a value of any type.", at: operand)
        }
    }

    func constant(_ argument: FormatArgument, at operand: FormatOperand) throws -> FormatConstant {
        switch argument {
        case .null: return .null
        case .value(let value): return .argument(value)
        default: throw mistake("A list holds values, not lists.", at: operand)
        }
    }
}

import Strongroom

extension FormatTranslation {
    /// Equality and ordering operators.
    func comparison(_ comparison: FormatComparison, _ terms: (Term, Term)) throws -> Condition {
        switch terms {
        case (.property(let property), .constant(let constant)):
            return try self.comparison(comparison, property, comparison.sign, constant, at: comparison.right)
        case (.constant(let constant), .property(let property)):
            let sign = comparison.sign.mirrored ?? comparison.sign
            return try self.comparison(comparison, property, sign, constant, at: comparison.left)
        case (.property(let left), .property(let right)):
            return try self.comparison(comparison, left, right)
        case (.constant, .constant):
            throw mistake("Neither side is a property; write the name of one, without quotes.", at: comparison.left)
        default:
            throw mistake(
                "\(comparison.sign.name) takes one value; a list or a range goes with IN or BETWEEN.",
                at: comparison.right)
        }
    }

    private func comparison(
        _ comparison: FormatComparison, _ property: any FormatProperty, _ sign: FormatSign, _ constant: FormatConstant,
        at operand: FormatOperand
    ) throws -> Condition {
        if case .null = constant, sign.isOrder {
            throw mistake("NIL has no order: compare by == NIL or != NIL.", at: operand)
        }
        try checkUse(of: property, comparison, isNullTest: constant.isNull)
        if comparison.isCaseless {
            let lower = try lowercased(property, comparison)
            let folded = try folded(constant, property, at: operand)
            guard let condition = try lower.condition(sign, folded) else {
                throw misfit(constant, property, at: operand)
            }
            return condition
        }
        guard let condition = try property.condition(sign, constant) else {
            throw misfit(constant, property, at: operand)
        }
        return condition
    }

    private func comparison(
        _ comparison: FormatComparison, _ left: any FormatProperty, _ right: any FormatProperty
    ) throws -> Condition {
        guard left.type == right.type else {
            throw mistake(
                "A \(left.type) is compared with a \(right.type); compare properties of one type.", at: comparison.right
            )
        }
        try checkUse(of: left, comparison)
        let (one, other) = (try sql(left, comparison), try sql(right, comparison))
        return Condition(one, comparison.sign.sql ?? " = ", other)
    }

    /// `IN` and `BETWEEN`.
    func membership(_ comparison: FormatComparison, _ terms: (Term, Term)) throws -> Condition {
        guard case .property(let property) = terms.0 else {
            throw mistake("\(comparison.sign.name) needs a property before it.", at: comparison.left)
        }
        let list = try values(terms.1, comparison, property)
        try checkUse(of: property, comparison)
        let column: any FormatProperty = comparison.isCaseless ? try lowercased(property, comparison) : property
        let constants =
            comparison.isCaseless
            ? try list.constants.enumerated().map { try folded($1, property, at: operand($0, comparison)) }
            : list.constants
        if comparison.sign == .between || list.isRange, constants.contains(where: \.isNull) {
            throw mistake("NIL has no order: give BETWEEN two values.", at: comparison.right)
        }
        let translated =
            comparison.sign == .between || list.isRange
            ? try column.range(constants[0], constants[1], isClosed: list.isClosed)
            : try column.membership(constants)
        switch translated {
        case .success(let condition): return condition
        case .failure(let misfit):
            throw self.misfit(list.constants[misfit.index], property, at: operand(misfit.index, comparison))
        }
    }

    /// The values on the right side of `IN` or `BETWEEN`.
    private func values(
        _ term: Term, _ comparison: FormatComparison, _ property: any FormatProperty
    ) throws -> (constants: [FormatConstant], isRange: Bool, isClosed: Bool) {
        let isBetween = comparison.sign == .between
        switch term {
        case .range(let lower, let upper, let isClosed):
            guard isClosed || !isBetween else {
                throw mistake(
                    "BETWEEN includes both ends; give a closed range, as in 18...30, or use IN.", at: comparison.right)
            }
            return ([lower, upper], true, isClosed)
        case .list(let constants):
            guard !isBetween || constants.count == 2 else {
                throw mistake("BETWEEN takes two values, as in {18, 30}.", at: comparison.right)
            }
            return (constants, false, true)
        case .constant:
            // Bytes, which can be a list.
            if case .argument(let kind, let number) = comparison.right.content,
                let elements = argument(kind, number).elements(for: property), !isBetween || elements.count == 2
            {
                return (try elements.map { try constant($0, at: comparison.right) }, false, true)
            }
            fallthrough
        case .property:
            throw mistake(
                "\(comparison.sign.name) needs a list after it, as in {18, 30}, or an argument that is one.",
                at: comparison.right)
        }
    }

    /// The operand for an element of a list, or the list itself if it is an argument.
    private func operand(_ index: Int, _ comparison: FormatComparison) -> FormatOperand {
        guard case .list(let elements) = comparison.right.content, elements.indices.contains(index) else {
            return comparison.right
        }
        return elements[index]
    }
}

extension FormatTranslation {
    func misfit(
        _ constant: FormatConstant, _ property: any FormatProperty, at operand: FormatOperand
    ) -> StrongroomError {
        let name = property._columnName ?? ""
        return mistake(
            """
            Column "\(name)" holds \(property.type), and \(constant.name) was given, which is not one; correct the \
            value.
            """,
            at: operand)
    }

    /// Rejects comparisons that the engine evaluates differently from Swift.
    private func checkUse(
        of property: any FormatProperty, _ comparison: FormatComparison, isNullTest: Bool = false
    ) throws {
        let position = comparison.range.lowerBound
        if property.kind == .coded, !isNullTest {
            throw mistake(
                """
                Equal values of \(property.type) can be stored in different forms; keep what is compared in a column \
                of its own.
                """,
                at: position, code: .notTranslatable)
        }
    }

    /// The SQL of a property, in lower case for case-insensitive comparison.
    func sql(_ property: any FormatProperty, _ comparison: FormatComparison) throws -> SQL {
        comparison.isCaseless ? try lowercased(property, comparison).sql : property.sql
    }

    private func lowercased(
        _ property: any FormatProperty, _ comparison: FormatComparison
    ) throws -> any FormatProperty {
        guard property.kind == .text else {
            throw mistake(
                "[c] is for texts, and a \(property.type) is none; leave it out.", at: comparison.range.lowerBound)
        }
        return property.isNullable
            ? Computed<String?>(function: "lower", property.sql) : Computed<String>(function: "lower", property.sql)
    }

    /// A text in lower case.
    private func folded(
        _ constant: FormatConstant, _ property: any FormatProperty, at operand: FormatOperand
    ) throws -> FormatConstant {
        if case .null = constant { return .null }
        guard let text = try constant.asText else { throw misfit(constant, property, at: operand) }
        return .text(text.asciiFolded)
    }
}

extension FormatConstant {
    var isNull: Bool { if case .null = self { true } else { false } }
}

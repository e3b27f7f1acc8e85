#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
import Strongroom

extension PredicateExpressions.Variable: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        if let bound = translation.bound[key] { return bound }
        throw PredicateTranslation.refusal(
            key == translation.record ? "the whole record" : "a variable of an inner closure",
            "compare the record's properties")
    }
}

extension PredicateExpressions.Value: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        try translation.term(value: value)
    }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        var term = PredicateTerm("NULL")
        term.constant = .null
        return term
    }
}

extension PredicateExpressions.KeyPath: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        if let variable = root as? PredicateExpressions.Variable<Root.Output>, variable.key == translation.record {
            guard let column = translation.column(keyPath) else {
                throw PredicateTranslation.refusal(
                    described(keyPath),
                    "\(translation.recordName) stores it in no column; declare the type with @Table or @Record")
            }
            _ = try PredicateTranslation.columnType(Output.self)
            let definition = translation.definitions.first { $0.name.isSameName(as: column) }
            return PredicateTerm(("\(name: column)" as SQL).inForm(definition?.form))
        }
        if let value = translation.constant(self) { return try translation.term(value: value) }
        return try property(of: translation.term(root))
    }

    /// A property of the value stored in a column.
    private func property(of base: PredicateTerm) throws -> PredicateTerm {
        let storage = try PredicateTranslation.columnType(Root.Output.self).storageClass
        let isBytes = storage == .blob && !(Root.Output.self is any CodedColumnValue.Type)
        switch kind {
        case .collectionIsEmpty where isBytes || storage == .text:
            return PredicateTerm("(length(CAST(\(base.sql) AS BLOB)) = 0)")
        case .collectionCount where isBytes:
            return PredicateTerm("length(\(base.sql))")
        default:
            throw PredicateTranslation.refusal(
                "\(described(keyPath)) of a column's value, such as its count",
                "keep it in a column of its own, or write the condition in SQL")
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let terms = (try translation.term(lhs), try translation.term(rhs))
        let (left, right) = try PredicateTranslation.stored(terms.0, terms.1)
        let sql: SQL = "ifnull(\(left.sql), \(right.sql))"
        return PredicateTerm(sql.inForm(left.sql.form), isMaybeNaN: right.isMaybeNaN)
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        // NULL where Swift throws, so that comparisons with it are unknown.
        try translation.term(inner)
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let base = try translation.term(wrapped)
        var inner = translation
        inner.bound[variable.key] = base
        let result = try inner.term(transform)
        guard !result.isMaybeNaN else {
            throw PredicateTranslation.refusal(
                "an optional result of floating-point arithmetic",
                "NaN and nil are one to the engine; compare it inside the closure")
        }
        if result.sql == base.sql { return base }
        let sql: SQL = "(CASE WHEN \(base.sql) IS NOT NULL THEN \(result.sql) END)"
        return PredicateTerm(sql.inForm(result.sql.form))
    }
}

/// The name of a property, or its type if the name is unknown: a computed property has no name at run time.
private func described(_ property: AnyKeyPath) -> String {
    let text = "\(property)"
    return text.contains("<") ? "a property of \(type(of: property).rootType)" : "the property \(text)"
}

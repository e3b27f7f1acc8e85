#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension PredicateTranslation {
    /// A text as bytes, since the engine's text functions stop at a NUL.
    fileprivate func bytes<E: PredicateExpression>(_ expression: E) throws -> SQL {
        guard E.Output.self is any StringProtocol.Type else {
            throw Self.refusal("a search in \(E.Output.self)", "only texts are searched; look for a String in a String")
        }
        return "CAST(\(try term(expression).sql) AS BLOB)"
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let (text, part) = (try translation.bytes(base), try translation.bytes(other))
        return PredicateTerm("(CASE WHEN length(\(part)) = 0 THEN 1 ELSE instr(\(text), \(part)) > 0 END)")
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicateExpression {
    func term(in translation: PredicateTranslation) throws -> PredicateTerm {
        let (text, part) = (try translation.bytes(base), try translation.bytes(prefix))
        // `substr` returns NULL for an empty text.
        return PredicateTerm(
            "(CASE WHEN length(\(part)) = 0 THEN 1 ELSE ifnull(substr(\(text), 1, length(\(part))) = \(part), 0) END)")
    }
}

import Strongroom

/// Data that is written at a version and must be correct at every later one, and after a downgrade to `oldest`.
struct Planting: Sendable {
    let version: String
    /// The oldest version at which the data must be correct after a downgrade; nil if a downgrade may discard it.
    let oldest: String?
    /// The file and line of the planting.
    let location: String
    let plant: @Sendable (borrowing WriteTransaction) throws -> Void
    let isRight: @Sendable (borrowing ReadTransaction, String) throws -> Bool

    /// The fault in the data in a file of a version; nil if there is none.
    func fault(at version: String, in db: borrowing ReadTransaction) -> String? {
        let what = "what was planted at \"\(self.version)\" (\(location)) is not right at \"\(version)\""
        do {
            return try isRight(db, version) ? nil : what
        } catch {
            return "\(what): \(error)"
        }
    }
}

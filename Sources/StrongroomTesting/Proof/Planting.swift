import Strongroom

/// Data that is written at a version, and must be right at every later one, and after going back as far as is said.
struct Planting: Sendable {
    let version: String
    /// The oldest version at which the data must be right after going back; nil where going back may lose it.
    let oldest: String?
    /// The file and the line that say so.
    let place: String
    let plant: @Sendable (borrowing WriteTransaction) throws -> Void
    let isRight: @Sendable (borrowing ReadTransaction, String) throws -> Bool

    /// What is wrong with the data in a file of a version; nil for nothing.
    func fault(at version: String, in db: borrowing ReadTransaction) -> String? {
        let what = "what was planted at \"\(self.version)\" (\(place)) is not right at \"\(version)\""
        do {
            return try isRight(db, version) ? nil : what
        } catch {
            return "\(what): \(error)"
        }
    }
}

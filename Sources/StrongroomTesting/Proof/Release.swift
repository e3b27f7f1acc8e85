import Strongroom

/// An earlier release of a program with an automatic migrator.
struct Release: Sendable {
    let version: String
    /// The migrator of its program; nil if only its new files are known.
    let migrator: Migrator?
    /// Creates the tables; nil if the migrator does.
    let create: (@Sendable (borrowing WriteTransaction) throws -> Void)?
    /// The file and line of the declaration.
    let location: String
}

/// A column that a test expects to be removed with its values.
struct ColumnRemoval: Sendable {
    let table: String
    let column: String
    /// The file and line of the declaration.
    let location: String

    func isOf(_ loss: TableContent.Loss) -> Bool {
        loss.isRemoval && loss.table.asciiFolded == table.asciiFolded && loss.column?.asciiFolded == column.asciiFolded
    }
}

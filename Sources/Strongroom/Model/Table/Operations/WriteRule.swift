/// How an upsert treats a column whose value in the record is nil.
public enum NilPolicy: Sendable, Hashable {
    /// The row's value becomes NULL.
    case overwrite
    /// The row's value is kept.
    case keep
}

/// What an upsert by columns that are not unique does when they identify several rows.
public enum SeveralRows: Sendable, Hashable {
    /// It throws `notUnique`, and changes nothing.
    case refuse
    /// It updates all of them.
    case updateAll
}

/// The row that an `upsert` or a `save` writes, and the columns that it writes in a row that exists.
///
/// ```swift
/// try Contact.upsert(contact, .by(\.email, nils: .keep), in: db)
/// try Contact.upsert(contact, .by(\.email, only: { [$0.name, $0.phone] }), in: db)
/// try Contact.upsert(contact, .matching(\.name, several: .updateAll), in: db)
/// try Contact.save(&contact, .insert, in: db)
/// ```
///
/// A new row gets the whole record, with the columns' defaults in place of nil. In an existing row:
///
/// - `nils` is the treatment of a nil in the record, or of a null in JSON.
/// - `only` returns the columns that are written; nil for all of them. The key is never written, the version and the
///   time of the update are, unless no other column is. A column that the record does not have is the error
///   `invalidArgument`.
public struct WriteRule<Source: Table>: @unchecked Sendable {
    // Unchecked because of the key paths: those of a table's columns capture nothing.

    @usableFromInline
    enum Row {
        case key, unique, matching, insert, update
    }

    @usableFromInline let row: Row
    /// The first column that identifies the row; a list of one would be an allocation for each write.
    @usableFromInline let first: PartialKeyPath<Source.Columns>?
    @usableFromInline let rest: [PartialKeyPath<Source.Columns>]
    @usableFromInline let nils: NilPolicy
    @usableFromInline let several: SeveralRows
    /// The names of the columns that are written.
    @usableFromInline let only: [String]?

    @inlinable
    init(
        _ row: Row, _ first: PartialKeyPath<Source.Columns>? = nil, _ rest: [PartialKeyPath<Source.Columns>] = [],
        nils: NilPolicy = .overwrite, several: SeveralRows = .refuse,
        only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) {
        self.row = row
        self.first = first
        self.rest = rest
        self.nils = nils
        self.several = several
        self.only = only.map { $0(Source.columns).map(\.definition.name) }
    }

    /// The row with the record's key; a new one if there is none, or the record has no key.
    @inlinable public static var key: WriteRule { WriteRule(.key) }

    /// The row with the record's key; a new one if there is none, or the record has no key.
    ///
    /// - Parameters:
    ///   - nils: The treatment of nil in an existing row.
    ///   - only: Returns the columns that are written to an existing row.
    /// - Returns: The rule.
    @inlinable
    public static func key(
        nils: NilPolicy = .overwrite, only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.key, nils: nils, only: only)
    }

    /// The row with the record's values in columns that are unique; it keeps its key. Otherwise as ``key``.
    ///
    /// A write throws ``StrongroomError`` with `notDeclared` if the columns are neither the primary key nor unique,
    /// `notUnique` if several rows of the file have the values nevertheless, and `missingKey` if one of the other
    /// columns is nil.
    ///
    /// - Parameters:
    ///   - first: The primary key, a unique column, or the first of all columns of a unique index.
    ///   - rest: The others.
    ///   - nils: The treatment of nil in an existing row.
    ///   - only: Returns the columns that are written to an existing row.
    /// - Returns: The rule.
    @inlinable
    public static func by<V, each W>(
        _ first: KeyPath<Source.Columns, Column<V>>, _ rest: repeat KeyPath<Source.Columns, Column<each W>>,
        nils: NilPolicy = .overwrite, only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.unique, first, list(repeat each rest), nils: nils, only: only)
    }

    /// The row with the record's values in columns that need not be unique; it keeps its key. Otherwise as ``key``.
    ///
    /// An index on the columns only makes the write faster. They are compared with each column's collation. A write
    /// throws ``StrongroomError`` with `notUnique` if several rows match and are to be refused, and `missingKey` if one
    /// of the columns, other than the primary key, is nil.
    ///
    /// - Parameters:
    ///   - first: The first column.
    ///   - rest: The others.
    ///   - several: Whether several rows are an error, or are all updated; each keeps its key. A variable follows one
    ///     row, so `save` refuses `updateAll` with `invalidRule`.
    ///   - nils: The treatment of nil in an existing row.
    ///   - only: Returns the columns that are written to an existing row.
    /// - Returns: The rule.
    @inlinable
    public static func matching<V, each W>(
        _ first: KeyPath<Source.Columns, Column<V>>, _ rest: repeat KeyPath<Source.Columns, Column<each W>>,
        several: SeveralRows = .refuse, nils: NilPolicy = .overwrite,
        only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.matching, first, list(repeat each rest), nils: nils, several: several, only: only)
    }

    /// A new row; a write throws ``StrongroomError`` with `constraint` if the key or a unique value exists.
    @inlinable public static var insert: WriteRule { WriteRule(.insert) }

    /// The row with the record's key; a write throws ``StrongroomError`` with `noSuchRow` if there is none, and
    /// `missingKey` if the record has no key.
    @inlinable public static var update: WriteRule { WriteRule(.update) }

    /// The row with the record's key, as ``update``.
    ///
    /// - Parameters:
    ///   - nils: The treatment of nil.
    ///   - only: Returns the columns that are written.
    /// - Returns: The rule.
    @inlinable
    public static func update(
        nils: NilPolicy = .overwrite, only: ((Source.Columns) -> [any SchemaColumn])? = nil
    ) -> WriteRule {
        WriteRule(.update, nils: nils, only: only)
    }

    @inlinable
    static func list<each W>(
        _ columns: repeat KeyPath<Source.Columns, Column<each W>>
    ) -> [PartialKeyPath<Source.Columns>] {
        var list: [PartialKeyPath<Source.Columns>] = []
        repeat list.append(each columns)
        return list
    }

    /// Whether the rule is ``key`` without options.
    @inlinable package var isKey: Bool { row == .key && nils == .overwrite && only == nil }

    @usableFromInline
    package func requireKey(_ option: String) throws {
        guard !isKey else { return }
        throw StrongroomError(
            .invalidRule,
            """
            A save of table "\(Source.schema.name)" with `\(option)` takes no rule but `.key`; nothing was changed. \
            Save without the option, or without the rule.
            """)
    }

    /// - Throws: ``StrongroomError`` with `invalidRule` for a rule that updates several rows.
    @usableFromInline
    func requireOneRow() throws {
        guard several == .updateAll else { return }
        throw StrongroomError(
            .invalidRule,
            """
            A variable follows one row of table "\(Source.schema.name)"; nothing was changed. Update several rows with \
            `upsert` and the rule, whose result has their keys.
            """)
    }
}

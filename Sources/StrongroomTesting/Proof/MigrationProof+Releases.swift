public import Strongroom

extension MigrationProof {
    /// Declares an earlier release of a program with an automatic migrator, with the tables that the program had.
    ///
    /// Declare releases oldest first. Files of each are migrated to today's tables, at once and by way of the later
    /// releases that are declared with tables.
    ///
    /// ```swift
    /// proof.release("1.1", tables: [GuestOfRelease11.schema])
    /// ```
    ///
    /// - Parameters:
    ///   - version: The name of the release; not empty, not `automatic`, and unique in the proof.
    ///   - tables: The tables of its migrator.
    ///   - removingColumns: Whether its migrator removed columns that were not declared.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    /// - Returns: The proof with the release.
    public func release(
        _ version: String, tables: [TableSchema], removingColumns: Bool = false, fileID: String = #fileID,
        line: Int = #line
    ) -> MigrationProof {
        let migrator = Migrator.automatic(tables: tables, removingColumns: removingColumns)
        return adding(Release(version: version, migrator: migrator, create: nil, location: "\(fileID):\(line)"))
    }

    /// Declares an earlier release of a program with an automatic migrator by the SQL that creates its tables.
    ///
    /// Use it for a release whose tables are only known from its files. Files of earlier releases are not migrated to
    /// it on their way.
    ///
    /// ```swift
    /// proof.release("1.0") { db in
    ///     try db.execute("CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT NOT NULL, fax TEXT)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - version: The name of the release; not empty, not `automatic`, and unique in the proof.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    ///   - create: Creates the tables in an empty file.
    /// - Returns: The proof with the release.
    public func release(
        _ version: String, fileID: String = #fileID, line: Int = #line,
        _ create: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) -> MigrationProof {
        adding(Release(version: version, migrator: nil, create: create, location: "\(fileID):\(line)"))
    }

    private func adding(_ release: Release) -> MigrationProof {
        var proof = self
        proof.releases.append(release)
        return proof
    }

    /// Declares that the values of a column are lost intentionally: an automatic migrator with `removingColumns`
    /// removes it, or replaces it by a generated column.
    ///
    /// Every other removal is a fault, and so is a column that is declared here and never removed.
    ///
    /// ```swift
    /// proof.removingColumn("fax", from: "guest")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the column in the files that have it.
    ///   - table: The name of its table.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    /// - Returns: The proof with the declaration.
    public func removingColumn(
        _ name: String, from table: String, fileID: String = #fileID, line: Int = #line
    ) -> MigrationProof {
        var proof = self
        proof.removals.append(ColumnRemoval(table: table, column: name, location: "\(fileID):\(line)"))
        return proof
    }

    /// Sets the key of a fixture file that ``recordFixture(version:)`` did not record.
    ///
    /// ```swift
    /// proof.fixture("1.0.sqlite", key: oldKey)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the file in the directory of fixtures. For an automatic migrator it is the version and
    ///     `.sqlite`.
    ///   - key: The file's key.
    /// - Returns: The proof with the key.
    public func fixture(_ name: String, key: Key) -> MigrationProof {
        var proof = self
        proof.fixtureKeys[name] = key
        return proof
    }
}

public import Strongroom

/// Work of a program whose statements must be valid from a version on.
struct CheckedWork: Sendable {
    let version: String
    /// The file and line of the declaration.
    let location: String
    let run: @Sendable (borrowing WriteTransaction) throws -> Void

    /// Runs the work, rolls it back, and returns its statements without repetitions.
    func statements(in db: borrowing WriteTransaction) throws -> [String] {
        var statements: [String] = []
        try db.watchingStatements { sql, isOwn in
            if !isOwn, !statements.contains(sql) { statements.append(sql) }
        } _: {
            try run(db)
        }
        try db.rollBack()
        return statements
    }
}

extension MigrationProof {
    /// Adds work of the program, each statement of which must be valid in the schema of every version from one on.
    ///
    /// The work runs once, in a file of the newest version with the planted data, and is rolled back. Its statements
    /// are recorded and then prepared, not run, in a file of each version; so the work must not use tables that it
    /// creates. A program that opens files before it
    /// migrates them names the oldest version that its statements must accept; for others the newest version is enough,
    /// so that a test reaches each SQL literal.
    ///
    /// ```swift
    /// try await MigrationProof(AddressBook())
    ///     .statements(since: "3") { db in
    ///         _ = try Directory.search("Ada", in: db)
    ///         try Directory.rename(1, to: "Ada", in: db)
    ///     }
    ///     .verify()
    /// ```
    ///
    /// - Parameters:
    ///   - version: The oldest version whose schema the statements must be valid in: one of a step or of a declared
    ///     release; `automatic` for today's tables.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    ///   - work: Runs the statements, in the schema of the newest version; called once on a store's thread.
    /// - Returns: The proof with the work.
    public func statements(
        since version: String, fileID: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) -> MigrationProof {
        var proof = self
        proof.checkedWork.append(CheckedWork(version: version, location: "\(fileID):\(line)", run: work))
        return proof
    }
}

extension ProofResults {
    /// A file of a version, which is not changed.
    struct VersionFile {
        let version: String
        let file: ProofFile
        var key = Key.numbered(1)
    }

    /// Prepares the statements of the program's work in files of each version.
    ///
    /// - Parameter files: Oldest first; the work runs in the last one.
    func proveStatements(in files: [VersionFile]) async throws {
        for work in proof.checkedWork {
            guard let first = files.firstIndex(where: { $0.version == work.version }), let newest = files.last else {
                report.add(
                    """
                    statements are to be valid since "\(work.version)" (\(work.location)), which is none of the \
                    versions \(files.map { "\"\($0.version)\"" }.joined(separator: ", "))
                    """, on: nil)
                continue
            }
            let found = await attempting("the work at \(work.location) failed at \"\(newest.version)\"", on: nil) {
                try await newest.file.copy().using(migrator: nil, keys: [newest.key], rotation: .manual) { store in
                    try await store.write(as: .immediate) { db in try work.statements(in: db) }
                }
            }
            guard let found else { continue }
            if found.isEmpty { report.add("the work at \(work.location) ran no statement", on: nil) }
            report.statements += found.count
            for file in files[first...] { try await prepare(found, of: work, in: file) }
        }
    }

    private func prepare(_ statements: [String], of work: CheckedWork, in file: VersionFile) async throws {
        let faults = try await file.file.copy().using(migrator: nil, keys: [file.key], rotation: .manual) { store in
            try await store.read { db in
                statements.compactMap { sql -> String? in
                    do {
                        try db.prepare(sql)
                        return nil
                    } catch {
                        return "a statement of the work at \(work.location) is not valid: \(error)"
                    }
                }
            }
        }
        for fault in faults { report.add(fault, on: "at \"\(file.version)\"") }
    }
}

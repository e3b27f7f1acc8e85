public import Strongroom

/// Tests whether a configuration's migrations are safe for the files of users.
///
/// ```swift
/// @Test func theAddressBookMigrates() async throws {
///     try await MigrationProof(AddressBook())
///         .planting(at: "1") { db in
///             try db.execute("INSERT INTO contact (name, phone) VALUES ('Ada', '+44 1')")
///         } expecting: { db, version in
///             try db.value("SELECT name FROM contact") == "Ada"
///         }
///         .records(of: Contact.self)
///         .verify()
/// }
/// ```
///
/// The proof works in files of its own with keys of its own. From the configuration it uses the migrator, the cipher
/// settings, the key protection and the store settings, except for those that control when to migrate, where data is
/// stored, and whether stores are read-only. For what is tested, see the guide "Proving migrations".
///
/// An automatic migrator has no versions; its earlier versions are those that ``release(_:tables:removingColumns:)``
/// and ``release(_:fileID:line:_:)`` declare and those of the fixture files, and the version of today's tables is
/// `automatic`.
public struct MigrationProof: Sendable {
    let configuration: any Configuration
    /// Nil for the target with the suffix `.sqlite`.
    let database: String?
    let fixtures: FixtureDirectory
    var plantings: [Planting] = []
    var recordProofs: [RecordProof] = []
    var checkedWork: [CheckedWork] = []
    /// The earlier releases of an automatic schema, oldest first.
    var releases: [Release] = []
    var removals: [ColumnRemoval] = []
    /// The keys of fixture files that have their own, by file name.
    var fixtureKeys: [String: Key] = [:]
    /// Whether migrations are interrupted, too, which takes most of the time of a proof; tests of other faults do
    /// without.
    var interrupts = true

    /// The key of fixture files. It is public: plant no secrets.
    ///
    /// It is the raw key of 32 bytes 0x46, `x'4646…46'` in the engine's shell.
    public static let fixtureKey = Key.raw(Array(repeating: 0x46, count: 32))

    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - configuration: The configuration whose migrations are tested.
    ///   - database: The name of the database whose migrator is used; nil for the target with the suffix `.sqlite`.
    ///   - fixtures: The directory with the fixture files, relative to the directory of the test's source; nil for
    ///     `Fixtures/TARGET`. A named directory that does not exist is a fault; if `Fixtures/TARGET` does not exist, it
    ///     is reported as left out.
    ///   - filePath: The test's source.
    public init<C: Configuration>(
        _ configuration: C, database: String? = nil, fixtures: String? = nil, filePath: String = #filePath
    ) {
        self.configuration = configuration
        self.database = database
        self.fixtures = FixtureDirectory(fixtures, target: C.target, source: filePath)
    }

    /// Plants data in a file of a version, and defines when it is correct at that version, at every later one, and
    /// after a downgrade.
    ///
    /// The data of every version is in a separate file, together with that of other plantings at the same version. Each
    /// closure is called many times, on a store's thread.
    ///
    /// Only the author of a `down` knows which rows it may discard. After a downgrade, planted data is therefore
    /// checked only back to the version `oldest`:
    ///
    /// ```swift
    /// proof.planting(at: "4", backTo: "2") { db in
    ///     try db.execute("INSERT INTO contact (name, is_favourite) VALUES ('Fay', 1)")
    /// } expecting: { db, version in
    ///     try db.value("SELECT name FROM contact") == "Fay"
    /// }
    /// ```
    ///
    /// With an automatic migrator, `oldest` is the oldest release whose program may still open the file: that of each
    /// release from there on opens the file that has today's tables, and then today's program does.
    ///
    /// - Parameters:
    ///   - version: The version at which the data is written.
    ///   - oldest: The oldest version at which the data must be correct after a downgrade; nil if it need not be
    ///     preserved.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    ///   - plant: Writes the data in the schema of that version.
    ///   - isRight: Whether the data is correct at the given version of the file. May throw as well.
    /// - Returns: The proof with the data.
    public func planting(
        at version: String, backTo oldest: String? = nil, fileID: String = #fileID, line: Int = #line,
        _ plant: @escaping @Sendable (borrowing WriteTransaction) throws -> Void,
        expecting isRight: @escaping @Sendable (borrowing ReadTransaction, _ version: String) throws -> Bool
    ) -> MigrationProof {
        var proof = self
        proof.plantings.append(
            Planting(version: version, oldest: oldest, location: "\(fileID):\(line)", plant: plant, isRight: isRight))
        return proof
    }

    /// Adds a table whose records must be readable and writable at the newest version: each existing row is read,
    /// written and read again; each sample is inserted, read and compared.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - samples: Records to insert, in files of the newest version; they are removed with the files.
    /// - Returns: The proof with the table.
    public func records<T: Table>(of table: T.Type, _ samples: T.RecordType...) -> MigrationProof {
        var proof = self
        proof.recordProofs.append(RecordProof(table, samples))
        return proof
    }

    /// Runs the proof.
    ///
    /// - Parameters:
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    /// - Returns: What was tested, and what was left out and why.
    /// - Throws: ``Failure`` with every fault and the caller's line, which fails a test in both Swift Testing and
    ///   XCTest; `StrongroomError` with `notDeclared` if the configuration has no migrator, or the error that
    ///   prevented the proof.
    @discardableResult
    public func verify(fileID: String = #fileID, line: Int = #line) async throws -> Report {
        let report = try await report()
        guard report.faults.isEmpty else {
            throw Failure(faults: report.faults, location: "\(fileID):\(line)", name: "\(type(of: configuration))")
        }
        return report
    }

    /// Runs the proof and returns the faults: `#expect(try await proof.report().faults.isEmpty)`.
    ///
    /// - Returns: The faults, what was tested, and what was left out and why.
    /// - Throws: `StrongroomError` as ``verify(fileID:line:)``.
    public func report() async throws -> Report {
        let subject = try ProofSubject(self)
        let migrator = try subject.migrator()
        guard migrator.isAutomatic else {
            let run = ProofRun(self, subject, migrator)
            try await run.all()
            return run.report
        }
        let run = AutomaticRun(self, subject, migrator)
        try await run.all()
        return run.report
    }
}

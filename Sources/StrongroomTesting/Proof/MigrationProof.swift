public import Strongroom

/// Proves that a configuration's migrations can be trusted with files that nobody can reach.
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
/// It works in files of its own, with keys of its own; of the configuration it asks the migrator, the cipher settings,
/// the protection of the keys, and how stores behave, but for when they migrate, where their data lies, and whether
/// they only read. What is proved stands in the guide "Proving migrations".
public struct MigrationProof: Sendable {
    let configuration: any Configuration
    /// Nil for the target with `.sqlite`.
    let database: String?
    let fixtures: FixtureDirectory
    var plantings: [Planting] = []
    var recordProofs: [RecordProof] = []

    /// The key of fixture files. It is no secret: plant nothing in them that is.
    ///
    /// It is the raw key of 32 bytes 0x46, `x'4646…46'` for the engine's shell.
    public static let fixtureKey = Key.raw(Array(repeating: 0x46, count: 32))

    /// Describes a proof.
    ///
    /// - Parameters:
    ///   - configuration: The configuration whose migrations are proved.
    ///   - database: The name of the database whose migrator is asked for; nil for the target with `.sqlite`.
    ///   - fixtures: The directory with the fixture files, from the directory of the test's source on; nil for
    ///     `Fixtures/TARGET`. That one which is named is not there is a fault; that `Fixtures/TARGET` is not there is
    ///     told as left out.
    ///   - filePath: The test's source.
    public init<C: Configuration>(
        _ configuration: C, database: String? = nil, fixtures: String? = nil, filePath: String = #filePath
    ) {
        self.configuration = configuration
        self.database = database
        self.fixtures = FixtureDirectory(fixtures, target: C.target, source: filePath)
    }

    /// Plants data in a file of a version, and says when it is right at that version, at every later one, and after
    /// going back.
    ///
    /// Every version's data lies in files of their own, together with that of other plantings at the same version. Each
    /// closure is called many times, on a store's thread.
    ///
    /// Which rows a `down` may throw away, only its author knows. So what is planted at a version is looked at after
    /// going back from it only as far as `oldest` says:
    ///
    /// ```swift
    /// proof.planting(at: "4", backTo: "2") { db in
    ///     try db.execute("INSERT INTO contact (name, is_favourite) VALUES ('Fay', 1)")
    /// } expecting: { db, version in
    ///     try db.value("SELECT name FROM contact") == "Fay"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - version: The version at which the data is written.
    ///   - oldest: The oldest version at which the data must be right when its file has been brought back to it; nil
    ///     when nothing of it need be.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    ///   - plant: Writes the data into the schema of that version.
    ///   - isRight: Whether the data is there as it should be; is told the version of the file. It may throw as well.
    /// - Returns: The proof with the data.
    public func planting(
        at version: String, backTo oldest: String? = nil, fileID: String = #fileID, line: Int = #line,
        _ plant: @escaping @Sendable (borrowing WriteTransaction) throws -> Void,
        expecting isRight: @escaping @Sendable (borrowing ReadTransaction, _ version: String) throws -> Bool
    ) -> MigrationProof {
        var proof = self
        proof.plantings.append(
            Planting(version: version, oldest: oldest, place: "\(fileID):\(line)", plant: plant, isRight: isRight))
        return proof
    }

    /// Names a table whose records must be readable and writable at the newest version: each row that is there is read,
    /// written and read again, each sample is inserted, found, and is then the same.
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

    /// Proves the migrations.
    ///
    /// - Parameters:
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    /// - Returns: What was proved, and what was left out and why.
    /// - Throws: ``Failure`` with every fault and the caller's line, which fails a test of Swift Testing and of XCTest
    ///   alike; `StrongroomError` with `invalidMigrator` when the configuration has no migrator, and with what keeps
    ///   the kit from its own work.
    @discardableResult
    public func verify(fileID: String = #fileID, line: Int = #line) async throws -> Report {
        let report = try await report()
        guard report.faults.isEmpty else {
            throw Failure(faults: report.faults, place: "\(fileID):\(line)", name: "\(type(of: configuration))")
        }
        return report
    }

    /// Looks for faults, for those who want to judge them: `#expect(try await proof.report().faults.isEmpty)`.
    ///
    /// - Returns: The faults, what was proved, and what was left out and why.
    /// - Throws: `StrongroomError` as ``verify(fileID:line:)``.
    public func report() async throws -> Report {
        let run = try ProofRun(self)
        try await run.all()
        return run.report
    }
}

/// Copies the readable content of a damaged file to a new one.
final class Salvage {
    private let keys: DatabaseKeys
    private let path: String
    private let keepsUnattributed: Bool
    private let monitor: WorkMonitor

    private var tableContents: [SalvageReport.TableContent] = []
    private var missing: [SalvageReport.MissingObject] = []
    /// The functions and collations that were replaced so that tables could be created.
    private var standIns: [MissingName] = []
    private var lostAndFound: SalvageReport.LostAndFound?

    /// - Parameters:
    ///   - keys: The damaged file, which must not be open anywhere, and the keys that may open it; the new file gets
    ///     the current key of the chain.
    ///   - path: The path of the new file, where no file may exist.
    ///   - keepsUnattributed: Whether rows whose table is unknown are copied to a table of their own.
    init(_ keys: DatabaseKeys, to path: String, keepsUnattributed: Bool, _ monitor: WorkMonitor) {
        self.keys = keys
        self.path = path
        self.keepsUnattributed = keepsUnattributed
        self.monitor = monitor
    }

    func run() throws -> SalvageReport {
        let start = ContinuousClock.now
        let source = try SalvageSource(
            of: keys, at: FileSystem.hiddenFile(of: path, "salvaged"), checkCancellation: monitor.check)
        defer { try? source.remove() }
        try FileSystem.removeCopy(newFile.path)
        do {
            let new = try PlainFile(creating: newFile.path)
            let damaged = try fill(new, from: source)
            try new.synchronize()
            try new.moveIntoPlace(path)
            try FileSystem.synchronize(FileSystem.directory(of: path))
            return SalvageReport(
                path: path, damagedPages: damaged, tables: tableContents, missingObjects: missing,
                lostAndFound: lostAndFound, duration: ContinuousClock.now - start)
        } catch {
            // The first failure is the one to report.
            try? FileSystem.removeCopy(newFile.path)
            throw error
        }
    }

    private var original: DatabaseFile { keys.file }

    private var newFile: DatabaseFile {
        original.copy(at: FileSystem.hiddenFile(of: path, "new"), busyTimeout: original.busyTimeout)
    }

    private func fill(_ new: PlainFile, from source: SalvageSource) throws -> [DamagedPage] {
        let connection = try source.file.connect(.existing, key: source.key)
        defer { connection.close() }
        guard let refusal = source.refusal else { return try fill(new, from: source, connection) }
        return try connection.refusing(refusal) { try fill(new, from: source, connection) }
    }

    private func fill(_ new: PlainFile, from source: SalvageSource, _ connection: Connection) throws -> [DamagedPage] {
        try connection.run("PRAGMA query_only = ON")
        let entries: [SchemaEntry]
        do {
            entries = try connection.readingKnownSchema {
                try connection.inTransaction(.deferred) { try connection.allSchemaEntries() }
            }
        } catch let error as StrongroomError where error.isDamage {
            throw SalvageSource.schemaDamaged(original.name, error)
        }
        let contents = PageContents(
            pages: try DatabasePages(of: connection, pageSize: source.cipher.layout.pageSize), cipher: source.cipher)
        let encoding = try contents.content(of: 1).flatMap(DatabaseHeader.init)?.encoding ?? .utf8
        let plan = try SalvagePlan(
            contents, entries, damaged: source.damaged, connection, encoding: encoding,
            checkCancellation: monitor.check)
        let key = try keys.chain.current.map { key in
            try DerivedKey(key, salt: key.salt ?? CipherSettings.randomSalt(), settings: keys.settings)
        }
        let fullText = FullTextSalvage(entries)
        try withTarget(key) { target in
            try new.requireOpened(by: target)
            for setting in ["encoding", "auto_vacuum"] { try copySetting(setting, connection, target) }
            let created = try createTables(fullText.others, target)
            // The engine stores the highest row ids there while rows are inserted; those of the old file replace them
            // last.
            let copied = fullText.others.filter { created.contains($0.name) }
            let isLast = { (table: SchemaEntry) in table.name == "sqlite_sequence" }
            let unattributed = LostAndFound(target, entries, isKept: keepsUnattributed)
            try copyRows(copied.filter { !isLast($0) } + copied.filter(isLast), plan, connection, target, unattributed)
            try target.inTransaction(.exclusive) { try unattributed.add(plan, checkCancellation: monitor.check) }
            lostAndFound = unattributed.content
            try reportIndexes(of: target)
            for setting in ["user_version", "application_id"] { try copySetting(setting, connection, target) }
        }
        try new.requireName(newFile.path)
        // On a new connection, so that the engine knows the virtual tables.
        try withTarget(key) { target in
            try createOthers(fullText, target)
            guard try target.integrityCheck(most: 1).findings.isEmpty else {
                throw StrongroomError(
                    .copyDamaged, "The new file is not intact, and was removed. Try again on another disk.",
                    database: original.name)
            }
        }
        return plan.damagedPages
    }

    private func withTarget(_ key: DerivedKey?, _ work: (Connection) throws -> Void) throws {
        let target = try newFile.connect(.existing, key: key)
        defer { target.close() }
        try target.configure(as: .maker, of: newFile)
        // It is of no use until it is complete, and is then synchronized to disk.
        try target.run("PRAGMA synchronous = OFF")
        _ = try target.ownValue("PRAGMA journal_mode = MEMORY")
        // Lost rows leave foreign keys without parents; and a row that a later CHECK constraint would refuse is copied,
        // too.
        try target.run("PRAGMA foreign_keys = OFF")
        try target.run("PRAGMA ignore_check_constraints = ON")
        try work(target)
    }

    private func copySetting(_ name: String, _ source: Connection, _ target: Connection) throws {
        guard let value = try source.setting(name) else { return }
        try target.run("PRAGMA \(name) = \(Int64(value).map(String.init) ?? "'\(value)'")")
    }

    // MARK: Schema

    /// Creates the tables.
    ///
    /// - Returns: The names of the tables into which rows can be copied.
    private func createTables(_ entries: [SchemaEntry], _ target: Connection) throws -> Set<String> {
        var names: Set<String> = []
        try target.inTransaction(.exclusive) {
            for table in entries
            where table.kind == .table && !table.name.hasPrefix("sqlite_") && !table.sql.isEmpty {
                let isCreated = try create(table.name, standingIn: target) {
                    if table.page > 0 { try target.run(table.sql) } else { try enter(table, target) }
                }
                guard isCreated, table.page > 0 else { continue }
                names.insert(table.name)
                try reportGeneratedColumns(of: table.name, table.sql, target)
            }
        }
        if try target.hasTable("sqlite_sequence") { names.insert("sqlite_sequence") }
        return names
    }

    /// Records the generated columns whose values, or whose rows, depend on a function that has a stand-in. Values that
    /// are not stored and may be NULL are computed again where the function is known.
    private func reportGeneratedColumns(of table: String, _ sql: String, _ target: Connection) throws {
        let expressions = [SQLToken](sql: sql).expressions(after: "AS")
        let functions = standIns.filter { $0.kind == .function }.map(\.name)
        guard let function = functions.first(where: { expressions.calls($0) }) else { return }
        let columns = try target.columnInfos(of: table).filter { column in
            column.generated == .stored || column.generated != nil && !column.isNullable
        }
        guard !columns.isEmpty else { return }
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        missing.append(
            SalvageReport.MissingObject(
                name: table,
                reason: """
                    The function "\(function)" of generated columns is missing. The values of \(list) are NULL in the \
                    new file, and rows in which they must not be NULL are not copied. Declare the function and salvage \
                    the damaged file again.
                    """))
    }

    /// Enters a virtual table in the schema unchanged: creating it would also create its shadow tables, which are
    /// copied.
    private func enter(_ table: SchemaEntry, _ target: Connection) throws {
        try target.run("PRAGMA writable_schema = ON")
        defer { try? target.run("PRAGMA writable_schema = OFF") }
        try target.run(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, 0, ?)",
            .text(table.name), .text(table.table), .text(table.sql))
    }

    /// Creates the indexes, views and triggers, after the rows, and the full-text indexes anew from them.
    private func createOthers(_ fullText: FullTextSalvage, _ target: Connection) throws {
        try target.inTransaction(.exclusive) {
            for kind in [SchemaEntry.Kind.index, .view, .trigger] {
                for object in fullText.others where object.kind == kind && !object.sql.isEmpty {
                    try monitor.check()
                    _ = try create(object.name) { try target.inSavepoint { try target.run(object.sql) } }
                }
            }
            for index in fullText.indexes {
                try monitor.check()
                _ = try create(index.name) { try target.inSavepoint { try fullText.create(index, target) } }
            }
        }
    }

    private static func isObjection(_ code: StrongroomError.Code) -> Bool {
        [
            .sql, .constraint, .notAuthorized, .missingFunction, .missingCollation, .notDeterministic, .schemaChange,
            .notSupported, .newerSchema, .invalidDeclaration,
        ].contains(code)
    }

    /// - Parameter target: The connection on which a missing function or collation is replaced, so that rows can be
    ///   copied; nil for objects that depend on its results.
    private func create(
        _ name: String, standingIn target: Connection? = nil, _ work: () throws -> Void
    ) throws -> Bool {
        do {
            try work()
            return true
        } catch let error as StrongroomError where Self.isObjection(error.code) {
            if let target, let needed = error.missing, !standIns.contains(needed),
                target.setStandIn(for: needed, isInstalled: true)
            {
                standIns.append(needed)
                return try create(name, standingIn: target, work)
            }
            missing.append(SalvageReport.MissingObject(name: name, reason: error.message))
            return false
        }
    }

    /// Records the indexes of unique columns and primary keys that are sorted by a stand-in.
    private func reportIndexes(of target: Connection) throws {
        let collations = standIns.filter { $0.kind == .collation }.map(\.name)
        guard !collations.isEmpty else { return }
        for name in try target.schemaNames(of: .index, where: "sql IS NULL") {
            let used = try target.ownRows("PRAGMA main.index_xinfo(\(Identifier.quote(name)))").compactMap {
                $0[4].asText
            }
            guard let collation = collations.first(where: { each in used.contains { $0.isSameName(as: each) } })
            else { continue }
            missing.append(
                SalvageReport.MissingObject(
                    name: name,
                    reason: """
                        The index is sorted by bytes, since the collation "\(collation)" is missing. Rebuild it with \
                        `reindex` in a program that has it.
                        """))
        }
    }

    // MARK: Rows

    private func copyRows(
        _ tables: [SchemaEntry], _ plan: SalvagePlan, _ source: Connection, _ target: Connection,
        _ unattributed: LostAndFound
    ) throws {
        for (index, table) in tables.enumerated() {
            try monitor.check()
            let copy = try TableSalvage(
                table, from: source, to: target, plan, unattributed, checkCancellation: monitor.check)
            try target.inTransaction(.exclusive) {
                if table.name == "sqlite_sequence" { try target.run("DELETE FROM sqlite_sequence") }
                try copy.copy(table.page)
            }
            tableContents.append(copy.content)
            monitor.progress(WorkProgress(.writing, index + 1, of: tables.count, .tables))
        }
    }
}

/// A copy of a damaged file that the engine can read, so that the file itself is never written: its WAL is
/// checkpointed, and its missing end is filled.
struct SalvageSource {
    let file: DatabaseFile
    let key: DerivedKey
    let cipher: PageCipher
    private(set) var damaged: [Int] = []
    /// Its damaged pages, for the connections that read it.
    private(set) var refusal: RefusedPages?

    /// Makes the copy.
    init(of keys: DatabaseKeys, at path: String, checkCancellation: () throws -> Void) throws {
        let original = keys.file
        let before = try Self.states(of: original)
        // The error for the copy would name the copy's WAL.
        if let scan = try original.scanLog(PlainFile(original.path)), let damage = scan.damage {
            throw original.damagedLog(damage, kept: scan.soundCommits)
        }
        key = try Self.findKey(keys)
        cipher = try PageCipher(key)
        file = original.copy(at: path, busyTimeout: original.busyTimeout)
        try remove()
        do {
            for (source, target) in zip(Self.files(of: original), Self.files(of: file))
            where try FileStatus.at(source) != nil {
                try PlainFile.copy(source, to: PlainFile(creating: target), checkCancellation: checkCancellation)
            }
            guard try Self.states(of: original) == before else {
                throw StrongroomError(
                    .locked,
                    """
                    The file "\(original.path)" was written while it was copied. Close it everywhere, then try again.
                    """,
                    database: original.name)
            }
            try checkpointLog()
            try findDamagedPages(checkCancellation: checkCancellation)
        } catch {
            try remove()
            throw error
        }
    }

    func remove() throws {
        try FileSystem.removeCopy(file.path)
    }

    private static func files(of file: DatabaseFile) -> [String] { [file.path] + file.sideFiles.logs }

    private static func states(of file: DatabaseFile) throws -> [FileStatus?] {
        try files(of: file).map(FileStatus.at)
    }

    private static func findKey(_ keys: DatabaseKeys) throws -> DerivedKey {
        let original = keys.file
        let salt = try FileSystem.firstBytes(of: original.path, CipherSettings.saltLength)
        if let found = try keys.authentic(in: PlainFile(original.path), salt: salt) { return found.key }
        throw StrongroomError(
            .wrongKey,
            """
            No key of the chain authenticates any of the first pages of "\(original.path)". Add the key that the file \
            was created with; if the chain is right, its first 16 bytes are damaged, which every page needs: put those \
            of a backup of the same file into a copy of it, and try again with that.
            """,
            database: original.name)
    }

    /// Lets the engine roll back a rollback journal or checkpoint a WAL, as it would for the file itself.
    private func checkpointLog() throws {
        guard try file.hasLog() else { return }
        do {
            let connection = try file.connect(.existing, key: key)
            defer { connection.close() }
            try connection.readingKnownSchema { try connection.proveKey() }
            _ = try connection.checkpoint()
        } catch let error as StrongroomError where error.isDamage {
            throw Self.schemaDamaged(file.name, error)
        }
        try file.sideFiles.removeEngineFiles()
    }

    /// Finds the damaged pages, and fills the missing end: the engine opens no file that is shorter than its first page
    /// says.
    private mutating func findDamagedPages(checkCancellation: () throws -> Void) throws {
        let copy = try PlainFile(file.path, isWritable: true, followsLinks: false)
        let verifier = try PageVerifier(closed: copy, cipher)
        damaged = try verifier.damagedPages { _ in try checkCancellation() }
        guard damaged.first != 1 else { throw Self.schemaDamaged(file.name, nil) }
        refusal = verifier.contents.refusal(of: damaged)
        let length = Int64(verifier.count) * Int64(cipher.layout.pageSize)
        guard try copy.size() < length else { return }
        try withUnsafeBytes(of: UInt8(0)) { try copy.write($0, at: length - 1) }
    }

    /// The error for a file whose schema cannot be read.
    static func schemaDamaged(_ database: String, _ cause: StrongroomError?) -> StrongroomError {
        let what = cause == nil ? "The first page is damaged" : "A page of the schema is damaged"
        let pages = cause == nil ? "its first page" : "its pages of the schema, which `doctor` names,"
        return StrongroomError(
            .damaged,
            """
            \(what), which contains the root page of every table, so nothing can be copied; the key is right. Restore \
            a backup. An older copy of the same file, with the same key, may still have what is damaged: put \
            \(pages) into a copy of the damaged file, and try again with that.
            """,
            database: database, resultCode: cause?.resultCode)
    }
}

extension StrongroomError {
    /// Whether the engine has found content in the file that it cannot use.
    var isDamage: Bool {
        [.damaged, .notADatabase, .transactionEnded, .sql].contains(code)
    }
}

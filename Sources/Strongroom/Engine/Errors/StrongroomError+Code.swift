extension StrongroomError {
    /// The kind of a failure. The set is open: later versions add to it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, CaseIterable {
            case wrongKey, plaintextFile, encryptedFile, invalidKey, keySource, keyProvider, keySlot
            case envelopeMissing, foreignEnvelope, newerEnvelope, rotationFailed
            case truncated, damaged, damagedLog, emptyFile, envelopeDamaged, copyDamaged
            case notADatabase, plaintextHeader, notAFile, unsafeFile, fileMissing, exists, fileChanged, otherDatabase
            case permissionDenied, diskFull, inputOutput, tooManyOpenFiles, outOfMemory, notSQLCipher, engine
            case locked, busy, timedOut, interrupted, transactionEnded
            case constraint, writeRefused, typeMismatch, valueNotStorable, missingKey, notUnique, noSuchRow,
                staleRecord, blobChanged, notUndoable, limit, notARecord, pageCursor
            case sql, notTranslatable, invalidPredicate, missingFunction, missingCollation, notDeterministic,
                notSupported, notAuthorized
            case closed, nestedAccess, otherStore, alreadyOpen, readOnly, inMemory, blobAccess, invalidArgument,
                invalidRule, notDeclared, invalidName, noConfiguration, duplicateConfiguration, invalidSetting
            case newerSchema, invalidDeclaration, tableDiffers, schemaChange, invalidMigrator, otherMigrations,
                migrationFailed
            case objectStore, objectStoreUnreachable, outcomeUnknown, replicaBehind, notOwner, notReplicable,
                replicaMissing, replicaIncomplete, replicaDamaged, newerReplica, otherReplica
        }

        private let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        package static var all: [Code] { Kind.allCases.map(Code.init) }

        /// The code's name, for logs and scripts.
        public var description: String { kind.rawValue }

        // MARK: Keys

        /// No key of the chain opens the file.
        public static let wrongKey = Code(.wrongKey)
        /// The file is a plaintext database where an encrypted one is required.
        public static let plaintextFile = Code(.plaintextFile)
        /// The file is encrypted, but the key chain specifies plaintext.
        public static let encryptedFile = Code(.encryptedFile)
        /// A key or a key chain that cannot be used: a chain without a key, a key that is empty, of a wrong length, or
        /// twice in one chain, or `Key.plaintext` where a key is needed.
        public static let invalidKey = Code(.invalidKey)
        /// A key file, an environment variable or a configuration value contains no usable keys, or cannot be used.
        public static let keySource = Code(.keySource)
        /// The provider of an external key is away, late or fails, or returns another key; see ``KeyProvider``.
        public static let keyProvider = Code(.keyProvider)
        /// A key slot that cannot be added or revoked, such as the last one; nothing was changed.
        public static let keySlot = Code(.keySlot)
        /// The sidecar file with the database's wrapped key is missing.
        public static let envelopeMissing = Code(.envelopeMissing)
        /// The sidecar file contains another database's wrapped key.
        public static let foreignEnvelope = Code(.foreignEnvelope)
        /// The sidecar file with the database's wrapped key was written by a newer version.
        public static let newerEnvelope = Code(.newerEnvelope)
        /// A rotation failed; the message says which key the file uses.
        public static let rotationFailed = Code(.rotationFailed)

        // MARK: Damage

        /// The file is shorter than the database in it.
        public static let truncated = Code(.truncated)
        /// The engine found damaged pages.
        public static let damaged = Code(.damaged)
        /// The write-ahead log of the file is damaged, and opening the file would discard committed transactions.
        public static let damagedLog = Code(.damagedLog)
        /// The file exists and has no content.
        public static let emptyFile = Code(.emptyFile)
        /// No copy of the sidecar file with the database's wrapped key is intact.
        public static let envelopeDamaged = Code(.envelopeDamaged)
        /// A file that was just written is not intact; it was removed, and the original is unchanged.
        public static let copyDamaged = Code(.copyDamaged)

        // MARK: Files

        /// The file is not a database, or was created with other cipher settings.
        public static let notADatabase = Code(.notADatabase)
        /// The file is encrypted behind a plaintext header (SQLCipher 4's `cipher_plaintext_header_size`), which the
        /// library does not open.
        public static let plaintextHeader = Code(.plaintextHeader)
        /// The path refers to something other than a regular file.
        public static let notAFile = Code(.notAFile)
        /// A file has an owner, permissions or a second name (a hard link) with which its content would not be safe.
        public static let unsafeFile = Code(.unsafeFile)
        /// There is no file at the path, or it is no longer there.
        public static let fileMissing = Code(.fileMissing)
        /// Something exists at a path at which a file is to be created, and is not overwritten.
        public static let exists = Code(.exists)
        /// Another program replaced a file while it was being opened or created, replaced a file that is open, or
        /// changed a file that could not be locked.
        public static let fileChanged = Code(.fileChanged)
        /// The file is that of another database, which has another name.
        public static let otherDatabase = Code(.otherDatabase)

        // MARK: The machine

        /// The operating system refuses access to a file or a directory.
        public static let permissionDenied = Code(.permissionDenied)
        /// The disk or the quota is full.
        public static let diskFull = Code(.diskFull)
        /// Reading or writing a file failed.
        public static let inputOutput = Code(.inputOutput)
        /// The limit on open files, of the process or of the system, is reached.
        public static let tooManyOpenFiles = Code(.tooManyOpenFiles)
        /// A memory allocation failed.
        public static let outOfMemory = Code(.outOfMemory)
        /// The linked library is not SQLCipher.
        public static let notSQLCipher = Code(.notSQLCipher)
        /// Any other failure of the engine.
        public static let engine = Code(.engine)

        // MARK: Contention

        /// Another process or another operation has the file open or locked.
        public static let locked = Code(.locked)
        /// Another connection was writing for longer than the busy timeout, or changed what was being read.
        public static let busy = Code(.busy)
        /// A read or a write exceeded its time limit.
        public static let timedOut = Code(.timedOut)
        /// The operation was interrupted.
        public static let interrupted = Code(.interrupted)
        /// The engine rolled the transaction back, also for the failure of another write that shared it.
        public static let transactionEnded = Code(.transactionEnded)

        // MARK: Data

        /// A change violates a constraint of the schema.
        public static let constraint = Code(.constraint)
        /// A trigger ignored a write, or a hook undid it; nothing was written.
        public static let writeRefused = Code(.writeRefused)
        /// A stored value does not match the requested type.
        public static let typeMismatch = Code(.typeMismatch)
        /// A value that has no stored form, such as NaN, or none in JSON.
        public static let valueNotStorable = Code(.valueNotStorable)
        /// A record without the key that the operation needs.
        public static let missingKey = Code(.missingKey)
        /// Several rows match where one is needed.
        public static let notUnique = Code(.notUnique)
        /// There is no row with the key.
        public static let noSuchRow = Code(.noSuchRow)
        /// The row has changed since the record was read; see ``KeptColumn``.
        public static let staleRecord = Code(.staleRecord)
        /// The row of a value that is open in parts was changed or deleted.
        public static let blobChanged = Code(.blobChanged)
        /// A transaction that cannot be undone: rows have changed after it, or no history has its changes.
        public static let notUndoable = Code(.notUndoable)
        /// A limit of the engine or of the library was exceeded, such as the size of a value.
        public static let limit = Code(.limit)
        /// A dictionary or a JSON text that cannot be decoded as a record.
        public static let notARecord = Code(.notARecord)
        /// A ``PageCursor`` that cannot be decoded, or that belongs to another table or another order.
        public static let pageCursor = Code(.pageCursor)

        // MARK: Queries

        /// The engine rejected the SQL.
        public static let sql = Code(.sql)
        /// A query, or a part of a predicate, that has no counterpart in SQL.
        public static let notTranslatable = Code(.notTranslatable)
        /// A predicate as text, one of its arguments, or a regular expression is invalid.
        public static let invalidPredicate = Code(.invalidPredicate)
        /// A statement, or the schema that it uses, needs a function that neither the engine nor the configuration
        /// has.
        public static let missingFunction = Code(.missingFunction)
        /// A statement, or the schema that it uses, needs a collation that neither the engine nor the configuration
        /// has.
        public static let missingCollation = Code(.missingCollation)
        /// An index, a check or a generated column calls a function that is not declared deterministic.
        public static let notDeterministic = Code(.notDeterministic)
        /// The linked engine is too old, or was built without a feature that the statement needs; the statement did not
        /// run.
        public static let notSupported = Code(.notSupported)
        /// SQL that is reserved for the library, such as `COMMIT`, or `rollBack()` where it is not possible.
        public static let notAuthorized = Code(.notAuthorized)

        // MARK: Usage

        /// The store is closed, or not yet open.
        public static let closed = Code(.closed)
        /// A call that would wait for itself, such as a blocking one inside a transaction of the same store.
        public static let nestedAccess = Code(.nestedAccess)
        /// An object of one store in a transaction of another.
        public static let otherStore = Code(.otherStore)
        /// This process has the file open: under another name, in another registry, or where it must be closed.
        public static let alreadyOpen = Code(.alreadyOpen)
        /// A write where only reads are allowed.
        public static let readOnly = Code(.readOnly)
        /// The operation needs a file, but the store is in memory only.
        public static let inMemory = Code(.inMemory)
        /// A table or a column whose values cannot be read or written in parts.
        public static let blobAccess = Code(.blobAccess)
        /// An argument that the call cannot have, such as a negative limit or a column that does not exist.
        public static let invalidArgument = Code(.invalidArgument)
        /// A rule of a write that this write cannot follow, such as another rule than `.key` with `cascading`.
        public static let invalidRule = Code(.invalidRule)
        /// The operation needs what neither the table nor the configuration declares, such as a primary key, a
        /// relation, a history, a full-text index, a migrator or a replica; or what the configuration forbids, such as
        /// a rotation.
        public static let notDeclared = Code(.notDeclared)
        /// A name or a path that cannot be used: of a database, a table, a column, a function, an object.
        public static let invalidName = Code(.invalidName)
        /// No configuration is registered for the database's target.
        public static let noConfiguration = Code(.noConfiguration)
        /// Two configurations have one target.
        public static let duplicateConfiguration = Code(.duplicateConfiguration)
        /// A value that a setting of the configuration cannot have, such as cipher settings that the linked engine does
        /// not support.
        public static let invalidSetting = Code(.invalidSetting)

        // MARK: Schema

        /// The schema was written by a newer program, or by a newer engine.
        public static let newerSchema = Code(.newerSchema)
        /// The declaration of a table is invalid, such as one that names a column twice.
        public static let invalidDeclaration = Code(.invalidDeclaration)
        /// A table of the file is not as it is declared.
        public static let tableDiffers = Code(.tableDiffers)
        /// A schema change that is not possible, such as dropping a column that a view uses; nothing was changed.
        public static let schemaChange = Code(.schemaChange)
        /// An invalid migrator, for instance with a duplicate version.
        public static let invalidMigrator = Code(.invalidMigrator)
        /// The file was migrated by other migrations than those of the migrator.
        public static let otherMigrations = Code(.otherMigrations)
        /// A migration failed; the file is at the version before it.
        public static let migrationFailed = Code(.migrationFailed)

        // MARK: Replication

        /// An object store refuses a request, or is not one: the credentials or the bucket are wrong, or its answer is
        /// none that its protocol has.
        public static let objectStore = Code(.objectStore)
        /// An object store cannot be reached, or does not answer in time.
        public static let objectStoreUnreachable = Code(.objectStoreUnreachable)
        /// It is not known whether an object store carried out a request: the response was lost.
        public static let outcomeUnknown = Code(.outcomeUnknown)
        /// The replica does not have the newest commits in time; they are committed in the database.
        public static let replicaBehind = Code(.replicaBehind)
        /// Another host or process has taken over the replica; this store is no longer its writer.
        public static let notOwner = Code(.notOwner)
        /// The database has nothing that a replica could carry: it is in memory, not encrypted, or not in WAL mode.
        public static let notReplicable = Code(.notReplicable)
        /// There is no replica, or none of the requested time, or it has lost what it had.
        public static let replicaMissing = Code(.replicaMissing)
        /// An object of the replica is missing.
        public static let replicaIncomplete = Code(.replicaIncomplete)
        /// An object of the replica is damaged, or is none of Strongroom's.
        public static let replicaDamaged = Code(.replicaDamaged)
        /// The replica was written by a newer version of Strongroom.
        public static let newerReplica = Code(.newerReplica)
        /// The replica belongs to another database.
        public static let otherReplica = Code(.otherReplica)
    }
}

extension StrongroomError.Code {
    /// What kind of failure it is, for a program that does not care which one.
    public var family: StrongroomError.Family {
        switch kind {
        case .wrongKey, .plaintextFile, .encryptedFile, .invalidKey, .keySource, .keyProvider, .keySlot,
            .envelopeMissing, .foreignEnvelope, .newerEnvelope, .rotationFailed:
            .keys
        case .truncated, .damaged, .damagedLog, .emptyFile, .envelopeDamaged, .copyDamaged: .damage
        case .notADatabase, .plaintextHeader, .notAFile, .unsafeFile, .fileMissing, .exists, .fileChanged,
            .otherDatabase:
            .file
        case .permissionDenied, .diskFull, .inputOutput, .tooManyOpenFiles, .outOfMemory, .notSQLCipher, .engine:
            .system
        case .locked, .busy, .timedOut, .interrupted, .transactionEnded: .contention
        case .constraint, .writeRefused, .typeMismatch, .valueNotStorable, .missingKey, .notUnique, .noSuchRow,
            .staleRecord, .blobChanged, .notUndoable, .limit, .notARecord, .pageCursor:
            .data
        case .sql, .notTranslatable, .invalidPredicate, .missingFunction, .missingCollation, .notDeterministic,
            .notSupported, .notAuthorized:
            .query
        case .closed, .nestedAccess, .otherStore, .alreadyOpen, .readOnly, .inMemory, .blobAccess, .invalidArgument,
            .invalidRule, .notDeclared, .invalidName, .noConfiguration, .duplicateConfiguration, .invalidSetting:
            .usage
        case .newerSchema, .invalidDeclaration, .tableDiffers, .schemaChange, .invalidMigrator, .otherMigrations,
            .migrationFailed:
            .schema
        case .objectStore, .objectStoreUnreachable, .outcomeUnknown, .replicaBehind, .notOwner, .notReplicable,
            .replicaMissing, .replicaIncomplete, .replicaDamaged, .newerReplica, .otherReplica:
            .replication
        }
    }

    /// Whether the same call may succeed later without a change of the program, of what it is given, or of the file:
    /// once another process is done, or the machine has space, memory or a network again.
    ///
    /// False where something has to be done first: a row that has changed (`staleRecord`) is read again, a store
    /// whose file was replaced (`fileChanged`) is opened again, and after `replicaBehind` the write is committed.
    public var canRetry: Bool {
        switch kind {
        case .locked, .busy, .timedOut, .interrupted, .transactionEnded, .diskFull, .tooManyOpenFiles, .outOfMemory,
            .inputOutput, .keyProvider, .rotationFailed, .copyDamaged, .objectStoreUnreachable, .replicaIncomplete:
            true
        default: false
        }
    }
}

extension StrongroomError {
    /// The kind of a failure. The set is open: later versions add to it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case wrongKey, notADatabase, truncated, damaged, plaintextFile, encryptedFile, emptyFile, notAFile
            case fileMissing, fileChanged, newerSchema, locked, permissionDenied, diskFull, inputOutput, outOfMemory
            case tooManyOpenFiles, damagedLog, plaintextHeader
            case notSQLCipher, invalidName, noConfiguration, duplicateConfiguration, sameFile
            case invalidRule, invalidKey, emptyKeyChain, keyFile, keySource, invalidSetting, cipherSettings,
                rotationFailed
            case envelopeMissing, envelopeDamaged, newerEnvelope, foreignEnvelope, keySlot, otherDatabase
            case inMemory, closed, nestedAccess, otherStore, transactionEnded, readOnly, notAuthorized, busy, timedOut,
                interrupted
            case constraint, typeMismatch, valueNotStorable, missingKey, notUnique, noSuchRow, staleRecord
            case blobAccess, blobChanged, historyConflict
            case objectStore, objectStoreUnreachable, outcomeUnknown, notOwner, notReplicable
            case replicaMissing, replicaIncomplete, replicaDamaged, newerReplica, otherReplica
            case limit, sql, notTranslatable, invalidPredicate, pageCursor, notARecord, schemaChange, invalidMigrator
            case missingFunction, missingCollation, notDeterministic, notSupported
            case migrationFailed, engine
        }

        private let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// The code's name, for logs and scripts.
        public var description: String { kind.rawValue }

        /// No key of the chain opens the file.
        public static let wrongKey = Code(.wrongKey)
        /// The file is not a database, or was made with other cipher settings.
        public static let notADatabase = Code(.notADatabase)
        /// The file is shorter than the database in it.
        public static let truncated = Code(.truncated)
        /// The engine found damaged pages.
        public static let damaged = Code(.damaged)
        /// The write-ahead log of the file is damaged, and opening the file would discard committed transactions.
        public static let damagedLog = Code(.damagedLog)
        /// The file is a plaintext database where an encrypted one is required.
        public static let plaintextFile = Code(.plaintextFile)
        /// The file is encrypted behind a plaintext header (SQLCipher 4's `cipher_plaintext_header_size`), which the
        /// library does not open.
        public static let plaintextHeader = Code(.plaintextHeader)
        /// The file is encrypted, but the key chain specifies plaintext.
        public static let encryptedFile = Code(.encryptedFile)
        /// The file exists and has no content.
        public static let emptyFile = Code(.emptyFile)
        /// The path refers to something other than a regular file.
        public static let notAFile = Code(.notAFile)
        /// There is no file at the path.
        public static let fileMissing = Code(.fileMissing)
        /// Another program replaced a file while it was being opened, replaced a file that is open read-only, or
        /// changed a file that could not be locked.
        public static let fileChanged = Code(.fileChanged)
        /// The file's schema is newer than the program knows.
        public static let newerSchema = Code(.newerSchema)
        /// The file is that of another database, which has another name.
        public static let otherDatabase = Code(.otherDatabase)
        /// Another process has locked the database.
        public static let locked = Code(.locked)
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
        /// A database name, table name or version that cannot be used.
        public static let invalidName = Code(.invalidName)
        /// No configuration is registered for the database's target.
        public static let noConfiguration = Code(.noConfiguration)
        /// Two configurations have one target.
        public static let duplicateConfiguration = Code(.duplicateConfiguration)
        /// The file is open already under another name or in another registry.
        public static let sameFile = Code(.sameFile)
        /// A key that cannot be used: empty, of a wrong length, or twice in one chain.
        public static let invalidKey = Code(.invalidKey)
        /// A key chain without a key.
        public static let emptyKeyChain = Code(.emptyKeyChain)
        /// A key file that cannot be used.
        public static let keyFile = Code(.keyFile)
        /// An environment variable or a configuration value contains no usable keys.
        public static let keySource = Code(.keySource)
        /// A configuration value that a setting cannot have.
        public static let invalidSetting = Code(.invalidSetting)
        /// The sidecar file with the database's wrapped key is missing.
        public static let envelopeMissing = Code(.envelopeMissing)
        /// No copy of the sidecar file with the database's wrapped key is intact.
        public static let envelopeDamaged = Code(.envelopeDamaged)
        /// The sidecar file with the database's wrapped key was written by a newer version.
        public static let newerEnvelope = Code(.newerEnvelope)
        /// The sidecar file contains another database's wrapped key.
        public static let foreignEnvelope = Code(.foreignEnvelope)
        /// A key slot that cannot be added or revoked, such as the last one; nothing was changed.
        public static let keySlot = Code(.keySlot)
        /// Cipher settings that the linked engine does not support, or an empty list of settings; or a file without
        /// authentication codes.
        public static let cipherSettings = Code(.cipherSettings)
        /// A rotation failed, or its result did not pass the check; the message says which key the file uses.
        public static let rotationFailed = Code(.rotationFailed)
        /// The operation needs a file, but the store or the record is in memory only.
        public static let inMemory = Code(.inMemory)
        /// The store is closed.
        public static let closed = Code(.closed)
        /// A blocking call inside a transaction of the same store.
        public static let nestedAccess = Code(.nestedAccess)
        /// A cascade or a load that reaches a table of another database.
        public static let otherStore = Code(.otherStore)
        /// The transaction ended before its closure returned.
        public static let transactionEnded = Code(.transactionEnded)
        /// A write where only reads are allowed.
        public static let readOnly = Code(.readOnly)
        /// A statement that the library does not allow, such as `COMMIT` inside a transaction.
        public static let notAuthorized = Code(.notAuthorized)
        /// Another connection held the database for longer than the busy timeout.
        public static let busy = Code(.busy)
        /// A read or a write exceeded its time limit.
        public static let timedOut = Code(.timedOut)
        /// The operation was interrupted.
        public static let interrupted = Code(.interrupted)
        /// A change violates a constraint of the schema.
        public static let constraint = Code(.constraint)
        /// A stored value does not match the requested type.
        public static let typeMismatch = Code(.typeMismatch)
        /// A value that the engine cannot store, such as NaN.
        public static let valueNotStorable = Code(.valueNotStorable)
        /// A record without the key that the operation needs.
        public static let missingKey = Code(.missingKey)
        /// An upsert by a column that is neither unique nor the primary key.
        public static let notUnique = Code(.notUnique)
        /// A ``WriteRule`` that a save cannot follow, such as one beside `cascading`.
        public static let invalidRule = Code(.invalidRule)
        /// There is no row with the key.
        public static let noSuchRow = Code(.noSuchRow)
        /// The row has changed since the record was read; see ``RecordUpkeep``.
        public static let staleRecord = Code(.staleRecord)
        /// A limit of the engine was exceeded.
        public static let limit = Code(.limit)
        /// A table or a column whose values cannot be read or written in parts.
        public static let blobAccess = Code(.blobAccess)
        /// The row of a value that is open in parts was changed or deleted.
        public static let blobChanged = Code(.blobChanged)
        /// A transaction that cannot be undone, since rows have changed after it.
        public static let historyConflict = Code(.historyConflict)
        /// An object store refuses a request: the credentials or the bucket are wrong, or its answer is none that its
        /// protocol has.
        public static let objectStore = Code(.objectStore)
        /// An object store cannot be reached, or does not answer in time.
        public static let objectStoreUnreachable = Code(.objectStoreUnreachable)
        /// It is not known whether an object store carried out a request: its answer was lost.
        public static let outcomeUnknown = Code(.outcomeUnknown)
        /// Another host or process has taken over the replica; this store is no longer its writer.
        public static let notOwner = Code(.notOwner)
        /// The database has nothing that a replica could carry: it is in memory, or not encrypted.
        public static let notReplicable = Code(.notReplicable)
        /// There is no replica, or none of the requested time.
        public static let replicaMissing = Code(.replicaMissing)
        /// An object of the replica is missing.
        public static let replicaIncomplete = Code(.replicaIncomplete)
        /// An object of the replica is damaged, or is none of Strongroom's.
        public static let replicaDamaged = Code(.replicaDamaged)
        /// The replica was written by a newer version of Strongroom.
        public static let newerReplica = Code(.newerReplica)
        /// The replica belongs to another database.
        public static let otherReplica = Code(.otherReplica)
        /// The engine rejected the SQL.
        public static let sql = Code(.sql)
        /// A statement, or the schema that it uses, needs a function that neither the engine nor the configuration
        /// has.
        public static let missingFunction = Code(.missingFunction)
        /// A statement, or the schema that it uses, needs a collation that neither the engine nor the configuration
        /// has.
        public static let missingCollation = Code(.missingCollation)
        /// An index, a check or a generated column calls a function that is not declared deterministic.
        public static let notDeterministic = Code(.notDeterministic)
        /// A predicate with a part that has no counterpart in SQL.
        public static let notTranslatable = Code(.notTranslatable)
        /// A predicate as text, one of its arguments, or a regular expression is invalid.
        public static let invalidPredicate = Code(.invalidPredicate)
        /// A ``PageCursor`` that cannot be decoded, or that belongs to another table or another order.
        public static let pageCursor = Code(.pageCursor)
        /// A dictionary or a JSON text that cannot be decoded as a record.
        public static let notARecord = Code(.notARecord)
        /// A schema change that is not possible, such as dropping a column that a view uses; nothing was changed.
        public static let schemaChange = Code(.schemaChange)
        /// An invalid migrator, for instance with a duplicate version.
        public static let invalidMigrator = Code(.invalidMigrator)
        /// A migration failed; the file is at the version before it.
        public static let migrationFailed = Code(.migrationFailed)
        /// The linked engine is too old, or was built without a feature that the statement needs; the statement did not
        /// run.
        public static let notSupported = Code(.notSupported)
        /// Any other failure of the engine.
        public static let engine = Code(.engine)
    }
}

import ArgumentParser
package import Strongroom

/// The report of an error before the program ends.
struct ErrorReport: Equatable {
    let code: String
    let message: String
    let status: ExitStatus

    /// The report of an error, or nil if the argument parser reports it.
    init?(_ error: any Error) {
        switch error {
        case let error as CommandFailure:
            self.init(code: error.code, message: error.message, status: error.status)
        case let error as StrongroomError:
            self.init(code: "\(error.code)", message: error.message, status: ExitStatus(error))
        case is CancellationError:
            self.init(code: "cancelled", message: "Cancelled.", status: .interrupted)
        default:
            return nil
        }
    }

    /// The report of a usage error, or nil for other results of the parser, such as a help request.
    init?(usage error: any Error) {
        let status = ExitStatus(rawValue: RootCommand.exitCode(for: error).rawValue) ?? .failure
        guard status != .success else { return nil }
        let message = RootCommand.message(for: error)
        self.init(
            code: status == .usage ? "usage" : "failure", message: message.isEmpty ? "\(error)" : message,
            status: status)
    }

    /// The report of a foreign error, such as a configuration's; it may contain a secret, so only its type is reported.
    init(unknown error: any Error) {
        self.init(
            code: "failure",
            message: """
                The program's configuration threw an error of the type \(type(of: error)). Its content is not \
                reported, since it may contain a secret: look for it in the configuration's code.
                """,
            status: .failure)
    }

    private init(code: String, message: String, status: ExitStatus) {
        self.code = code
        self.message = message
        self.status = status
    }
}

extension ExitStatus {
    /// The exit status for an error of the library; for a migration that failed because of a full disk, that of the
    /// full disk.
    init(_ error: StrongroomError) {
        // The database is there; what is beside it is not a file.
        guard error.diagnosis?.finding != .sideFile else {
            self = .dataError
            return
        }
        let isStep = error.code == .migrationFailed || error.code == .rotationFailed
        let status = (isStep ? error.underlying as? StrongroomError : nil).map { ExitStatus($0.code) }
        switch status {
        case .inputOutput?, .noPermission?, .temporaryFailure?, .dataError?: self = status ?? .failure
        default: self = ExitStatus(error.code)
        }
    }

    /// The exit status for an error code of the library: that of its family, apart from those that scripts tell apart.
    package init(_ code: StrongroomError.Code) {
        self =
            switch code {
            case .exists: .cannotCreate
            case .fileMissing, .notAFile, .replicaMissing: .noInput
            case .notSQLCipher: .unavailable
            case .diskFull, .inputOutput, .objectStoreUnreachable, .outcomeUnknown: .inputOutput
            case .locked, .busy, .tooManyOpenFiles, .notOwner, .keyProvider: .temporaryFailure
            case .permissionDenied, .unsafeFile: .noPermission
            case .newerEnvelope, .newerSchema, .newerReplica, .notSupported, .constraint, .writeRefused,
                .replicaDamaged, .replicaIncomplete:
                .dataError
            // The user of the command wrote the statement, or named the file or the slot.
            case .invalidName, .invalidArgument, .alreadyOpen, .sql, .notAuthorized, .keySlot: .usage
            case .noConfiguration, .duplicateConfiguration, .invalidSetting, .notDeclared, .invalidMigrator,
                .otherMigrations, .otherDatabase, .otherReplica, .notReplicable, .objectStore:
                .configuration
            case .rotationFailed, .fileChanged: .failure
            default: Self(code.family)
            }
    }

    private init(_ family: StrongroomError.Family) {
        self =
            switch family {
            case .keys: .configuration
            case .damage, .file: .dataError
            case .system, .contention, .data, .query, .usage, .schema, .replication: .failure
            }
    }
}

/// The exit status of a command, from which a script can determine the kind of failure.
///
/// The numbers from 64 on are those of `sysexits.h`. They are part of the tool's interface: the meaning of a number
/// never changes.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command succeeded.
    case success = 0
    /// The command ran and its result is negative: a check found damage, or a failure without a specific number below.
    case failure = 1
    /// The command line is wrong: an unknown option, a missing argument (`EX_USAGE`).
    case usage = 64
    /// The input has an unexpected format, or is damaged (`EX_DATAERR`).
    case dataError = 65
    /// An input file does not exist or cannot be read (`EX_NOINPUT`).
    case noInput = 66
    /// A required feature is not available, such as one of the engine (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// An error in the tool itself (`EX_SOFTWARE`).
    case software = 70
    /// The output file exists and is not replaced (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// An I/O error: a full disk, a broken device (`EX_IOERR`).
    case inputOutput = 74
    /// The store is locked by another process; the same command may succeed later (`EX_TEMPFAIL`).
    case temporaryFailure = 75
    /// The user has no permission for the operation (`EX_NOPERM`).
    case noPermission = 77
    /// The configuration or the key is wrong or missing (`EX_CONFIG`).
    case configuration = 78
    /// The command was interrupted by Ctrl-C, or ended by `SIGTERM` or `SIGHUP` (128 and the number of `SIGINT`).
    case interrupted = 130
}

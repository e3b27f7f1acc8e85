/// The status a command ends with, so that a script can tell what went wrong without reading text.
///
/// The numbers from 64 on are those of `sysexits.h`. They are part of the tool's interface: a number never
/// changes its meaning.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command did what it was asked to.
    case success = 0
    /// The command ran and its answer is no: a check found damage, or something failed that has no number below.
    case failure = 1
    /// The command line is wrong: an unknown option, a missing argument (`EX_USAGE`).
    case usage = 64
    /// The input is not in the form expected, or damaged (`EX_DATAERR`).
    case dataError = 65
    /// An input file does not exist or cannot be read (`EX_NOINPUT`).
    case noInput = 66
    /// Something the command needs is missing here, such as a feature of the engine (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// A fault in the tool itself (`EX_SOFTWARE`).
    case software = 70
    /// Something lies already where a file is to be made, and is not replaced (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// Reading or writing failed half way: a full disk, a broken device (`EX_IOERR`).
    case inputOutput = 74
    /// The store is locked by somebody else; the same command may succeed later (`EX_TEMPFAIL`).
    case temporaryFailure = 75
    /// The operation is not permitted to this user (`EX_NOPERM`).
    case noPermission = 77
    /// The configuration or the key is wrong or missing (`EX_CONFIG`).
    case configuration = 78
    /// The command was interrupted by Ctrl-C, or ended by `SIGTERM` or `SIGHUP` (128 and the number of `SIGINT`).
    case interrupted = 130
}

import Foundation

/// Other users that the harness can become where it runs as root.
enum UserSwitch {
    /// Two users without rights.
    static let owner: uid_t = 1
    static let stranger: uid_t = 65_534

    private static let program = ["/usr/bin/setpriv", "/bin/setpriv"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isPossible: Bool { geteuid() == 0 && program != nil }

    /// What stands before a command that runs as a user.
    static func prefix(_ user: uid_t) -> [String] {
        [program ?? "/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }
}

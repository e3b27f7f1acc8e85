/// All kinds of work, and some that are wrong on purpose.
package enum Works {
    /// What must hold at any fault.
    package static let all: [any Work] =
        [WriteWork(), MigrateWork(), MigrateWork(rotates: true), CreateWork(), RestoreWork(), ReplicateWork()]
        + RewriteWork.all
        + EnvelopeWork.Kind.allCases.map { EnvelopeWork($0) }
        + [BackupWork()] + BackupRestoreWork.Kind.allCases.map { BackupRestoreWork($0) }

    /// What shows that the tests notice: each breaks a promise.
    package static let faulty: [any Work] = [WriteWork(flaw: .acknowledgesEarly), WriteWork(flaw: .commitsHalves)]

    package static func named(_ name: String) -> (any Work)? {
        (all + faulty).first { $0.name == name }
    }
}

import Foundation

/// The round's data, owned by one user, in a directory that another can write, too.
struct SharedDirectory {
    private let home: Home

    init(_ round: Round) throws {
        home = round.home
        round.toolPath = try StagedTool.path(round)
        round.prefix = UserSwitch.prefix(UserSwitch.owner)
        guard let paths = FileManager.default.enumerator(atPath: home.path) else { return }
        for case let path as String in paths {
            guard lchown("\(home.path)/\(path)", UserSwitch.owner, UserSwitch.owner) == 0 else {
                throw Fixture.Failure(description: "no owner can be given to \(path)")
            }
        }
        chmod(home.path, 0o755)
        chmod(home.data, round.random.oneIn(2) ? 0o777 : 0o1777)
    }

    func asStranger(_ script: String, _ round: Round) throws {
        _ = try round.program(UserSwitch.prefix(UserSwitch.stranger) + ["/bin/sh", "-c", script])
    }

    /// A file that only its owner can change.
    func precious() throws -> (path: String, content: Data) {
        let path = "\(home.path)/precious"
        let content = Data(String(repeating: "what must stay as it is\n", count: 500).utf8)
        try content.write(to: URL(filePath: path))
        chmod(path, 0o600)
        guard chown(path, UserSwitch.owner, UserSwitch.owner) == 0 else {
            throw Fixture.Failure(description: "no owner can be given to \(path)")
        }
        return (path, content)
    }

    func removeLinks(to target: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home.data) {
            let path = "\(home.data)/\(name)"
            let found = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            if found == target { unlink(path) }
        }
    }
}

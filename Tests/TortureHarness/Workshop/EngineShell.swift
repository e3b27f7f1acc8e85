import Foundation

/// The engine's own shell at the database: a program that does not know the library.
final class EngineShell {
    /// What became of rows.
    enum Writing {
        case acknowledged, refused, unknown
    }

    let child: ChildProcess
    private var marks = 0

    /// - Parameters:
    ///   - settings: Where the shell lies.
    ///   - path: The database.
    ///   - key: Its key as `PRAGMA key` takes it.
    ///   - prints: The path of what it prints.
    init(_ settings: Settings, path: String, key: String, prints: String) throws {
        // Otherwise what it says would lie in its buffer.
        let unbuffered = ["/usr/bin/stdbuf", "-oL"]
        let prefix = FileManager.default.isExecutableFile(atPath: unbuffered[0]) ? unbuffered : []
        child = try ChildProcess(
            prefix + [settings.shell, "-batch", "-init", "/dev/null", path],
            environment: ProcessInfo.processInfo.environment, input: .pipe, prints: prints)
        child.send("PRAGMA key = \"\(key)\";\n.timeout 500\n")
    }

    /// Runs statements.
    ///
    /// - Returns: What was printed for them; nil when the shell has ended or does not answer.
    @discardableResult
    func run(_ sql: String, limit: Double = 30) -> String? {
        marks += 1
        let mark = "mark-\(marks)-"
        let before = child.output.utf8.count
        child.send("\(sql);\nSELECT '\(mark)' || 'end';\n")
        var answer: String?
        child.wait(seconds: limit) {
            let text = String(decoding: child.output.utf8.dropFirst(before), as: UTF8.self)
            guard let end = text.range(of: "\(mark)end") else { return false }
            answer = String(text[..<end.lowerBound])
            return true
        }
        return answer
    }

    /// Inserts the next group of a session and asks for it again.
    ///
    /// - Returns: Whether the shell has it now.
    func write(_ session: WriterSession) -> Writing {
        let group = session.groups[session.acknowledged]
        let list = group.map { "'\($0)'" }.joined(separator: ", ")
        let answer = run(
            "\(StoredRow.insertion(group));\nSELECT 'rows ' || count(*) FROM contact WHERE name IN (\(list))")
        guard let answer, answer.contains("rows ") else { return .unknown }
        guard answer.contains("rows \(group.count)") else { return .refused }
        session.acknowledged += 1
        return .acknowledged
    }

    /// Ends it as a person does.
    func close() {
        child.closeInput()
        if !child.wait(seconds: 30) { kill() }
    }

    func kill() {
        child.send(signal: SIGKILL)
        child.wait(seconds: 30)
    }
}

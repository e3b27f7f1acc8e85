/// Everything that was written to one database, and what has to be there.
final class Ledger {
    private(set) var sessions: [WriterSession] = []

    /// A new writer.
    func session(_ name: String, groups: Int, rows: Int) -> WriterSession {
        let session = WriterSession("\(name)\(sessions.count)", groups: groups, rows: rows)
        sessions.append(session)
        return session
    }

    func add(_ session: WriterSession) { sessions.append(session) }

    var acknowledgedRows: Int { sessions.reduce(0) { $0 + $1.acknowledgedRows } }

    /// Tokens that must be there.
    var acknowledgedTokens: [String] {
        sessions.filter { !$0.mayBeGone }.flatMap { $0.groups.prefix($0.acknowledged).joined() }
    }

    /// From here on a restore may take back what was written.
    func restoreMayHaveHappened(butNot kept: WriterSession) {
        for session in sessions where session !== kept { session.mayBeGone = true }
    }

    /// Compares what was read with what was acknowledged.
    ///
    /// - Parameters:
    ///   - rows: All rows of the table.
    ///   - place: What was read, for the messages.
    /// - Returns: What differs.
    func compare(_ rows: [StoredRow], _ place: String) -> [Problem] {
        var found: [String: Int] = [:]
        var problems: [Problem] = []
        for row in rows {
            found[row.token, default: 0] += 1
            if !row.isAsWritten { problems.append(Problem(.wrong, "\(place): \(row.token) has another payload")) }
        }
        for (token, count) in found.sorted(by: { $0.key < $1.key }) where count > 1 {
            problems.append(Problem(.wrong, "\(place): \(token) is there \(count) times"))
        }
        for session in sessions { problems += compare(session, &found, place) }
        problems += found.keys.sorted().map { Problem(.wrong, "\(place): \($0) was never written") }
        return problems
    }

    private func compare(_ session: WriterSession, _ found: inout [String: Int], _ place: String) -> [Problem] {
        let present = session.groups.map { group in group.filter { found.removeValue(forKey: $0) != nil } }
        if session.mayBeGone, present.allSatisfy(\.isEmpty) { return [] }
        var problems: [Problem] = []
        for (index, group) in session.groups.enumerated() where present[index].count != group.count {
            let missing = group.filter { !present[index].contains($0) }
            let words = "\(missing.count) of \(group.count) rows of a transaction, such as \(missing[0])"
            if index < session.acknowledged {
                problems.append(Problem(.lost, "\(place): \(words), were acknowledged and are gone"))
            } else if !present[index].isEmpty {
                problems.append(Problem(.wrong, "\(place): \(words), are missing, and the others are there"))
            }
        }
        let limit = session.acknowledged + (session.mayHaveOneMore ? 1 : 0)
        for index in session.groups.indices.dropFirst(limit) where !present[index].isEmpty {
            problems.append(
                Problem(.wrong, "\(place): \(present[index][0]) is there, and an error said that it was not kept"))
        }
        return problems
    }
}

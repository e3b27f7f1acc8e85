#if os(Linux)
import FaultWork
import StrongroomTesting

/// Looks at what is left after a fault.
struct Inspector {
    /// What was found.
    enum Finding: Sendable, Equatable {
        /// The file is whole and stands after a step, and the work could be brought to its end.
        case intact(step: Int)
        /// What was acknowledged is not there.
        case lost(String)
        /// The file cannot be opened, or holds what nobody wrote.
        case damaged(String)
    }

    let work: any Work
    /// The step after which a file stands when the work was not disturbed.
    let goal: Int

    /// Looks at a place whose victim has ended.
    ///
    /// - Parameter acknowledged: The steps that the victim said are done for good.
    func inspect(_ place: Place, acknowledged: Int) async throws -> Finding {
        let directory = try TemporaryDirectory()
        // A copy, since looking may not be the first to open the file: that is the work itself, with all keys, below.
        let copy = try FaultCase.copy(place, to: directory)
        let finding = await look(at: copy, acknowledged: acknowledged)
        guard case .intact = finding else { return finding }
        do {
            try await work.run(in: place) { _ in }
        } catch {
            return .damaged("the work cannot be brought to its end: \(error)")
        }
        guard try place.strayNames() == [] else {
            return .damaged("left behind: \(try place.strayNames().joined(separator: ", "))")
        }
        switch await look(at: place, acknowledged: goal) {
        case .intact: return finding
        case .lost(let reason): return .lost("after the next opening: \(reason)")
        case .damaged(let reason): return .damaged("after the next opening: \(reason)")
        }
    }

    private func look(at place: Place, acknowledged: Int) async -> Finding {
        let sight: Sight
        do {
            sight = try await work.look(in: place)
        } catch {
            return .damaged("\(error)")
        }
        guard sight.integrity == "ok" else { return .damaged("integrity_check: \(sight.integrity.prefix(200))") }
        guard sight.step >= acknowledged else {
            return .lost("step \(acknowledged) was acknowledged, the file stands after step \(sight.step)")
        }
        let expected = work.rows(after: sight.step)
        guard sight.rows != expected else { return .intact(step: sight.step) }
        let missing = Set(expected).subtracting(sight.rows).sorted()
        let surplus = Set(sight.rows).subtracting(expected).sorted()
        return .damaged(
            """
            after step \(sight.step) there are \(sight.rows.count) rows for \(expected.count), missing \
            "\((missing.first ?? "").prefix(40))", surplus "\((surplus.first ?? "").prefix(40))"
            """)
    }
}
#endif

import Synchronization

/// Work for which no connection is open.
extension Access {
    /// A seat that is taken for as long as this is referred to.
    private final class HeldSeat: Sendable {
        private let access: Access
        private let seat: Queue.Seat
        private let ticket: UInt64

        init(_ access: Access, _ request: Queue.Request, _ limits: AccessLimits) async throws {
            self.access = access
            (seat, ticket) = try await access.takeSeat(request, limits)
        }

        deinit {
            access.running.end(ticket)
            access.release(seat) {}
        }
    }

    /// Waits for what runs, closes every connection of the store, runs work on a thread of its own, and lets those go on who came meanwhile, on
    /// connections that are opened anew.
    ///
    /// - Parameters:
    ///   - limits: How long those who run are waited for.
    ///   - work: Gets a closure that says whether the task has been cancelled.
    /// - Throws: `CancellationError`; ``StrongroomError`` with `closed`, or `timedOut` naming those who were waited for; what the work throws.
    func performAlone<T: Sendable>(
        _ limits: AccessLimits,
        _ work: @escaping @Sendable (@escaping @Sendable () -> Bool) throws -> T
    ) async throws -> T {
        let seats = try await takeAllSeats(limits)
        let flag = Flag()
        return try await withTaskCancellationHandler {
            // Given back when the work is done, also when it throws.
            try await BlockingWork.run { [self, seats] in
                try withExtendedLifetime(seats) {
                    closeConnections()
                    // Before anybody reads: only a writer brings the file back to the mode of the log. Whoever needs it opens it again.
                    defer { writer.connection = try? writer.open(.writer) }
                    return try work { flag.isSet.load(ordering: .relaxed) }
                }
            }
        } onCancel: {
            flag.isSet.store(true, ordering: .relaxed)
        }
    }

    /// Takes every seat; lets go of all and tries again when that takes long, since one who has a seat may wait for another one.
    private func takeAllSeats(_ limits: AccessLimits) async throws -> [HeldSeat] {
        let deadline = limits.timeout.map { ContinuousClock.now + $0 }
        var patience = Self.firstPatience
        while true {
            let end = min(deadline ?? .now + patience, .now + patience)
            do {
                // The readers first: one who reads a stream may have to write before they let go of it.
                var seats: [HeldSeat] = []
                for request in readers.map({ _ in Queue.Request.read }) + [.writeAlone] {
                    let limits = AccessLimits(label: limits.label, timeout: max(.zero, end - .now))
                    seats.append(try await HeldSeat(self, request, limits))
                }
                return seats
            } catch let error as StrongroomError where error.code == .timedOut {
                guard deadline.map({ .now < $0 }) ?? true else { throw error }
            }
            try await Task.sleep(for: Self.pause)
            patience = min(patience * 2, Self.longestPatience)
        }
    }

    private static let firstPatience = Duration.milliseconds(500)
    private static let longestPatience = Duration.seconds(4)
    private static let pause = Duration.milliseconds(50)

    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    private func closeConnections() {
        for seat in readers.indices.map(Queue.Seat.reader) {
            self[seat].connection?.close()
            drop(seat)
        }
        guard let connection = writer.connection.take() else { return }
        hub.note(connection.takeChangedTables())
        connection.close()
    }
}

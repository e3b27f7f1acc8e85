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
        // The readers first: one who reads a stream may have to write before they let go of it.
        var seats: [HeldSeat] = []
        for _ in readers { seats.append(try await HeldSeat(self, .read, limits)) }
        seats.append(try await HeldSeat(self, .writeAlone, limits))
        let flag = Flag()
        return try await withTaskCancellationHandler {
            // Given back when the work is done, also when it throws.
            try await BlockingWork.run { [self, seats] in
                try withExtendedLifetime(seats) {
                    closeConnections()
                    return try work { flag.isSet.load(ordering: .relaxed) }
                }
            }
        } onCancel: {
            flag.isSet.store(true, ordering: .relaxed)
        }
    }

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

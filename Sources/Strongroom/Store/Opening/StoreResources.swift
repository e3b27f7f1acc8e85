/// What the stores of a registry share: their threads, their observers, and what is counted of each family.
final class StoreResources: Sendable {
    private struct Family {
        /// The open stores; in memory, without the path of a WAL.
        var members: [ObjectIdentifier: (statistics: Locked<StoreStatistics>, log: String?)] = [:]
        /// The sums of the stores that have been closed.
        var closed = FamilyStatistics()
    }

    let executor = StoreExecutor()
    /// Receive each operation of stores that are opened from now on.
    let observers = Locked<[any OperationObserver]>([])
    private let families = Locked<[String: Family]>([:])

    /// Adds an open store to its family. Its statistics are only read here, so that its operations count for their
    /// store alone.
    func add(_ statistics: Locked<StoreStatistics>, log: String?, to family: String) {
        families.withLock {
            $0[family, default: Family()].members[ObjectIdentifier(statistics)] = (statistics, log)
        }
    }

    /// Keeps the sums of a store that has been closed.
    func remove(_ statistics: Locked<StoreStatistics>, from family: String) {
        families.withLock {
            guard $0[family]?.members.removeValue(forKey: ObjectIdentifier(statistics)) != nil else { return }
            $0[family]?.closed.add(statistics.withLock { $0 })
        }
    }

    var familyStatistics: [String: FamilyStatistics] {
        // The lock is not held meanwhile: a store that opens or closes does not wait for the disk.
        families.withLock { $0 }.mapValues { family in
            family.members.values.reduce(into: family.closed) { sum, member in
                sum.openStores += 1
                sum.add(member.statistics.withLock { $0 })
                let size = member.log.flatMap { try? FileStatus.at($0)?.size } ?? 0
                sum.logBytes += size
                sum.largestLogBytes = max(sum.largestLogBytes, size)
            }
        }
    }
}

import GRDB
import TestData

/// Does the works, and times them as the other sides do: from the begin of the transaction to the end of its commit.
struct Worker {
    private lazy var entries = TestData.rows().map(Entry.init)
    private lazy var changed = TestData.changedRows().map(Entry.init)
    private lazy var accounts = TestData.upsertRows().map(Account.init)
    private lazy var manualEntries = TestData.rows().map(ManualEntry.init)
    private lazy var manualChanged = TestData.changedRows().map(ManualEntry.init)
    private lazy var manualAccounts = TestData.upsertRows().map(ManualAccount.init)
    private lazy var ordersInMemory = Result { try Self.makeOrdersInMemory() }
    private lazy var keys = TestData.shuffledKeys()
    /// Those of the files that are read again and again.
    private var pools: [String: DatabasePool] = [:]
    /// The runs of ``Work/tenants``, and how many of them each of the works of their times has reported.
    var tenantRuns: [ServiceLoad] = []
    var reportedRuns: [Work: Int] = [:]

    mutating func run(_ work: Work, on path: String) async throws -> WorkReport {
        switch work {
        case .insert: try write(entries, to: path) { db, entry in try entry.insert(db) }
        case .update: try write(changed, to: path) { db, entry in try entry.update(db) }
        case .upsert: try write(accounts, to: path) { db, account in try account.upsert(db) }
        case .insertByHand: try write(manualEntries, to: path) { db, entry in try entry.insert(db) }
        case .updateByHand: try write(manualChanged, to: path) { db, entry in try entry.update(db) }
        case .upsertByHand: try write(manualAccounts, to: path) { db, account in try account.upsert(db) }
        case .fetch: try fetch(Entry.self, path)
        case .fetchByHand: try fetch(ManualEntry.self, path)
        case .point: try point(Entry.self, path)
        case .pointByHand: try point(ManualEntry.self, path)
        case .awaitedWrites: try await awaitedWrites(path, tasks: 1)
        case .groupOfWrites: try await awaitedWrites(path, tasks: TestData.writingTasks)
        case .awaitedReads: try await awaitedReads(path, tasks: 1)
        case .awaitedReadsOfTasks: try await awaitedReads(path, tasks: TestData.readingTasks)
        case .readsOfReaders: try await readsOfReaders(path)
        case .readsBesideWriter: try await besideWriter(path) { $0.duration }
        case .subquery: try read(path, Self.matches)
        case .groupedJoin: try read(path, Self.groups)
        case .childrenAggregates: try read(path, Self.aggregates)
        case .orders: try Self.load(Order.self, from: pool(path))
        case .ordersByHand: try Self.load(ManualOrder.self, from: pool(path))
        case .ordersInMemory: try Self.load(Order.self, from: ordersInMemory.get())
        case .ordersInMemoryByHand: try Self.load(ManualOrder.self, from: ordersInMemory.get())
        case .documentIndex: try indexDocuments(path)
        case .tenants: try await serveTenants(in: path)
        case .tenantsHalf, .tenants99, .tenants999: nextTenantTime(work)
        case .writesBesideReaders: try await besideWriter(path) { $0.duration(ofWrites: TestData.awaitedWriteCount) }
        }
    }

    /// Opens the file, writes one by one in one transaction, and closes it again.
    private func write<R: Sendable>(
        _ records: [R],
        to path: String,
        each: @Sendable (Database, inout R) throws -> Void
    ) throws -> WorkReport {
        let pool = try EncryptedPool.open(path)
        let duration = try ContinuousClock().measure {
            try pool.write { db in
                for var record in records { try each(db, &record) }
            }
        }
        try pool.close()
        return WorkReport(duration: duration, summary: Summary())
    }

    private mutating func fetch<R: EntryRecord>(_ record: R.Type, _ path: String) throws -> WorkReport {
        let pool = try pool(path)
        var found = Summary()
        let duration = try ContinuousClock().measure {
            found = try pool.read { db in
                var summary = Summary()
                for entry in try R.order(Column("id")).fetchAll(db) { summary.add(entry) }
                return summary
            }
        }
        return WorkReport(duration: duration, summary: found)
    }

    private mutating func read(
        _ path: String, _ query: @Sendable (Database) throws -> Summary
    ) throws -> WorkReport {
        let pool = try pool(path)
        var found = Summary()
        let duration = try ContinuousClock().measure { found = try pool.read { db in try query(db) } }
        return WorkReport(duration: duration, summary: found)
    }

    private mutating func point<R: EntryRecord>(_ record: R.Type, _ path: String) throws -> WorkReport {
        let pool = try pool(path)
        let keys = keys
        var found = Summary()
        let duration = try ContinuousClock().measure {
            found = try pool.read { db in
                var summary = Summary()
                for key in keys {
                    if let entry = try R.fetchOne(db, key: key) { summary.add(entry) }
                }
                return summary
            }
        }
        return WorkReport(duration: duration, summary: found)
    }

    private mutating func awaitedWrites(_ path: String, tasks: Int) async throws -> WorkReport {
        let pool = try EncryptedPool.open(path)
        let rows = Array(entries.prefix(TestData.awaitedWriteCount))
        let duration = try await ContinuousClock().measure {
            _ = try await TestData.inTasks(tasks, of: rows.count) { range in
                for row in rows[range] {
                    try await pool.write { db in
                        var row = row
                        try row.insert(db)
                    }
                }
                return Summary()
            }
        }
        try pool.close()
        return WorkReport(duration: duration, summary: Summary())
    }

    private mutating func awaitedReads(_ path: String, tasks: Int) async throws -> WorkReport {
        let pool = try pool(path)
        let keys = Array(keys.prefix(TestData.awaitedReadCount))
        var found = Summary()
        let duration = try await ContinuousClock().measure { found = try await pool.readEach(keys, tasks: tasks) }
        return WorkReport(duration: duration, summary: found)
    }

    private mutating func readsOfReaders(_ path: String) async throws -> WorkReport {
        let pool = try pool(path)
        let keys = Array(keys.prefix(TestData.besideWriterCount))
        var found = Summary()
        let duration = try await ContinuousClock().measure {
            found = try await pool.readEach(keys, tasks: TestData.readerCount)
        }
        return WorkReport(duration: duration, summary: found)
    }

    /// Reads beside a task that writes, and takes away again what that has written.
    private mutating func besideWriter(
        _ path: String,
        _ duration: (BesideWriter) -> Duration
    ) async throws -> WorkReport {
        let pool = try pool(path)
        let keys = Array(keys.prefix(TestData.besideWriterCount))
        let rows = entries
        let done = try await BesideWriter.measure(
            write: { count in
                try await pool.write { db in
                    var row = rows[count % rows.count]
                    try row.insert(db)
                }
            },
            read: { try await pool.readEach(keys, tasks: TestData.readerCount) }
        )
        let deleted = try await pool.write { db in
            try Entry.filter(Column("id") > TestData.rowCount).deleteAll(db)
        }
        try await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try Summary(rows: Int64(deleted)).check(Summary(rows: Int64(done.allWrites)))
        return WorkReport(duration: duration(done), summary: done.found)
    }

    private mutating func pool(_ path: String) throws -> DatabasePool {
        if let pool = pools[path] { return pool }
        let pool = try EncryptedPool.open(path)
        pools[path] = pool
        return pool
    }
}

extension DatabasePool {
    /// Reads each in a read of its own.
    fileprivate func readEach(_ keys: [Int64], tasks: Int) async throws -> Summary {
        try await TestData.inTasks(tasks, of: keys.count) { range in
            var summary = Summary()
            for key in keys[range] {
                let entry = try await self.read { db in try Entry.fetchOne(db, key: key) }
                if let entry { summary.add(entry) }
            }
            return summary
        }
    }
}

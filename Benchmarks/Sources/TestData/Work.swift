/// What a rival in a process of its own can be asked for: a line of the work's name and a file's path.
public enum Work: String, Sendable {
    case insert, fetch, point, update, upsert
    /// The same with records that are decoded and encoded by hand, in place of Codable ones.
    case insertByHand, fetchByHand, pointByHand, updateByHand, upsertByHand
    /// Rows inserted one by one, each in an awaited write of its own: by one task, and by many.
    case awaitedWrites, groupOfWrites
    /// Rows read by key, each in an awaited read of its own: by one task, and by several.
    case awaitedReads, awaitedReadsOfTasks
    /// Rows read by as many tasks as there are readers, alone and beside a task that writes.
    case readsOfReaders, readsBesideWriter
    /// The time that ``TestData/awaitedWriteCount`` of the writes take beside those.
    case writesBesideReaders
    /// Parents with a child that matches, the groups of a join of both, and each parent with aggregates of its
    /// children.
    case subquery, groupedJoin, childrenAggregates
    /// All orders, loaded again and again: from a file, and from a database in memory, where the path is ignored.
    case orders, ordersByHand, ordersInMemory, ordersInMemoryByHand
    /// A full-text index that is created on a filled table.
    case documentIndex
    /// The requests of a service to a directory of tenants, by a cache of open pools; and the times within which half,
    /// 99 and 99.9 percent of the requests were answered in those runs, one after the other.
    case tenants, tenantsHalf, tenants99, tenants999
}

/// Measures that are run together; each group has a file of its own in Groups.
///
/// To add one: write its file, and name it in ``all``.
struct Group: Sendable {
    static let all: [Group] = [
        .insert, .insertMany, .insertChildren, .save, .fetch, .point, .update, .upsert, .upsertMany, .query, .queries,
        .orders, .open, .openChain, .reopen, .rotate, .rotateEnvelope, .checking, .migrate,
        .groupCommit, .awaitedWrite, .awaitedRead, .endOfReadCheck, .readersBesideWriter, .stream, .familyOpen,
        .formatPredicate, .function, .history, .search, .replication, .replicatedTenants,
        .foreignCommits, .idleObservation, .service, .growth,
    ]

    let name: String
    let summary: String
    let measures: @Sendable (Workplace) async throws -> [any Measurable]

    init(
        _ name: String, _ summary: String, measures: @escaping @Sendable (Workplace) async throws -> [any Measurable]
    ) {
        self.name = name
        self.summary = summary
        self.measures = measures
    }
}

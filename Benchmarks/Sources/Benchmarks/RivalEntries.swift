import Baseline
import TestData

/// Samples as C keeps them.
final class RivalEntries {
    private struct OutOfMemory: Error {}

    var list = baseline_list()

    init(_ samples: [Sample]) throws {
        for sample in samples { try append(sample) }
    }

    /// Documents, with the body as a note.
    convenience init(_ documents: [TestDocument]) throws {
        try self.init(
            documents.map { Sample(name: $0.title, size: 0, score: 0, digest: [], note: $0.body) })
    }

    deinit {
        baseline_free(&list)
    }

    private func append(_ sample: Sample) throws {
        let isAppended = baseline_append(
            &list,
            sample.id ?? 0,
            sample.name, Int32(sample.name.utf8.count),
            sample.size,
            sample.score,
            sample.digest, Int32(sample.digest.count),
            sample.note, Int32(sample.note?.utf8.count ?? 0)
        )
        guard isAppended != 0 else { throw OutOfMemory() }
    }
}

import Strongroom
import StrongroomTesting
import Testing

// Internal: the look at a replica after a change.
@testable import StrongroomReplication

/// A writer in a directory knows by three names whether its change is the newest and can be restored.
@Suite struct NeighboursTests {
    private let directory: TemporaryDirectory
    private let folder: ReplicaFolder

    init() async throws {
        directory = try TemporaryDirectory()
        folder = ReplicaFolder(objects: DirectoryObjectStore(directory.path("replicas")), name: "clinic")
        try await folder.objects.createFolder("clinic")
        for number in [1, 2, 3, 5] as [UInt64] {
            #expect(try await folder.objects.create(folder.path(ofChange: number), [1]))
        }
    }

    @Test func `the newest change with the one before it is acknowledged`() async throws {
        try await folder.requireNewest(3, after: 1)
        // A list would begin with it.
        #expect(try await folder.objects.create("clinic/ee", []))
        try await folder.requireNewest(3, after: 1)
    }

    @Test(arguments: [(1, "notOwner"), (2, "notOwner"), (4, "replicaIncomplete"), (5, "replicaIncomplete")])
    func `a change beside which one is too many or missing is not acknowledged`(
        number: UInt64, wanted: String
    ) async throws {
        // Number 4 vanished again.
        let error = await #expect(throws: StrongroomError.self) { try await folder.requireNewest(number, after: 1) }
        #expect("\(try #require(error).code)" == wanted)
    }
}

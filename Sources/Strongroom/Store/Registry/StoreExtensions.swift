/// An extension that this package knows how to start.
package protocol StartedExtension: StoreExtension {
    /// Called with the open store; an error that it throws closes it.
    func attach(to store: Store) async throws
}

/// The extensions of one opening.
struct StoreExtensions {
    private let name: DatabaseName
    private let all: [any StartedExtension]
    private var undoing: [@Sendable () async -> Void] = []

    /// The extensions that the configuration of a database lists; none in memory, where there is no file.
    init(_ context: StoreContext) throws {
        name = context.name
        guard !context.isInMemory, !context.isReadOnly else {
            all = []
            return
        }
        all = try context.configuration.extensions(for: name).compactMap { $0 as? any StartedExtension }
    }

    mutating func prepare() async throws {
        for each in all {
            if let undo = try await each._prepare(name) { undoing.append(undo) }
        }
    }

    /// Undoes the preparation of an opening that has failed, even if it was cancelled.
    func undoPreparation() async {
        for undo in undoing { await Task { await undo() }.value }
    }

    func attach(to store: Store) async throws {
        do {
            for each in all { try await each.attach(to: store) }
        } catch {
            try? await store.close()
            throw error
        }
    }
}

extension Stores {
    /// The extensions that the configuration of a database lists.
    package func extensions(of name: DatabaseName) throws -> [any StoreExtension] {
        try configuration(of: name).extensions(for: name)
    }
}

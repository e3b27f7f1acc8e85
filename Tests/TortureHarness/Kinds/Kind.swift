/// A kind of torture.
protocol Kind {
    /// What `--only` calls it.
    static var name: String { get }
    /// One line on what it does.
    static var summary: String { get }
    /// What the damage that a round plants is to be found as.
    static var plantedCategory: Problem.Category { get }
    /// Why it cannot run here; nil where it can. What can only be done in a lesser form is told by ``note``.
    static var obstacle: String? { get }
    /// What is to be known of it here.
    static var note: String? { get }

    init()

    /// One round on a fresh copy of the database.
    func run(_ round: Round) throws
}

extension Kind {
    static var obstacle: String? { nil }
    static var note: String? { nil }
}

/// All kinds.
enum Kinds {
    static var all: [any Kind.Type] {
        [Kills.self, Flips.self, ForeignClients.self, TwoUsers.self, Companions.self, FullDisk.self]
    }

    static func named(_ name: String) -> (any Kind.Type)? { all.first { $0.name == name } }
}

import Strongroom

func addTravels(to store: Store) async throws {
    let notes = [
        Note(title: "Straßburg", body: "La pêche de vigne, le Münster"),
        Note(title: "北京旅行", body: "在胡同里吃烤鸭，再去长城。"),
    ]
    try await store.write { db in try Note.insert(contentsOf: notes, in: db) }
}

func titles(withExactly words: String, in store: Store) async throws -> [String] {
    try await store.read { db in
        try Note.search(.all(words), index: "exact")
            .order { $0.title.ascending }
            .fetch(in: db)
            .map(\.title)
    }
}

import Strongroom

func openNotes(in directory: String) async throws -> Store {
    let stores = try Stores(Notes(directory: directory))
    return try await stores.open("notes.sqlite")
}

func addNotes(to store: Store) async throws {
    let notes = [
        Note(title: "Café menu", body: "Soup of the day, crème brûlée, and coffee"),
        Note(title: "Shopping", body: "Coffee, milk, and a menu for Sunday"),
        Note(title: "Paint the kitchen", body: "Buy paint near the Café Central", isDone: true),
        Note(title: "Garden", body: "Water the tomatoes every evening"),
        Note(title: "Running", body: "Five kilometres along the river"),
    ]
    try await store.write { db in try Note.insert(contentsOf: notes, in: db) }
}

func titles(with words: String, in store: Store) async throws -> [String] {
    try await store.read { db in
        try Note.search(.all(words))
            .order { $0.title.ascending }
            .fetch(in: db)
            .map(\.title)
    }
}

func openTitles(with words: String, in store: Store) async throws -> [String] {
    try await store.read { db in
        try Note.where { !$0.isDone && Note.matches(.all(words)) }
            .order { $0.title.ascending }
            .fetch(in: db)
            .map(\.title)
    }
}

func printBest(with words: String, in store: Store) async throws {
    let hits = try await store.read { db in try Note.hits(.all(words), limit: 10, in: db) }
    for hit in hits { print(hit.score, hit.record.title) }
}

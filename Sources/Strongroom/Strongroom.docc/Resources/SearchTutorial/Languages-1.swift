import Strongroom

func addTravels(to store: Store) async throws {
    let notes = [
        Note(title: "Straßburg", body: "La pêche de vigne, le Münster"),
        Note(title: "北京旅行", body: "在胡同里吃烤鸭，再去长城。"),
    ]
    try await store.write { db in try Note.insert(contentsOf: notes, in: db) }
}

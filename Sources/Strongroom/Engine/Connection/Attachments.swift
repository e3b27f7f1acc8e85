/// State that the layers above the engine attach to a connection, one object per type.
///
/// A connection has three of them, with different lifetimes: `Connection.attachments` lives until the connection is
/// closed, ``PreparedStatements/attachments`` until the user's statements are prepared again, and
/// ``TransactionContext/attachments`` until the transaction ends or a part of it is rolled back.
struct Attachments {
    // Few enough that a linear search costs less than hashing.
    private var objects: [(type: ObjectIdentifier, object: AnyObject)] = []

    /// The object of a type; nil if there is none.
    subscript<Object: AnyObject>(type: Object.Type) -> Object? {
        get {
            for entry in objects where entry.type == ObjectIdentifier(type) { return entry.object as? Object }
            return nil
        }
        set {
            let index = objects.firstIndex { $0.type == ObjectIdentifier(type) }
            switch (index, newValue) {
            case (let index?, let object?): objects[index].object = object
            case (let index?, nil): objects.remove(at: index)
            case (nil, let object?): objects.append((ObjectIdentifier(type), object))
            case (nil, nil): break
            }
        }
    }

    /// The object of a type, created if there is none.
    mutating func object<Object: AnyObject>(_ make: @autoclosure () -> Object) -> Object {
        if let object = self[Object.self] { return object }
        let object = make()
        self[Object.self] = object
        return object
    }
}

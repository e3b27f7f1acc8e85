/// What the layers above the engine remember of a connection, one object a type.
///
/// A connection has three of them, which differ in how long they keep what they have: `Connection.attachments` until it
/// is closed, ``PreparedStatements/attachments`` until the user's statements are prepared anew, and
/// ``TransactionContext/attachments`` until the transaction ends or a part of it is undone.
struct Attachments {
    // Few enough that a search costs less than hashing.
    private var objects: [(type: ObjectIdentifier, object: AnyObject)] = []

    /// The object of a type; nil when there is none.
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

    /// The object of a type, which is made when there is none.
    mutating func object<Object: AnyObject>(_ make: @autoclosure () -> Object) -> Object {
        if let object = self[Object.self] { return object }
        let object = make()
        self[Object.self] = object
        return object
    }
}

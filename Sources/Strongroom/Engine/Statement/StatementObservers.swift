/// Is told of the statements of a connection.
protocol StatementObserver: AnyObject {
    /// Called before a statement runs: any of the user's, or of the library's own.
    ///
    /// - Throws: What is thrown in the statement's place.
    func willRun(_ statement: Statement, isOwn: Bool) throws

    /// Called when a transaction first uses a statement of the user's.
    func didUse(_ statement: Statement)
}

extension StatementObserver {
    func willRun(_ statement: Statement, isOwn: Bool) {}
    func didUse(_ statement: Statement) {}
}

/// The observers of a connection, in the order in which they are told; most have none.
struct StatementObservers {
    private var all: [any StatementObserver] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ observer: any StatementObserver) {
        all.append(observer)
    }

    mutating func remove(_ observer: any StatementObserver) {
        all.removeAll { $0 === observer }
    }

    /// The first observer of a type.
    func first<Observer: StatementObserver>(_ type: Observer.Type) -> Observer? {
        for case let observer as Observer in all { return observer }
        return nil
    }

    func willRun(_ statement: Statement, isOwn: Bool) throws {
        for observer in all { try observer.willRun(statement, isOwn: isOwn) }
    }

    func didUse(_ statement: Statement) {
        for observer in all { observer.didUse(statement) }
    }
}

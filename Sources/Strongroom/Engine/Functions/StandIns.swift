import CSQLCipher
import Foundation

extension Connection {
    /// Runs work that reads a file's structure although functions or collations that its schema needs are missing: they
    /// are replaced until the work is done, functions by one whose result is NULL, collations by the order of bytes.
    ///
    /// What depends on their results is wrong in the work. Nothing may be written.
    ///
    /// - Parameter work: Called again, with the missing ones so far, each time it fails because another one is missing.
    func withStandIns<T>(_ work: (_ missing: [MissingName]) throws -> T) throws -> T {
        var missing: [MissingName] = []
        defer { for name in missing { setStandIn(for: name, isInstalled: false) } }
        while true {
            do {
                return try work(missing)
            } catch let error as StrongroomError {
                guard let name = error.missing, !missing.contains(name), setStandIn(for: name, isInstalled: true)
                else { throw error }
                missing.append(name)
            }
        }
    }

    /// Installs or removes a stand-in. Statements that were prepared with it are prepared again.
    ///
    /// - Returns: Whether the engine has accepted it.
    @discardableResult
    func setStandIn(for missing: MissingName, isInstalled: Bool) -> Bool {
        let result =
            switch missing.kind {
            case .function where isInstalled:
                sqlite3_create_function_v2(
                    pointer, missing.name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | RegisteredFunction.trusted, nil,
                    { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
            case .function:
                sqlite3_create_function_v2(pointer, missing.name, -1, SQLITE_UTF8, nil, nil, nil, nil, nil)
            case .collation where isInstalled:
                // Texts that differ are compared by their bytes.
                RegisteredCollation.install(missing.name, isTotal: true, on: pointer) { _, _ in .orderedSame }
            case .collation:
                sqlite3_create_collation_v2(pointer, missing.name, SQLITE_UTF8, nil, nil, nil)
            }
        return result == SQLITE_OK
    }
}

#if Macros
extension RecordModel {
    /// The primary key's type, and its accessors; empty for a record without a key.
    var keyCode: [String] {
        switch keys.count {
        case 0: []
        case 1: singleKey(keys[0])
        default: [compositeKey, keyOfComposite, setComposite]
        }
    }

    private func singleKey(_ key: PropertyModel) -> [String] {
        let type = key.column.encoding == nil ? key.wrappedText : key.columnType
        let setting =
            key.isConstant
            ? "\(prefix)static func setKey(_ key: \(type), of record: inout Self) {\n}"
            : """
            \(prefix)static func setKey(_ key: \(type), of record: inout Self) {
                record.\(key.name) = key
            }
            """
        let getting = """
            \(prefix)static func key(of record: Self) -> \(type)? {
                record.\(key.name)
            }
            """
        // Otherwise a type of the program that is named Key would refer to the alias itself.
        let alias = type == "Key" ? [] : ["\(prefix)typealias Key = \(type)"]
        return alias + [getting, setting]
    }

    private var compositeKey: String {
        let properties = keys.map { "\(prefix)var \($0.name): \($0.typeText)" }
        let parameters = keys.map { "\($0.name): \($0.typeText)" }.joined(separator: ", ")
        let assignments = keys.map { "self.\($0.name) = \($0.name)" }
        let reading = keys.enumerated().map { position, key in
            let index = "index + \(position)"
            return "self.\(key.name) = \(key.column.scale == nil ? "try row[\(index)]" : key.scaledRead(index))"
        }
        let binding = keys.enumerated().map { position, key in
            "try bindings.set(self.\(key.name), at: index + \(position)\(key.scaleArgument))"
        }
        let separator = "\n        "
        return """
            /// The primary key.
            \(prefix)struct Key: Strongroom.TableKey, Swift.Hashable {
                \(properties.joined(separator: "\n    "))

                \(prefix)init(\(parameters)) {
                    \(assignments.joined(separator: separator))
                }

                \(prefix)static var columnCount: Swift.Int {
                    \(keys.count)
                }

                \(prefix)init(from row: borrowing Strongroom.Row, at index: Swift.Int) throws {
                    \(reading.joined(separator: separator))
                }

                \(prefix)func bind(to bindings: borrowing Strongroom.Bindings, at index: Swift.Int) throws {
                    \(binding.joined(separator: separator))
                }
            }
            """
    }

    private var keyOfComposite: String {
        let arguments = keys.map { "\($0.name): record.\($0.name)" }.joined(separator: ", ")
        return """
            \(prefix)static func key(of record: Self) -> Key? {
                Key(\(arguments))
            }
            """
    }

    private var setComposite: String {
        let lines = keys.filter { !$0.isConstant }.map { "record.\($0.name) = key.\($0.name)" }
        return """
            \(prefix)static func setKey(_ key: Key, of record: inout Self) {
                \(lines.joined(separator: "\n    "))
            }
            """
    }
}
#endif

#if Macros
extension RecordModel {
    /// How rows are read and written.
    var mappingCode: [String] { [decoding, encoding, updating, lookup] }

    /// With the initialiser that the compiler makes, values go straight to where the record is wanted; one that assigns
    /// them to each property in turn makes the record in a place of its own and then copies it.
    private var decoding: String {
        let lines = properties.enumerated().map { place, property in
            hasMemberwiseInitializer
                ? "    \(property.label): \(property.typedRead(place))"
                : "self.\(property.name) = \(property.read(place))"
        }
        let body =
            hasMemberwiseInitializer
            ? "self.init(\n    \(lines.joined(separator: ",\n    "))\n    )" : lines.joined(separator: "\n    ")
        return """
            \(prefix)init(row: borrowing Strongroom.Row) throws {
                \(body)
            }
            """
    }

    private var encoding: String {
        let lines = properties.enumerated().filter { !$1.column.isGenerated }.map { place, property in
            "try bindings.set(\(property.written), at: \(place)\(property.scaleArgument))"
        }
        return """
            \(prefix)func encode(to bindings: borrowing Strongroom.Bindings) throws {
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    private var updating: String {
        let lines = properties.enumerated().filter { !$1.isConstant }.map { place, property in
            "self.\(property.name) = \(property.read(place))"
        }
        return """
            \(prefix)mutating func update(from row: borrowing Strongroom.Row) throws {
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    private var lookup: String {
        let lines = properties.map { property in
            """
            if property == \\Self.\(property.name) {
                    return \(property.columnName.swiftLiteral)
                }
            """
        }
        return """
            \(prefix)static func columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                \(lines.joined(separator: "\n    "))
                return nil
            }
            """
    }
}

extension PropertyModel {
    /// What reads the property from a row.
    fileprivate func read(_ place: Int) -> String {
        guard column.scale == nil else { return scaledRead("\(place)") }
        guard column.encoding != nil else { return "try row[\(place)]" }
        return "(try row[\(place)] as \(columnType))\(isOptional ? "?" : "").value"
    }

    /// What an initialiser's argument is called: there all words but three can stand as they are, and the compiler asks
    /// for that.
    fileprivate var label: String {
        let bare = name.filter { $0 != "`" }
        let isIdentifier = bare.first?.isNumber == false && bare.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isIdentifier && !["inout", "var", "let"].contains(bare) ? bare : name
    }

    /// The same for an initialiser, of which there may be others with the same labels.
    fileprivate func typedRead(_ place: Int) -> String {
        let isTyped = column.encoding != nil || column.scale != nil
        return isTyped ? read(place) : "\(read(place)) as \(typeText)"
    }

    /// What reads a scaled decimal at an index.
    func scaledRead(_ index: String) -> String {
        "try row.\(isOptional ? "decimalIfPresent" : "decimal")(at: \(index)\(scaleArgument))"
    }

    /// The argument for the scale, where there is one.
    var scaleArgument: String { column.scale.map { ", scale: \($0)" } ?? "" }

    /// What a statement is given for the property.
    fileprivate var written: String {
        guard let encoding = column.encoding else { return "self.\(name)" }
        let wrapper = "Strongroom.\(encoding.rawValue)"
        return isOptional ? "self.\(name).map { \(wrapper)($0) }" : "\(wrapper)(self.\(name))"
    }
}
#endif

#if Macros
extension RecordModel {
    /// The members that decode and encode rows.
    var mappingCode: [String] { [decoding, encoding, updating, lookup] }

    /// The memberwise initialiser constructs the record in place; an initialiser that assigns each property constructs
    /// a temporary and copies it.
    private var decoding: String {
        let lines = properties.enumerated().map { index, property in
            hasMemberwiseInitializer
                ? "    \(property.label): \(property.typedRead(index))"
                : "self.\(property.name) = \(property.read(index))"
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
        let lines = properties.enumerated().filter { !$1.column.isGenerated }.map { index, property in
            "try bindings.set(\(property.written), at: \(index)\(property.formArgument))"
        }
        return """
            \(prefix)func encode(to bindings: borrowing Strongroom.Bindings) throws {
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    private var updating: String {
        let lines = properties.enumerated().filter { !$1.isConstant }.map { index, property in
            "self.\(property.name) = \(property.read(index))"
        }
        return """
            \(prefix)mutating func _update(from row: borrowing Strongroom.Row) throws {
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
            \(prefix)static func _columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                \(lines.joined(separator: "\n    "))
                return nil
            }
            """
    }
}

extension PropertyModel {
    /// The expression that reads the property from a row.
    fileprivate func read(_ index: Int) -> String {
        guard column.scale == nil else { return scaledRead("\(index)") }
        if column.dateForm != nil {
            return "try row.\(isOptional ? "dateIfPresent" : "date")(at: \(index)\(formArgument))"
        }
        guard column.encoding != nil else { return "try row[\(index)]" }
        return "(try row[\(index)] as \(columnType))\(isOptional ? "?" : "").value"
    }

    /// The label of an initialiser's argument: as a label, all keywords but three can be used without backticks, and
    /// the compiler warns about unnecessary ones.
    fileprivate var label: String {
        let bare = name.filter { $0 != "`" }
        let isIdentifier = bare.first?.isNumber == false && bare.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isIdentifier && !["inout", "var", "let"].contains(bare) ? bare : name
    }

    /// The same for an initialiser that may be overloaded with the same labels.
    fileprivate func typedRead(_ index: Int) -> String {
        let isTyped = column.encoding != nil || column.scale != nil || column.dateForm != nil
        return isTyped ? read(index) : "\(read(index)) as \(typeText)"
    }

    /// The expression that reads a scaled decimal at an index.
    func scaledRead(_ index: String) -> String {
        "try row.\(isOptional ? "decimalIfPresent" : "decimal")(at: \(index)\(scaleArgument))"
    }

    /// The argument for the scale, if there is one.
    var scaleArgument: String { column.scale.map { ", scale: \($0)" } ?? "" }

    /// The argument for the scale or the date's form, if there is one.
    fileprivate var formArgument: String { column.dateForm.map { ", as: .\($0)" } ?? scaleArgument }

    /// The expression that is bound for the property.
    fileprivate var written: String {
        guard let encoding = column.encoding else { return "self.\(name)" }
        let wrapper = "Strongroom.\(encoding.rawValue)"
        return isOptional ? "self.\(name).map { \(wrapper)($0) }" : "\(wrapper)(self.\(name))"
    }
}
#endif

#if Macros
extension Refusal {
    static func notAStruct(_ macro: String) -> Refusal {
        Refusal("notAStruct", "@\(macro) can only be applied to a struct")
    }

    static func generic(_ macro: String) -> Refusal {
        Refusal("generic", "@\(macro) cannot be applied to a generic type: it cannot contain static columns")
    }

    static func severalProperties() -> Refusal {
        Refusal(
            "severalProperties",
            "Several properties in one declaration cannot be read as columns; declare each on its own")
    }

    static func pattern() -> Refusal {
        Refusal("pattern", "A pattern cannot be read as a column; declare each property on its own")
    }

    static func noType(_ property: String) -> Refusal {
        Refusal("noType", "The column '\(property)' needs a type annotation")
    }

    static func constant(_ property: String) -> Refusal {
        Refusal("constant", "The constant '\(property)' has its value already and cannot be read from a row")
    }

    static func lazy(_ property: String) -> Refusal {
        Refusal("lazy", "The lazy property '\(property)' cannot be a column")
    }

    static func unsuitableType(_ property: String, _ kind: String) -> Refusal {
        Refusal("unsuitableType", "The property '\(property)' is \(kind), which no column can store; mark it @Ignored")
    }

    static func ignoredWithoutValue(_ property: String) -> Refusal {
        Refusal("ignoredWithoutValue", "The ignored property '\(property)' needs a default value")
    }

    /// - Parameter value: The initial value.
    static func relationWithoutValue(_ property: String, _ attribute: String, _ value: String) -> Refusal {
        Refusal(
            "relationWithoutValue",
            "The property '\(property)' with @\(attribute) needs an initial value: '= \(value)'")
    }

    /// - Parameter other: The name of the attribute that excludes it from the table.
    static func columnAndIgnored(_ property: String, _ other: String) -> Refusal {
        Refusal("columnAndIgnored", "The property '\(property)' cannot be both @Column and @\(other)")
    }

    static func conditional() -> Refusal {
        Refusal("conditional", "A column cannot depend on '#if': every build must see the same table")
    }

    static func notALiteral(_ what: String) -> Refusal {
        Refusal("notALiteral", "\(what) must be a string literal without interpolation")
    }

    static func notABoolean(_ label: String) -> Refusal {
        Refusal("notABoolean", "'\(label)' must be 'true' or 'false', so that the macro can read it")
    }

    static func emptyName(_ what: String) -> Refusal {
        Refusal("emptyName", "\(what) must not be empty")
    }

    static func reservedTable(_ name: String) -> Refusal {
        Refusal(
            "reservedTable", "The table name '\(name)' is reserved; use one that does not begin with 'sqlite_'")
    }

    static func duplicateColumn(_ name: String) -> Refusal {
        Refusal(
            "duplicateColumn", "There are two columns named '\(name)'; the engine ignores the case of names")
    }

    static func noColumns(_ type: String) -> Refusal {
        Refusal("noColumns", "'\(type)' has no stored property that could be a column")
    }

    static func noKey(_ type: String) -> Refusal {
        Refusal(
            "noKey",
            "'\(type)' has no primary key: mark a property @Column(primaryKey: true), or add one that is named 'id'")
    }

    static func autoincrement(_ property: String) -> Refusal {
        Refusal("autoincrement", "Only a primary key of type Int or Int64 can autoincrement, not '\(property)'")
    }

    static func optionalKeyPart(_ property: String) -> Refusal {
        Refusal("optionalKeyPart", "'\(property)' is part of a key of several columns and cannot be optional")
    }

    static func encoding() -> Refusal {
        Refusal("encoding", "'as' must be '.json' or the form of a date, such as '.iso8601', written out here")
    }

    /// - Parameter form: The name of the date's form.
    static func formOfOtherType(_ property: String, _ form: String, _ type: String) -> Refusal {
        Refusal(
            "formOfOtherType", "Only a Date has the form '.\(form)', and '\(property)' is \(type); leave 'as' out")
    }

    static func formOfKey(_ property: String) -> Refusal {
        Refusal("formOfKey", "'\(property)' is part of the key, in which dates have no other form; leave 'as' out")
    }

    static func kept() -> Refusal {
        Refusal("kept", "'kept' must be '.version', '.created' or '.updated', so that the macro can read it")
    }

    static func keptOfOtherType(_ property: String, _ kept: String, _ type: String) -> Refusal {
        let wanted = kept == "version" ? "an Int or an Int64" : "a Date or a Date?"
        return Refusal(
            "keptOfOtherType",
            "'kept: .\(kept)' needs a variable that is \(wanted) and no part of the key, not '\(property): \(type)'")
    }

    static func keptTwice(_ kept: String) -> Refusal {
        Refusal("keptTwice", "Two columns are 'kept: .\(kept)'; a table keeps one")
    }

    /// - Parameter kind: What the type is.
    static func list(_ property: String, _ kind: String) -> Refusal {
        Refusal(
            "list",
            "The property '\(property)' is \(kind), which is no column value; store it with @Column(as: .json)")
    }

    static func scale() -> Refusal {
        Refusal("scale", "'scale' must be an integer literal from 0 to 18, the number of digits after the point")
    }

    static func scaleOfOtherType(_ property: String, _ type: String) -> Refusal {
        Refusal(
            "scaleOfOtherType",
            """
            Only a Decimal has a scale, and '\(property)' is \(type); write its type as Decimal, or leave the scale out
            """
        )
    }

    static func twoDefaults(_ property: String) -> Refusal {
        Refusal(
            "twoDefaults",
            "The default of '\(property)' differs from its initial value, which is the column's default; remove one")
    }

    static func twoMacros() -> Refusal {
        Refusal("twoMacros", "@Table makes the type a record, too; remove @Record")
    }

    static func storedProperties() -> Refusal {
        Refusal("storedProperties", "A table of another type's records has no columns of its own")
    }

    static func notAColumn(_ macro: String) -> Refusal {
        Refusal("notAColumn", "@\(macro) can only be applied to a stored property")
    }

    static func noInitializer(_ type: String) -> Refusal {
        Refusal("noInitializer", "'\(type)' needs an 'init()', which Stores.shared calls")
    }

    static func target(_ target: String) -> Refusal {
        Refusal("target", "No database name has the target '\(target)'; use the part before the first '_' or '.'")
    }

    static func configurationType() -> Refusal {
        Refusal("configurationType", "@Configuration can only be applied to a struct, an enum, a class or an actor")
    }
}
#endif

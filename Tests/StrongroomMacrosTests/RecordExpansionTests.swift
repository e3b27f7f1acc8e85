import Testing

@Suite("The expansion of @Record")
struct RecordExpansionTests {
    @Test func encodedAndGeneratedColumns() {
        expectExpansion(
            #"""
            @Record
            struct Page {
                @Column(as: .json) var settings: Settings
                @Column("extra", as: .propertyList) var more: [Extra]?
                @Column(generated: .stored("1 + 1")) let two: Int
            }
            """#,
            #"""
            struct Page {
                var settings: Settings
                var more: [Extra]?
                let two: Int
            }

            extension Page: Strongroom.Record {
                /// The typed columns.
                struct Columns: Swift.Sendable {
                    let settings = Strongroom.Column<Strongroom.JSON<Settings>>("settings")
                    let more = Strongroom.Column<Strongroom.PropertyList<[Extra]>?>("extra")
                    let two = Strongroom.Column<Int>("two", generated: .stored("1 + 1"))

                    init() {
                    }
                }

                static let columns = Columns()

                static let columnDefinitions: [Strongroom.ColumnDefinition] = [
                    columns.settings.definition,
                    columns.more.definition,
                    columns.two.definition,
                ]

                static let columnNames: [Swift.String] = ["settings", "extra", "two"]

                init(row: borrowing Strongroom.Row) throws {
                    self.init(
                        settings: (try row[0] as Strongroom.JSON<Settings>).value,
                        more: (try row[1] as Strongroom.PropertyList<[Extra]>?)?.value,
                        two: try row[2] as Int
                    )
                }

                func encode(to bindings: borrowing Strongroom.Bindings) throws {
                    try bindings.set(Strongroom.JSON(self.settings), at: 0)
                    try bindings.set(self.more.map {
                            Strongroom.PropertyList($0)
                        }, at: 1)
                }

                mutating func _update(from row: borrowing Strongroom.Row) throws {
                    self.settings = (try row[0] as Strongroom.JSON<Settings>).value
                    self.more = (try row[1] as Strongroom.PropertyList<[Extra]>?)?.value
                }

                static func columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                    if property == \Self.settings {
                        return "settings"
                    }
                    if property == \Self.more {
                        return "extra"
                    }
                    if property == \Self.two {
                        return "two"
                    }
                    return nil
                }
            }
            """#)
    }

    /// With one in the struct itself the compiler makes none; another macro may add one, too.
    @Test(arguments: [
        ("", "init() { name = \"\" }"), ("", "#if DEBUG\n    init() { name = \"\" }\n    #endif"),
        ("@MainActor ", "// Nothing."),
    ])
    func aRecordThatMayHaveAnInitialiserOfItsOwnIsReadColumnByColumn(attribute: String, member: String) {
        let declaration = """
            struct Card {
                var name: String
                \(member)
            }
            """
        expectExpansion(
            "@Record \(attribute)\(declaration)",
            """
            \(attribute)\(declaration)

            extension Card: Strongroom.Record {
                /// The typed columns.
                struct Columns: Swift.Sendable {
                    let name = Strongroom.Column<String>("name")

                    init() {
                    }
                }

                static let columns = Columns()

                static let columnDefinitions: [Strongroom.ColumnDefinition] = [
                    columns.name.definition,
                ]

                static let columnNames: [Swift.String] = ["name"]

                init(row: borrowing Strongroom.Row) throws {
                    self.name = try row[0]
                }

                func encode(to bindings: borrowing Strongroom.Bindings) throws {
                    try bindings.set(self.name, at: 0)
                }

                mutating func _update(from row: borrowing Strongroom.Row) throws {
                    self.name = try row[0]
                }

                static func columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                    if property == \\Self.name {
                        return "name"
                    }
                    return nil
                }
            }
            """)
    }
}

import Testing

@Suite("The expansion of @Table")
struct TableExpansionTests {
    @Test func aKeyOfSeveralColumnsEncodedAndGeneratedOnes() {
        expectExpansion(
            #"""
            @Table("page")
            struct Page {
                @Column(primaryKey: true) let book: Int64
                @Column(primaryKey: true) var number: Int
                @Column(as: .json) var settings: Settings
                @Column("extra", as: .json) var more: [Extra]?
                @Column(generated: .stored("1 + 1")) let two: Int
            }
            """#,
            #"""
            struct Page {
                let book: Int64
                var number: Int
                var settings: Settings
                var more: [Extra]?
                let two: Int
            }

            extension Page: Strongroom.Table, Strongroom.Record {
                /// The typed columns.
                struct Columns: Swift.Sendable {
                    let book = Strongroom.Column<Int64>("book", primaryKey: true)
                    let number = Strongroom.Column<Int>("number", primaryKey: true)
                    let settings = Strongroom.Column<Strongroom.JSON<Settings>>("settings")
                    let more = Strongroom.Column<Strongroom.JSON<[Extra]>?>("extra")
                    let two = Strongroom.Column<Int>("two", generated: .stored("1 + 1"))

                    init() {
                    }
                }

                static let columns = Columns()

                static let _columnDefinitions: [Strongroom.ColumnDefinition] = [
                    columns.book.definition,
                    columns.number.definition,
                    columns.settings.definition,
                    columns.more.definition,
                    columns.two.definition,
                ]

                static let columnNames: [Swift.String] = ["book", "number", "settings", "extra", "two"]

                static let schema = Strongroom.TableSchema(
                    "page",
                    columns.book,
                    columns.number,
                    columns.settings,
                    columns.more,
                    columns.two,
                    indexes: indexes
                )

                /// The primary key.
                struct Key: Strongroom.TableKey, Swift.Hashable {
                    var book: Int64
                    var number: Int

                    init(book: Int64, number: Int) {
                        self.book = book
                        self.number = number
                    }

                    static var columnCount: Swift.Int {
                        2
                    }

                    init(from row: borrowing Strongroom.Row, at index: Swift.Int) throws {
                        self.book = try row[index + 0]
                        self.number = try row[index + 1]
                    }

                    func bind(to bindings: borrowing Strongroom.Bindings, at index: Swift.Int) throws {
                        try bindings.set(self.book, at: index + 0)
                        try bindings.set(self.number, at: index + 1)
                    }
                }

                static func key(of record: Self) -> Key? {
                    Key(book: record.book, number: record.number)
                }

                static func setKey(_ key: Key, of record: inout Self) {
                    record.number = key.number
                }

                init(row: borrowing Strongroom.Row) throws {
                    self.init(
                        book: try row[0] as Int64,
                        number: try row[1] as Int,
                        settings: (try row[2] as Strongroom.JSON<Settings>).value,
                        more: (try row[3] as Strongroom.JSON<[Extra]>?)?.value,
                        two: try row[4] as Int
                    )
                }

                func encode(to bindings: borrowing Strongroom.Bindings) throws {
                    try bindings.set(self.book, at: 0)
                    try bindings.set(self.number, at: 1)
                    try bindings.set(Strongroom.JSON(self.settings), at: 2)
                    try bindings.set(self.more.map {
                            Strongroom.JSON($0)
                        }, at: 3)
                }

                mutating func _update(from row: borrowing Strongroom.Row) throws {
                    self.number = try row[1]
                    self.settings = (try row[2] as Strongroom.JSON<Settings>).value
                    self.more = (try row[3] as Strongroom.JSON<[Extra]>?)?.value
                }

                static func _columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                    if property == \Self.book {
                        return "book"
                    }
                    if property == \Self.number {
                        return "number"
                    }
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
}

@Suite("The expansion of @Record")
struct RecordExpansionTests {
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

                static let _columnDefinitions: [Strongroom.ColumnDefinition] = [
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

                static func _columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                    if property == \\Self.name {
                        return "name"
                    }
                    return nil
                }
            }
            """)
    }
}

@Suite("The expansion of @Configuration")
struct ConfigurationExpansionTests {
    private static let target = """


            public static var target: Swift.String {
                "addressbook"
            }
        """

    /// A target that is there stays.
    @Test(arguments: [
        ("public struct", "", target), ("final class", "\n    static let target = \"addressbook\"\n    init() {}", ""),
    ])
    func aTargetIsAddedIfThereIsNone(kind: String, members: String, added: String) {
        expectExpansion(
            "@Configuration(\"addressbook\")\n\(kind) AddressBook {\(members)\n}",
            """
            \(kind) AddressBook {\(members)\(added)

                #if objectFormat(MachO)
                @section("__DATA_CONST,strongroom_cfg")
                @used
                private static let strongroomConfigurationEntry: Strongroom._ConfigurationEntry.Writer = {
                    Strongroom._ConfigurationEntry.write({
                            AddressBook()
                        }, to: $0)
                }
                #elseif objectFormat(ELF)
                @section("strongroom_cfg")
                @used
                private static let strongroomConfigurationEntry: Strongroom._ConfigurationEntry.Writer = {
                    Strongroom._ConfigurationEntry.write({
                            AddressBook()
                        }, to: $0)
                }
                #endif
            }

            extension AddressBook: Strongroom.Configuration {
            }
            """)
    }
}

import Testing

@Suite("The expansion of initial values, forms of dates and kept columns")
struct InitialValueExpansionTests {
    @Test func aRecord() {
        expectExpansion(
            #"""
            @Record
            struct Entry {
                var text = "a \"b\""
                var share: Double? = -1.5
                var level: Level = .none
                var other: Level? = Level.high
                var day: Date = .now
                @Column(default: 3) var both = 3
                @Column("v", kept: .version) var version = 0
                @Column("made", kept: .created, as: .since1970(.milliseconds)) var created: Date?
            }
            """#,
            #"""
            struct Entry {
                var text = "a \"b\""
                var share: Double? = -1.5
                var level: Level = .none
                var other: Level? = Level.high
                var day: Date = .now
                var both = 3
                var version = 0
                var created: Date?
            }

            extension Entry: Strongroom.Record {
                /// The typed columns.
                struct Columns: Swift.Sendable {
                    let text = Strongroom.Column<Swift.String>("text", initial: "a \"b\"")
                    let share = Strongroom.Column<Double?>("share", initial: -1.5)
                    let level = Strongroom.Column<Level>("level", initial: Level.none)
                    let other = Strongroom.Column<Level?>("other", initial: Level.high)
                    let day = Strongroom.Column<Date>("day")
                    let both = Strongroom.Column<Swift.Int>("both", default: 3)
                    let version = Strongroom.Column<Swift.Int>("v", initial: 0)
                    let created = Strongroom.Column<Date?>("made", as: .since1970(.milliseconds))

                    init() {
                        Strongroom.ColumnDefinition._requireColumnValue(Level.self)
                    }
                }

                static let columns = Columns()

                static let columnDefinitions: [Strongroom.ColumnDefinition] = [
                    columns.text.definition,
                    columns.share.definition,
                    columns.level.definition,
                    columns.other.definition,
                    columns.day.definition,
                    columns.both.definition,
                    columns.version.definition,
                    columns.created.definition,
                ]

                static let columnNames: [Swift.String] = ["text", "share", "level", "other", "day", "both", "v", "made"]

                static let upkeep: Strongroom.RecordUpkeep<Self>? = Strongroom.RecordUpkeep<Self>()
                        .version(\Self.version, "v")
                        .created(\Self.created, "made")

                init(row: borrowing Strongroom.Row) throws {
                    self.init(
                        text: try row[0] as Swift.String,
                        share: try row[1] as Double?,
                        level: try row[2] as Level,
                        other: try row[3] as Level?,
                        day: try row[4] as Date,
                        both: try row[5] as Swift.Int,
                        version: try row[6] as Swift.Int,
                        created: try row.dateIfPresent(at: 7, as: .since1970(.milliseconds))
                    )
                }

                func encode(to bindings: borrowing Strongroom.Bindings) throws {
                    try bindings.set(self.text, at: 0)
                    try bindings.set(self.share, at: 1)
                    try bindings.set(self.level, at: 2)
                    try bindings.set(self.other, at: 3)
                    try bindings.set(self.day, at: 4)
                    try bindings.set(self.both, at: 5)
                    try bindings.set(self.version, at: 6)
                    try bindings.set(self.created, at: 7, as: .since1970(.milliseconds))
                }

                mutating func _update(from row: borrowing Strongroom.Row) throws {
                    self.text = try row[0]
                    self.share = try row[1]
                    self.level = try row[2]
                    self.other = try row[3]
                    self.day = try row[4]
                    self.both = try row[5]
                    self.version = try row[6]
                    self.created = try row.dateIfPresent(at: 7, as: .since1970(.milliseconds))
                }

                static func columnName(of property: Swift.PartialKeyPath<Self>) -> Swift.String? {
                    if property == \Self.text {
                        return "text"
                    }
                    if property == \Self.share {
                        return "share"
                    }
                    if property == \Self.level {
                        return "level"
                    }
                    if property == \Self.other {
                        return "other"
                    }
                    if property == \Self.day {
                        return "day"
                    }
                    if property == \Self.both {
                        return "both"
                    }
                    if property == \Self.version {
                        return "v"
                    }
                    if property == \Self.created {
                        return "made"
                    }
                    return nil
                }
            }
            """#)
    }
}

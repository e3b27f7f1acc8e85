import GRDB
import TestData

/// A child of an entry.
struct Visit: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "visit"

    var id: Int64?
    var entry: Int64
    var minutes: Int64
}

extension Entry {
    static let visits = hasMany(Visit.self, using: ForeignKey(["entry"]))
}

/// An entry with aggregates of its children.
private struct EntryVisits: Decodable, FetchableRecord {
    var entry: Entry
    var visits: Int64
    var longest: Int64?
}

/// A group of an entry's children.
private struct EntryGroup: Decodable, FetchableRecord {
    var name: String
    var visits: Int64
    var longest: Int64?
}

extension Worker {
    static func matches(_ db: Database) throws -> Summary {
        let entry = TableAlias()
        let visits = Visit.filter(
            Column("entry") == entry[Column("id")] && Column("minutes") > TestVisit.limit)
        var summary = Summary()
        for entry in try Entry.aliased(entry).filter(visits.exists()).fetchAll(db) { summary.add(entry) }
        return summary
    }

    static func groups(_ db: Database) throws -> Summary {
        let rows = try EntryGroup.fetchAll(
            db,
            sql: """
                SELECT entry.name, count(visit.id) AS visits, max(visit.minutes) AS longest \
                FROM entry JOIN visit ON entry.id = visit.entry \
                GROUP BY entry.id HAVING max(visit.minutes) > ?
                """,
            arguments: [TestVisit.limit])
        return rows.reduce(into: Summary()) { summary, row in
            summary.add(name: row.name, count: row.visits, longest: row.longest)
        }
    }

    static func aggregates(_ db: Database) throws -> Summary {
        let request = Entry.annotated(
            with: Entry.visits.count.forKey("visits"), Entry.visits.max(Column("minutes")).forKey("longest")
        )
        .order(Column("id"))
        let rows = try EntryVisits.fetchAll(db, request)
        return rows.reduce(into: Summary()) { summary, row in
            summary.add(row.entry)
            summary.sum += row.visits + (row.longest ?? 0)
        }
    }
}

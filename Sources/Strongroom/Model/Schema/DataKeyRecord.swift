import Foundation

/// When a file got its data key, recorded in the file, as the name of the database is.
///
/// The record names its data key: a restore or an interrupted rotation can give the file another one, whose age is not
/// known then.
struct DataKeyRecord: Sendable, Equatable {
    static let view = "strongroom_data_key"

    /// The identifier of the data key, in hexadecimal digits.
    let identifier: String
    /// In seconds since 1970.
    let created: Int64

    init(_ dataKey: DataKeys, date: Date = .now) {
        identifier = dataKey.identifier.hexadecimal
        created = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
    }

    /// - Parameter text: The text of a view; nil is returned for one that is not a record.
    fileprivate init?(text: String) {
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, let created = parts[2].split(separator: " ").dropFirst(2).first.flatMap({ Int64($0) })
        else { return nil }
        (identifier, self.created) = (String(parts[1]), created)
        guard self.text == text else { return nil }
    }

    fileprivate var text: String {
        "CREATE VIEW \(Self.view) AS SELECT '\(identifier)' AS identifier, \(created) AS created"
    }

    /// Nil if it is in the future, as after the clock was wrong.
    func date(by now: Date = .now) -> Date? {
        let date = Date(timeIntervalSince1970: TimeInterval(created))
        return date > now + 60 ? nil : date
    }

    /// Whether the data key is at least so many days old, 1 or more. One whose date is in the future is not: with a
    /// clock that is wrong at times, each opening would replace it.
    func isOlder(thanDays days: Int, by now: Date = .now) -> Bool {
        date(by: now).map { now.timeIntervalSince($0) >= TimeInterval(max(1, days)) * 86_400 } ?? false
    }
}

extension Connection {
    /// The record of a data key of the file, inside a transaction; nil if there is none, or that of another one.
    func recorded(_ dataKey: DataKeys) throws -> DataKeyRecord? {
        guard let record = try schemaText(of: .view, DataKeyRecord.view).flatMap(DataKeyRecord.init(text:)),
            record.identifier == dataKey.identifier.hexadecimal
        else { return nil }
        return record
    }

    /// Records when the file got a data key in place of the previous record.
    func record(_ dataKey: DataKeyRecord) throws { try replaceView(DataKeyRecord.view, dataKey.text) }
}

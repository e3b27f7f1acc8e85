/// The outcome for one database when a family is rotated.
public struct FamilyRotation: Sendable {
    /// The database.
    public let name: DatabaseName
    /// The report of the rotation, or the error.
    public let result: Result<RotationReport, any Error>
}

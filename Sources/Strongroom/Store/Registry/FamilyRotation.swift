/// What became of one database when a family was rotated.
public struct FamilyRotation: Sendable {
    /// The database.
    public let name: DatabaseName
    /// What was done, or why it was not.
    public let result: Result<RotationReport, any Error>
}

/// The outcome for one database when the same is done to many.
public struct FamilyOutcome<T: Sendable>: Sendable {
    /// The database.
    public let name: DatabaseName
    /// What was done, or the error.
    public let result: Result<T, any Error>
}

/// The outcome for one database when a family is rotated.
public typealias FamilyRotation = FamilyOutcome<RotationReport>

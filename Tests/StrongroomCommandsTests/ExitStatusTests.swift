import Strongroom
import StrongroomCommands
import Testing

struct ExitStatusTests {
    @Test("The numbers that scripts rely on do not change")
    func numbers() {
        let numbers = ExitStatus.allCases.map { "\($0) \($0.rawValue)" }
        #expect(
            numbers == [
                "success 0", "failure 1", "usage 64", "dataError 65", "noInput 66", "unavailable 69", "software 70",
                "cannotCreate 73", "inputOutput 74", "temporaryFailure 75", "noPermission 77", "configuration 78",
                "interrupted 130",
            ])
    }

    @Test(
        "The number of a failure of the library does not change either",
        arguments: [
            (StrongroomCommands.ExitStatus.usage, "alreadyOpen invalidArgument invalidName keySlot notAuthorized sql"),
            (
                .dataError,
                """
                constraint copyDamaged damaged damagedLog emptyFile envelopeDamaged newerEnvelope newerReplica \
                newerSchema notADatabase notSupported plaintextHeader replicaDamaged \
                replicaIncomplete truncated writeRefused
                """
            ),
            (.noInput, "fileMissing notAFile replicaMissing"), (.unavailable, "notSQLCipher"),
            (.cannotCreate, "exists"),
            (.inputOutput, "diskFull inputOutput objectStoreUnreachable outcomeUnknown"),
            (.temporaryFailure, "busy locked notOwner tooManyOpenFiles"),
            (.noPermission, "permissionDenied unsafeFile"),
            (
                .configuration,
                """
                duplicateConfiguration encryptedFile envelopeMissing foreignEnvelope invalidKey invalidMigrator \
                invalidSetting keySource noConfiguration notDeclared notReplicable objectStore otherDatabase \
                otherMigrations otherReplica plaintextFile wrongKey
                """
            ),
        ])
    func codes(status: StrongroomCommands.ExitStatus, names: String) {
        let found = StrongroomError.Code.all.filter { StrongroomCommands.ExitStatus($0) == status }.map(\.description)
            .sorted()
        #expect(found.joined(separator: " ") == names)
    }
}

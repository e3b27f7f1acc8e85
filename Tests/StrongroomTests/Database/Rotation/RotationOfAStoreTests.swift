import Foundation
import StrongroomTesting
import Testing

// Internal: that no connection is open cannot be seen through the public interface.
@testable import Strongroom

@Suite("Rotation of an open store", .ending)
struct RotationOfAStoreTests {
    @Table("line", in: "vault.sqlite")
    struct Line {
        @Column(primaryKey: true) var text: String
    }

    private let directory = TemporaryDirectory.ofSuite()
    private let numbers = Locked<[UInt8]>([1])
    private var vault: Vault { Vault(directory.path(""), numbers: numbers) }

    init() async throws { try await vault.keep("first") }

    private func vault(_ numbers: UInt8...) -> Vault { Vault(directory.path(""), numbers: numbers) }

    @Test func aKeyThatCameLaterIsTakenWhileTheStoreIsUsed() async throws {
        let store = try await vault.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<25 {
                        try await store.write { db in
                            try db.execute("INSERT INTO line VALUES (\("\(writer):\(number)"))")
                        }
                        #expect(try await store.lines().contains("\(writer):\(number)"))
                    }
                }
            }
            for number in 2...4 as ClosedRange<UInt8> {
                numbers.withLock { $0.append(number) }
                let report = try await store.rotate()
                #expect(report.isRotated && report.from == Int(number) - 2 && report.to == Int(number) - 1)
            }
            try await group.waitForAll()
        }
        #expect(try await store.rotate().method == .unchanged)
        try await store.close()
        #expect(try await vault(4).lines().count == 101)
        try await expectFailure(.wrongKey) { try await vault(1, 2, 3).open() }
        #expect(try DirectorySnapshot(directory.path("")).names == ["vault.sqlite"])
    }

    @Test func aStreamIsReadToItsEndBeforeTheFileIsRewritten() async throws {
        let store = try await vault.open()
        // More lines than a stream keeps in memory at one time.
        try await store.write { db in
            for number in 1...20_000 { try db.execute("INSERT INTO line VALUES (\("g\(number)"))") }
        }
        numbers.withLock { $0.append(2) }
        var stream = store.stream(Line.order { $0.text.ascending }).makeAsyncIterator()
        #expect(try await stream.next()?.text == "first")
        try await expectFailure(.timedOut, saying: "rotation") { try await store.rotate(timeout: .milliseconds(20)) }
        async let report = store.rotate()
        // It does not wait forever for a nested read: until the rotation waits for the stream, and a while longer.
        for _ in 0..<5 { #expect(try await store.lines().first == "first") }
        var rest = 0
        while try await stream.next() != nil { rest += 1 }
        #expect(rest == 20_000)
        #expect(try await report.isRotated)
        try await store.close()
        #expect(try await vault(2).lines().count == 20_001)
    }

    @Test func progressIsToldInOrderAndToTheEnd() async throws {
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        let told = Locked<[WorkProgress]>([])
        try await store.rotate { progress in told.withLock { $0.append(progress) } }
        let all = told.withLock { $0 }
        let order: [WorkProgress.Phase] = [.waiting, .checking, .writing, .verifying]
        let phases = all.compactMap { order.firstIndex(of: $0.phase) }
        #expect(phases == phases.sorted() && phases.contains(2) && phases.contains(3))
        let end = all.last { $0.phase == .writing }
        #expect(end.map { $0.done == $0.total && $0.total > 0 } == true, "\(all)")
        try await store.close()
    }

    @Test(arguments: [WorkProgress.Phase.writing, .verifying])
    func aCancelledRotationLeavesTheFileAndTheStoreAsTheyWere(phase: WorkProgress.Phase) async throws {
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        await expectCancelled(at: phase) { report in try await store.rotate { report($0) } }
        // Otherwise reads and writes would wait for each other.
        let mode = try await store.pool.perform(.read) { try $0.ownValue("PRAGMA journal_mode") }
        #expect(mode == .text("wal"))
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        #expect(try await store.lines() == ["first", "after"])
        try await store.close()
        #expect(try await vault(1).lines() == ["first", "after"])
        #expect(try DirectorySnapshot(directory.path("")).names == ["vault.sqlite"])
    }

    @Test func whereItIsNeverRotatedItIsRefused() async throws {
        let store = try await vault.with(\.settings.rotation, .never).open()
        numbers.withLock { $0.append(2) }
        try await expectFailure(.notDeclared) { try await store.rotate() }
        try await store.close()
        try await expectFailure(.closed) { try await vault.using { $0 }.rotate() }
    }

    @Test func aRotationWithoutTheFilesKeyTellsSoAndTheStoreGoesOn() async throws {
        let store = try await vault.open()
        numbers.withLock { $0 = [8, 9] }
        try await expectFailure(.wrongKey) { try await store.rotate() }
        numbers.withLock { $0 = [1] }
        #expect(try await store.lines() == ["first"])
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('after')") }
        try await store.close()
    }

    // MARK: Other processes

    @Test func aRotationByAnotherProcessIsNotNoticed() async throws {
        let store = try await vault.open()
        #expect(try await store.lines() == ["first"])
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let other = try await Vault(root, keys: .numbered(1), .numbered(2)).open()
            #expect(other.openReport.rotation?.method == .inPlace)
            #expect(other.openReport.key?.isCurrent == true)
            try await other.write { db in try db.execute("INSERT INTO line VALUES ('from there')") }
            try await other.close()
        }
        numbers.withLock { $0.append(2) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let found = try await store.lines()
                    #expect(found.prefix(2) == ["first", "from there"])
                }
                group.addTask {
                    let line = "from here \(number)"
                    try await store.write { db in try db.execute("INSERT INTO line VALUES (\(line))") }
                }
            }
            try await group.waitForAll()
        }
        _ = try await onThread {
            try store.write { db in try db.execute("INSERT INTO line VALUES ('blocking')") }
        }
        #expect(try await store.lines().count == 11)
        try await store.close()
        #expect(try await vault(2).lines().count == 11)
        try await expectFailure(.wrongKey) { try await vault(1).open() }
    }

    @Test func withoutTheNewKeyAStoreSaysSoAndFindsItOnceItIsThere() async throws {
        let store = try await vault.open()
        await #expect(processExitsWith: .success) { [root = vault.directory as String] in
            let other = try await Vault(root, keys: .numbered(1), .numbered(2)).open()
            #expect(other.openReport.rotation?.isRotated == true)
            try await other.close()
        }
        try await expectFailure(.wrongKey) { try await store.lines() }
        try await expectFailure(.wrongKey) {
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('no')") }
        }
        numbers.withLock { $0.append(2) }
        #expect(try await store.lines() == ["first"])
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('yes')") }
        try await store.close()
        #expect(try await vault(2).lines() == ["first", "yes"])
    }

    #if os(Linux)
    @Test(arguments: [false, true])
    func aProgramThatHasAFileOpenWithoutALogIsNotLeftWithTheOldOne(isPlaintext: Bool) async throws {
        let place = try TemporaryDirectory()
        let made = try SourceFile(Vault(place.path(""), keys: .numbered(1)), key: isPlaintext ? nil : .numbered(1))
        let salt = try FileContent.of(made.vault.path).salt
        let key = try salt.map { try DerivedKey(.numbered(1), salt: $0, settings: .engineDefault()) }
        // It has read, holds no lock, and will go on.
        let idle = try DatabaseFile(path: made.vault.path, name: "idle", busyTimeout: 0, log: nil)
            .connect(.existing, key: key)
        #expect(try idle.ownValue("SELECT count(*) FROM line") == .integer(6))
        await #expect(processExitsWith: .success) {
            [root = place.path("") as String, parent = getpid() as Int32, isPlaintext = isPlaintext as Bool] in
            let first: Key = isPlaintext ? .plaintext : .numbered(1)
            var vault = Vault(root, keys: first, .numbered(2)).with(\.migrator, nil)
            vault.settings.openTimeout = .seconds(2)
            guard isPlaintext else {
                return #expect(try await vault.using { $0.openReport.rotation?.method } == .inPlace)
            }
            try await expectFailure(.locked, saying: "process \(parent)") { [vault] in try await vault.open() }
        }
        if isPlaintext {
            #expect(try idle.ownValue("SELECT count(*) FROM line") == .integer(6))
        } else {
            #expect(throws: StrongroomError.self) { try idle.ownValue("SELECT count(*) FROM line") }
        }
        idle.close()
    }

    @Test func twoRotationsAtOnceAreOneAfterTheOther() async throws {
        var patient = vault
        // A program that another test starts at this moment has the lock until it begins to run, so not zero.
        patient.settings.openTimeout = .milliseconds(200)
        let store = try await patient.open()
        numbers.withLock { $0.append(2) }
        let (second, isFirst) = (Locked<Task<RotationReport, any Error>?>(nil), Once())
        let first = try await store.rotate { progress in
            guard progress.phase == .verifying else { return }
            guard isFirst() else { return }
            let hasBegun = Moment()
            second.withLock { second in
                second = Task {
                    hasBegun.come()
                    return try await store.rotate()
                }
            }
            try? hasBegun.block()
            // Longer than the second one would wait for the lock.
            Thread.sleep(forTimeInterval: 0.4)
        }
        #expect(first.isRotated)
        let task = try #require(second.withLock { $0 })
        #expect(try await task.value.method == .unchanged)
        try await store.close()
    }

    /// As one that this process is starting has everything open for a moment that this one has.
    @Test func aProgramThatSoonLetsGoOfTheFileIsWaitedFor() async throws {
        let program = Process()
        program.executableURL = URL(filePath: "/bin/sh")
        program.arguments = ["-c", "exec 3<\"$0\"; exec sleep 600", vault.path]
        try program.run()
        defer { program.terminate() }
        try await eventually { (try? FileHolders.withOpenFile(vault.path).isEmpty) == false }
        let store = try await vault.open()
        numbers.withLock { $0.append(2) }
        let report = try await store.rotate { [pid = program.processIdentifier] progress in
            if progress.phase == .waiting { kill(pid, SIGKILL) }
        }
        #expect(report.method == .copy)
        try await store.close()
    }
    #endif

    @Test func operationsThatNeedExclusiveAccessNameTheHolder() async throws {
        let store = try await vault.open()
        #expect(try await store.lines() == ["first"])
        await #expect(processExitsWith: .success) { [root = vault.directory as String, parent = getpid() as Int32] in
            var other = CipherSettings.sqlCipher3
            other.pageSize = 2_048
            var vault = Vault(root, keys: .numbered(1))
            // A process that another test is about to start has the lock file open for a moment.
            vault.settings.openTimeout = .seconds(2)
            vault.ciphers = [try CipherSettings.engineDefault(), other]
            let report = try await vault.keep("still on the former settings")
            let failure = try #require(report.rotationFailure)
            #expect(failure.code == .locked && report.rotation == nil)
            #if os(Linux)
            #expect(failure.message.contains("process \(parent)"))
            #endif
            try await vault.using { store in
                try await expectFailure(.locked) { try await store.rotate() }
                try await store.write { db in try db.execute("INSERT INTO line VALUES ('and goes on')") }
            }
        }
        #expect(try await store.lines() == ["first", "still on the former settings", "and goes on"])
        try await store.close()
    }
}

import Foundation
import Strongroom
import Testing

@testable import StrongroomS3

@Suite(.timeLimit(.minutes(2))) struct RenewalTests {
    @Test func `credentials are renewed before their end, and requests go on with the old ones meanwhile`() async throws
    {
        let gate = Gate()
        let source = CredentialSourceFixture { number, now in
            if number == 2 { await gate.wait() }
            return .numbered(number, until: now + 3_600)
        }
        let credentials = source.credentials
        #expect(try await credentials.credentials().accessKey == "1")
        source.pass(3_600 - 460)
        #expect(try await credentials.credentials().accessKey == "1")
        #expect(source.requests == 1)
        source.pass(170)
        for _ in 1...3 { #expect(try await credentials.credentials().accessKey == "1") }
        #expect(try await eventually { source.requests == 2 })
        gate.open()
        #expect(try await eventually { try await credentials.credentials().accessKey == "2" })
        #expect(source.requests == 2)
    }

    @Test func `tasks that wait share one renewal, and one that is cancelled leaves the others`() async throws {
        let gate = Gate()
        let source = CredentialSourceFixture { number, now in
            await gate.wait()
            return .numbered(number, until: now + 3_600)
        }
        let credentials = source.credentials
        let isCancelled = Shared(false)
        let cancelled = Task {
            await #expect(throws: CancellationError.self) { try await credentials.credentials() }
            isCancelled.withLock { $0 = true }
        }
        let tasks = (1...50).map { _ in Task { try await credentials.credentials().accessKey } }
        #expect(try await eventually { source.requests == 1 })
        cancelled.cancel()
        #expect(try await eventually { isCancelled.withLock { $0 } })
        gate.open()
        for task in tasks { #expect(try await task.value == "1") }
        #expect(source.requests == 1)
    }

    @Test func `the old credentials are used while renewals fail, with warnings, and then there is an error`()
        async throws
    {
        let source = CredentialSourceFixture { number, now in
            guard number == 1 else { throw StrongroomError(.objectStoreUnreachable, "The source is away.") }
            return .numbered(1, until: now + 3_600)
        }
        let credentials = source.credentials
        _ = try await credentials.credentials()
        source.pass(3_600 - 200)
        #expect(try await credentials.credentials().accessKey == "1")
        #expect(try await eventually { source.warnings.withLock { $0.count } == 1 })
        // The pause after a failure.
        #expect(try await credentials.credentials().accessKey == "1")
        #expect(source.requests == 2)
        source.pass(2)
        #expect(try await credentials.credentials().accessKey == "1")
        #expect(try await eventually { source.warnings.withLock { $0.count } == 2 })

        source.pass(300)
        let error = await #expect(throws: StrongroomError.self) { try await credentials.credentials() }
        #expect(error?.code == .objectStoreUnreachable)
        #expect(error?.message.contains("The credentials of the fixture ended at 2027-01-15T09:00:00Z") == true)
        let log = source.warnings.withLock { $0.joined() }
        #expect(log.contains("the fixture") && log.contains("The source is away."))
        #expect(!log.contains("secret-of") && !log.contains("token"))
        #expect(!"\(credentials)".contains("secret") && !String(reflecting: credentials).contains("secret"))
    }

    @Test func `credentials that the service refuses are renewed at once, by one of the tasks`() async throws {
        let source = CredentialSourceFixture { number, now in .numbered(number, until: now + 3_600) }
        let credentials = source.credentials
        let refused = try await credentials.credentials()
        try await withThrowingTaskGroup { group in
            for _ in 1...20 { group.addTask { try await credentials.renewed(after: refused).accessKey } }
            for try await key in group { #expect(key == "2") }
        }
        #expect(source.requests == 2)
    }

    @Test func `a source without newer credentials is not asked for each refusal`() async throws {
        let source = CredentialSourceFixture { _, _ in .numbered(1) }
        let credentials = source.credentials
        let refused = try await credentials.credentials()
        for _ in 1...5 { #expect(try await credentials.renewed(after: refused).isSame(as: refused)) }
        #expect(source.requests == 2)
        source.pass(11)
        _ = try await credentials.renewed(after: refused)
        #expect(source.requests == 3)
    }

    @Test func `refused credentials are not used while their renewal fails`() async throws {
        let source = CredentialSourceFixture { number, now in
            guard number == 1 else { throw StrongroomError(.objectStore, "No.") }
            return .numbered(1, until: now + 3_600)
        }
        let credentials = source.credentials
        let refused = try await credentials.credentials()
        let error = await #expect(throws: StrongroomError.self) { try await credentials.renewed(after: refused) }
        #expect(error?.message.contains("are refused by the service") == true)
        await #expect(throws: StrongroomError.self) { try await credentials.credentials() }
        #expect(source.requests == 2)
    }

    @Test func `credentials that have ended on arrival name both clocks`() async throws {
        let source = CredentialSourceFixture { number, now in .numbered(number, until: now - 1) }
        let error = await #expect(throws: StrongroomError.self) { try await source.credentials.credentials() }
        #expect(error?.code == .objectStore)
        #expect(error?.message.contains("2027-01-15T07:59:59Z") == true)
        #expect(error?.message.contains("this machine is at 2027-01-15T08:00:00Z") == true)
    }

    @Test func `a clock that is put back does not stop renewals`() {
        var renewal = CredentialRenewal()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect("\(renewal.ask(at: now))" == "renew(nil)")
        renewal.end(.failure(StrongroomError(.objectStore, "No.")), at: now, jitter: 1)
        #expect("\(renewal.ask(at: now))".hasPrefix("fail"))
        #expect("\(renewal.ask(at: now - 86_400))" == "renew(nil)")
    }

    @Test func `of a closure's error only the type is told`() async throws {
        struct Refusal: Error { let text = "TOP-SECRET" }
        let credentials = S3RenewingCredentials("Vault") { throw Refusal() }
        let error = await #expect(throws: StrongroomError.self) { try await credentials.credentials() }
        #expect(error?.message.contains("Refusal") == true && error?.message.contains("TOP-SECRET") == false)
    }
}

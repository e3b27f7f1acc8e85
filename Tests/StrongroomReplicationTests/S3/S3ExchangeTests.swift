import Testing

// The machine decides without I/O; its times are given.
@testable import StrongroomReplication

@Suite struct S3ExchangeTests {
    private let start = ContinuousClock.now

    private func exchange(body: Int = 0) -> S3Exchange {
        S3Exchange(timeout: .seconds(10), bodyCount: body, now: start)
    }

    private func failure(_ exchange: S3Exchange) -> S3Failure? {
        guard case .failure(let failure) = exchange.outcome else { return nil }
        return failure
    }

    @Test func `progress moves the deadline`() {
        var exchange = exchange(body: 1 << 20)
        #expect(exchange.deadline == start + .seconds(10))
        exchange.didSend(1000, now: start + .seconds(5))
        #expect(exchange.deadline == start + .seconds(15))
        exchange.didReceive(status: 200, headers: [:], now: start + .seconds(9))
        #expect(exchange.deadline == start + .seconds(19))
    }

    @Test func `progress without an end does not move the deadline for ever`() {
        var exchange = exchange(body: S3Exchange.slowestRate * 3)
        exchange.didSend(1, now: start + .seconds(12))
        #expect(exchange.deadline == start + .seconds(13))
        let isEarly = exchange.expire(now: start + .seconds(12))
        let isDue = exchange.expire(now: start + .seconds(13))
        #expect(!isEarly && isDue)
    }

    @Test func `a time-out before the whole body was sent cannot have created an object`() {
        for (sent, mayHaveArrived) in [(0, false), (99, false), (100, true)] {
            var exchange = exchange(body: 100)
            if sent > 0 { exchange.didSend(sent, now: start) }
            let isExpired = exchange.expire(now: start + .seconds(60))
            #expect(isExpired)
            exchange.complete(("cancelled", false))
            #expect(failure(exchange)?.mayHaveArrived == mayHaveArrived)
        }
    }

    @Test func `a body shorter or longer than announced is a failure`() {
        for (bytes, isWhole) in [([1, 2], false), ([1, 2, 3], true), ([1, 2, 3, 4], false)] as [([UInt8], Bool)] {
            var exchange = exchange()
            exchange.didReceive(status: 200, headers: ["content-length": "3"], now: start)
            exchange.didReceive(bytes, now: start)
            exchange.complete(nil)
            #expect((failure(exchange) == nil) == isWhole)
        }
    }

    @Test func `the first outcome stays`() {
        var exchange = exchange()
        exchange.end(.cancelled)
        exchange.complete(("lost", false))
        #expect(failure(exchange) == nil)
        let isExpired = exchange.expire(now: start + .seconds(60))
        #expect(!isExpired)
    }

    @Test func `pauses grow, have jitter, a limit, and follow the service`() {
        let retries = S3Retries()
        #expect(retries.pause(after: 1, retryAfter: nil, jitter: 1) == .milliseconds(200))
        #expect(retries.pause(after: 3, retryAfter: nil, jitter: 0.5) == .milliseconds(400))
        #expect(retries.pause(after: 1, retryAfter: .seconds(3), jitter: 1) == .seconds(3))
        #expect(retries.pause(after: 1, retryAfter: .seconds(3000), jitter: 1) == retries.longestPause)
        #expect(retries.pause(after: retries.attempts, retryAfter: nil, jitter: 1) == nil)
    }

    @Test func `an answer without an end ends the exchange`() {
        var part = S3Exchange(timeout: .seconds(10), bodyCount: 0, partLength: 100, now: start)
        part.didReceive(status: 206, headers: [:], now: start)
        part.didReceive([UInt8](repeating: 1, count: 100), now: start)
        #expect(part.outcome == nil)
        part.didReceive([1], now: start)
        #expect(failure(part)?.reason.contains("longer than 100 bytes") == true)

        var whole = S3Exchange(timeout: .seconds(10), bodyCount: 0, partLength: 100, now: start)
        whole.didReceive(status: 200, headers: [:], now: start)
        let portion = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<64 { whole.didReceive(portion, now: start) }
        #expect(whole.outcome == nil)
        whole.didReceive(portion, now: start)
        #expect(failure(whole) != nil)
    }
}

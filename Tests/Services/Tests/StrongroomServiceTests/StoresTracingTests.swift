import Foundation
import InMemoryTracing
import Strongroom
import StrongroomService
import StrongroomTesting
import Testing
import Tracing

@Suite("Spans of stores")
struct StoresTracingTests {
    private let directory: TemporaryDirectory
    private let tracer = InMemoryTracer()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func stores(_ configuration: ClinicConfiguration) throws -> Stores {
        let stores = try Stores(configuration)
        stores.operationObservers = [StoresTracing(tracer: tracer)]
        return stores
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description = "the patient's name is Ada"
    }

    @Test func `a span is a child of the caller's, has the operation's times, and ends with its failure`() async throws
    {
        let stores = try stores(ClinicConfiguration(directory))
        let (parent, duration) = try await tracer.withSpan("request") { span in
            let clock = ContinuousClock()
            let duration = try await clock.measure {
                try await stores.withStore("clinic_ada.sqlite") { store in
                    try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
                    await #expect(throws: StrongroomError.self) {
                        try await store.write(as: .immediate) { db in
                            try db.execute("INSERT INTO line VALUES (NULL)")
                        }
                    }
                    await #expect(throws: Refusal.self) { try await store.read { _ in throw Refusal() } }
                }
            }
            return (span, duration)
        }
        let spans = tracer.finishedSpans.dropLast()
        #expect(
            spans.map(\.operationName).elementsEqual([
                "strongroom.open", "strongroom.write", "strongroom.ungroupedWrite", "strongroom.read",
            ]))
        #expect(spans.allSatisfy { $0.traceID == parent.traceID && $0.parentSpanID == parent.spanID })
        #expect(spans.allSatisfy { $0.text("strongroom.family") == "clinic" })
        #expect(spans.map { $0.text("error.type") } == [nil, nil, "constraint", "failed"])
        #expect(spans.map { $0.status?.code == .error } == [false, false, true, true])
        #expect(spans.map { $0.errors.map { "\($0.error)" } } == [[], [], ["constraint"], ["failed"]])
        let sum = spans.reduce(0) { $0 + $1.endInstant.nanosecondsSinceEpoch - $1.startInstant.nanosecondsSinceEpoch }
        #expect(spans.allSatisfy { $0.endInstant.nanosecondsSinceEpoch > $0.startInstant.nanosecondsSinceEpoch })
        #expect(Duration.nanoseconds(sum) <= duration)
        #expect(tracer.activeSpans.isEmpty)
        try await stores.closeAll()
    }

    @Test func `nothing in a span is the name of a database, a value or an error's message`() async throws {
        let stores = try stores(ClinicConfiguration(directory))
        try await stores.withStore("clinic_ada.sqlite") { store in
            try await store.write(label: "ada") { db in try db.execute("INSERT INTO line VALUES ('secret')") }
            _ = try? await store.read(label: "ada") { _ in throw Refusal() }
            _ = try? await store.write { db in try db.execute("INSERT INTO line VALUES (NULL)") }
        }
        try Data("no database".utf8).write(to: URL(filePath: directory.path("clinic_bob.sqlite")))
        await #expect(throws: StrongroomError.self) { try await stores.open("clinic_bob.sqlite") }
        #expect(tracer.finishedSpans.count == 5)
        for span in tracer.finishedSpans {
            var texts = [span.operationName, span.status?.message ?? ""] + span.errors.map { "\($0.error)" }
            span.attributes.forEach { key, value in texts += [key, "\(value)"] }
            #expect(texts.allSatisfy { !$0.contains("ada") && !$0.contains("bob") && !$0.contains("secret") })
            #expect(texts.allSatisfy { !$0.contains(directory.path("")) && !$0.contains("patient") })
        }
        try await stores.closeAll()
    }

    @Test func `rotation and migration are children of the opening that makes them`() async throws {
        let former = ClinicConfiguration(directory)
        let first = try Stores(former)
        try await first.open("clinic_a.sqlite").close()
        let stores = try stores(former.succeeded)
        let store = try await stores.open("clinic_a.sqlite")
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["strongroom.rotate", "strongroom.migrate", "strongroom.open"])
        #expect(spans.map(\.parentSpanID) == [spans[2].spanID, spans[2].spanID, nil])
        tracer.clearAll()
        try await tracer.withSpan("night") { parent in
            try await store.rotate()
            await #expect(throws: StrongroomError.self) { try await store.migrate(to: "none") }
            #expect(tracer.finishedSpans.map(\.operationName) == ["strongroom.rotate", "strongroom.migrate"])
            #expect(tracer.finishedSpans.allSatisfy { $0.parentSpanID == parent.spanID })
            #expect(tracer.finishedSpans.map { $0.status?.code == .error } == [false, true])
        }
        try await store.close()
    }

    @Test func `each of many callers has its own spans, whichever thread runs its work`() async throws {
        let stores = try stores(ClinicConfiguration(directory))
        let store = try await stores.open("clinic_a.sqlite")
        tracer.clearAll()
        let parents = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await tracer.withSpan("request") { span in
                        try await store.write { db in try db.execute("INSERT INTO line VALUES (\(number))") }
                        _ = try await store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
                        return span.spanID
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        let spans = tracer.finishedSpans.filter { $0.operationName != "request" }
        #expect(spans.count == 100 && parents.count == 50)
        let children = Dictionary(grouping: spans) { $0.parentSpanID ?? "none" }
        #expect(Set(children.keys) == parents)
        #expect(children.values.allSatisfy { $0.map(\.operationName) == ["strongroom.write", "strongroom.read"] })
        try await store.close()
    }

    @Test func `a blocking call on a task's thread, and the active tracer, are found`() async throws {
        let stores = try Stores(ClinicConfiguration(directory))
        stores.operationObservers = [StoresTracing()]
        let store = try await stores.open("clinic_a.sqlite")
        func write() throws { try store.write { db in try db.execute("INSERT INTO line VALUES ('a')") } }
        withTracer(tracer) {
            tracer.withSpan("request") { _ in #expect(throws: Never.self) { try write() } }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["strongroom.write", "request"])
        #expect(spans.first?.parentSpanID == spans.last?.spanID)
        try await store.close()
    }
}

extension FinishedInMemorySpan {
    fileprivate func text(_ key: String) -> String? {
        guard case .string(let text)? = attributes[key]?.toSpanAttribute() else { return nil }
        return text
    }
}

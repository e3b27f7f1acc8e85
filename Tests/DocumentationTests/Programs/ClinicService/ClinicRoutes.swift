import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Strongroom

extension Patient: ResponseCodable {}

/// The routes of the service.
struct ClinicRoutes: Sendable {
    let clinics: Clinics
    let stores: Stores
    /// How long a request waits for a store, and then for its operation.
    let patience: Duration
    let logger: Logger

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: StoreErrors())
        router.get("clinics") { _, _ in try stores.databases(of: "clinic").map(\.fileName) }
        router.put("clinics/:clinic") { _, context in try await create(context) }
        router.post("clinics/:clinic/patients") { request, context in try await add(request, context) }
        router.get("clinics/:clinic/patients") { request, context in try await list(request, context) }
        router.get("clinics/:clinic/events") { request, context in try await events(request, context) }
        router.post("rotation") { _, _ in try await rotateAll() }
        router.get("ready") { _, _ in readiness }
        return router
    }

    /// The database of the clinic in the path of a request.
    private func name(_ context: BasicRequestContext) throws -> DatabaseName {
        guard let clinic = try context.parameters.require("clinic").removingPercentEncoding else {
            throw HTTPError(.badRequest)
        }
        return try clinics.database(of: clinic)
    }

    /// The database of an existing clinic.
    private func database(_ context: BasicRequestContext) throws -> DatabaseName {
        let name = try name(context)
        guard try stores.exists(name.fileName) else { throw HTTPError(.notFound) }
        return name
    }

    private func create(_ context: BasicRequestContext) async throws -> HTTPResponse.Status {
        let name = try name(context)
        let isNew = try !stores.exists(name.fileName)
        return try await stores.withStore(name) { _ in isNew ? .created : .ok }
    }

    private func add(_ request: Request, _ context: BasicRequestContext) async throws -> EditedResponse<Patient> {
        let patient = try await request.decode(as: Patient.self, context: context)
        let stored = try await stores.withStore(database(context), timeout: patience) { store in
            try await store.write(timeout: patience) { db in
                try Patient.stored(Patient.insert(patient, in: db), as: Patient.self, in: db)
            }
        }
        return EditedResponse(status: .created, response: stored)
    }

    private func list(_ request: Request, _ context: BasicRequestContext) async throws -> [Patient] {
        let search = request.uri.queryParameters["q"].map(String.init)
        let last = request.uri.queryParameters["after"].flatMap { Int64($0) } ?? 0
        return try await stores.withStore(database(context), timeout: patience) { store in
            try await store.read(timeout: patience) { db in
                if let search { return try Patient.hits(SearchQuery.typing(search), in: db).map(\.record) }
                return try Patient.where { $0.id > last }.order { $0.id.ascending }.limit(100).fetch(in: db)
            }
        }
    }

    /// The number of patients, and again after each commit of this process or another that changes their table.
    private func events(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let name = try database(context)
        // It keeps the store open until the client goes away, or the server shuts down. An error has a status of its
        // own here, not once the response has begun.
        let lease = try await stores.lease(name, timeout: patience, label: "events")
        let body = ResponseBody { writer in
            defer { lease.end() }
            let counts = lease.store.values { db in try Patient.count(in: db) }.cancelOnGracefulShutdown()
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                for try await count in counts {
                    try await writer.write(ByteBuffer(string: "data: \(count)\n\n"))
                }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    /// A new key for every clinic, while requests are served.
    private func rotateAll() async throws -> [String: Int] {
        try clinics.keyFile.appendKey()
        let outcomes = try await stores.rotate(stores.databases(of: "clinic"), atMost: 2)
        var failures = 0
        for outcome in outcomes {
            guard case .failure(let error) = outcome.result else { continue }
            logger.error("\(outcome.name) was not rotated: \(error)")
            failures += 1
        }
        return ["rotated": outcomes.count - failures, "failed": failures]
    }

    /// Whether a request gets a store without waiting for the end of another one.
    private var readiness: HTTPResponse.Status {
        stores.statistics.lent < stores.lendingLimits.openStores ? .ok : .serviceUnavailable
    }
}

/// Answers errors of the stores without their messages, which name files.
struct StoreErrors<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as StrongroomError {
            switch error.code {
            case .invalidName, .noSuchRow: throw HTTPError(.badRequest)
            case .constraint: throw HTTPError(.conflict)
            case .timedOut, .busy, .closed: throw HTTPError(.serviceUnavailable)
            default:
                context.logger.error("\(error)")
                throw HTTPError(.internalServerError)
            }
        }
    }
}

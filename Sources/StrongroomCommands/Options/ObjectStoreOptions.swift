import ArgumentParser
import Strongroom
package import StrongroomReplication

#if S3
import StrongroomS3
#endif

/// How an object store is reached.
package struct ObjectStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The URL of an S3 service, such as https://storage.example.com; needed for s3://.", valueName: "url"))
    var endpoint: String?
    @Option(help: ArgumentHelp("The region of an S3 service.", valueName: "name"))
    var region = "us-east-1"
    @Flag(help: "Name the bucket in the host of an S3 service (https://BUCKET.host/…), not in the path.")
    var virtualHost = false
    @Option(
        help: ArgumentHelp(
            "A PEM file: the authorities that may have issued an S3 service's certificate, instead of the system's.",
            valueName: "file"))
    var trustRoots: String?
    @Option(
        help: ArgumentHelp(
            "A PEM file: the certificate that is shown to an S3 service, and its issuers'. Needs --client-key.",
            valueName: "file"))
    var clientCertificate: String?
    @Option(help: ArgumentHelp("A PEM file: the private key of --client-certificate.", valueName: "file"))
    var clientKey: String?

    package init() {}

    private static let scheme = "s3://"

    package func validate() throws {
        guard (clientCertificate == nil) == (clientKey == nil) else {
            throw ValidationError("--client-certificate goes with --client-key.")
        }
    }

    /// The options as arguments for another process.
    package var arguments: [String] {
        let options = [
            ("--endpoint", endpoint), ("--region", region), ("--trust-roots", trustRoots),
            ("--client-certificate", clientCertificate), ("--client-key", clientKey),
        ]
        return options.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + (virtualHost ? ["--virtual-host"] : [])
    }

    /// The object store of a location.
    ///
    /// - Parameter location: A directory's path, or `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    /// - Throws: ``CommandFailure`` with `noS3` if the tool has no client for S3, `invalidSetting` for a location in S3
    ///   without an endpoint. `StrongroomError` with `invalidName` if the bucket cannot be one, `invalidSetting` if the
    ///   endpoint cannot be one or a file cannot be read.
    package func objects(_ location: String) throws -> any ObjectStore {
        guard location.hasPrefix(Self.scheme) else { return DirectoryObjectStore(FilePath.absolute(location)) }
        #if S3
        guard let endpoint else { throw CommandFailure("invalidSetting", "s3:// goes with --endpoint URL.", .usage) }
        let parts = location.dropFirst(Self.scheme.count).split(separator: "/", maxSplits: 1)
        var connection = S3Connection()
        connection.trustRoots = trustRoots
        if let clientCertificate, let clientKey {
            connection.clientCertificate = .init(chain: clientCertificate, key: clientKey)
        }
        return try S3ObjectStore(
            bucket: parts.first.map(String.init) ?? "", endpoint: endpoint, region: region,
            credentials: .standard(connection: connection), addressing: virtualHost ? .virtualHost : .path,
            prefix: parts.count > 1 ? String(parts[1]) : "", connection: connection)
        #else
        throw CommandFailure(
            "noS3",
            """
            This tool was built without a client for S3 services. Give a directory, or build it with the trait S3: \
            swift build -c release --product strongroom --traits Commands,Macros,S3
            """, .configuration)
        #endif
    }
}

import Strongroom
package import StrongroomReplication

#if S3
import StrongroomS3
#endif

/// An object store as an option names it.
package enum ReplicaLocation {
    static let scheme = "s3://"

    /// The object store.
    ///
    /// - Parameters:
    ///   - location: A directory's path, or `s3://BUCKET` or `s3://BUCKET/PREFIX`; nil for none.
    ///   - endpoint: The URL of an S3 service.
    /// - Throws: `StrongroomError` with `invalidName` if the bucket cannot be one, `invalidSetting` if the endpoint
    ///   cannot be one or the environment has no credentials.
    package static func objects(
        _ location: String?, endpoint: String?, region: String = "us-east-1"
    ) throws -> (any ObjectStore)? {
        guard let location else { return nil }
        guard location.hasPrefix(scheme), let endpoint else { return DirectoryObjectStore(FilePath.absolute(location)) }
        #if S3
        let parts = location.dropFirst(scheme.count).split(separator: "/", maxSplits: 1)
        return try S3ObjectStore(
            bucket: parts.first.map(String.init) ?? "", endpoint: endpoint, region: region,
            credentials: .environment(), prefix: parts.count > 1 ? String(parts[1]) : "")
        #else
        throw CommandFailure(
            "noS3",
            """
            This tool was built without S3 services. Build it with \
            "swift build -c release --product strongroom --traits Commands,Macros,S3", or give a directory.
            """, .configuration)
        #endif
    }
}

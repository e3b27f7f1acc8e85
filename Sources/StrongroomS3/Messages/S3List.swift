#if S3
/// A page of a list: the answer to ListObjectsV2.
struct S3List: Equatable {
    struct Object: Equatable {
        let key: String
        let size: Int
    }

    var objects: [Object] = []
    /// The beginnings of keys that are listed instead of the objects in subfolders.
    var prefixes: [String] = []
    /// The token of the next page; nil on the last one.
    let nextPage: String?

    /// Decodes the answer; nil if it is not a list.
    init?(_ body: [UInt8]) {
        guard let root = S3Element(document: body), root.name == "ListBucketResult",
            let isTruncated = root["IsTruncated"].flatMap(Bool.init)
        else { return nil }
        let isEncoded = root["EncodingType"] == "url"
        func name(_ text: String?) -> String? { isEncoded ? text.flatMap(S3Text.decoded) : text }
        for child in root.children {
            switch child.name {
            case "Contents":
                guard let key = name(child["Key"]), let size = child["Size"].flatMap({ Int($0) }), size >= 0
                else { return nil }
                objects.append(Object(key: key, size: size))
            case "CommonPrefixes":
                guard let prefix = name(child["Prefix"]) else { return nil }
                prefixes.append(prefix)
            default: break
            }
        }
        guard isTruncated else {
            nextPage = nil
            return
        }
        guard let token = root["NextContinuationToken"], !token.isEmpty else { return nil }
        nextPage = token
    }
}
#endif

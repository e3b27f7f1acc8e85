#if S3
internal import Strongroom

extension S3Response {
    /// The error for an answer that is neither a success nor one to try again after.
    ///
    /// - Parameters:
    ///   - location: The bucket, for the message.
    ///   - region: The region that the request was signed for.
    ///   - now: The time, in seconds since 1970.
    func refusal(_ location: S3Location, region: String, now: Int) -> StrongroomError {
        switch code {
        case "QuotaExceeded", "InsufficientCapacity", "XMinioStorageFull", "ServiceQuotaExceeded":
            return full(location)
        case "RequestTimeTooSkewed":
            return error(location, "\(skew(now)) Synchronize it, for instance with NTP.")
        default: break
        }
        if let advice = Self.advice[code ?? ""] { return error(location, advice) }
        if namesOtherRegion { return redirection(location, region: region) }
        switch status {
        case 401, 403:
            return error(
                location,
                """
                Check that the credentials belong to this service, and that they may list the bucket and read, \
                create and delete its objects.
                """)
        case 404:
            return code == "NoSuchBucket"
                ? error(location, "There is no such bucket: create it, or correct its name or the endpoint.")
                : error(location, "Check that the endpoint is the address of an S3 service.")
        case 405, 501:
            return error(location, "The service does not support the request; use one that has conditional writes.")
        case 507: return full(location)
        default:
            return error(location, "Check the endpoint, the bucket's name and the region; see the service's log.")
        }
    }

    private static let advice: [String: String] = [
        "SignatureDoesNotMatch": """
        The signature is wrong: check that the secret key belongs to the access key, and that no proxy changes the \
        requests.
        """,
        "InvalidAccessKeyId": "The service does not know the access key: check it and the endpoint.",
        "ExpiredToken": "The session token has expired: get new temporary credentials.",
        "TokenRefreshRequired": "The session token has expired: get new temporary credentials.",
        "InvalidToken": "The service does not accept the session token: get new temporary credentials.",
        "EntityTooLarge": "The object is larger than the service allows.",
        "XAmzContentSHA256Mismatch": "The content changed on its way to the service: check the network and proxies.",
        "BadDigest": "The content changed on its way to the service: check the network and proxies.",
    ]

    private func error(_ location: S3Location, _ advice: String) -> StrongroomError {
        StrongroomError(.objectStore, "A request to \(location) was refused (\(summary)). \(advice)")
    }

    private func full(_ location: S3Location) -> StrongroomError {
        StrongroomError(
            .diskFull,
            "The quota or the storage of \(location) is full (\(summary)). Raise the quota, or remove objects.")
    }

    /// How far the clock of this machine is off.
    private func skew(_ now: Int) -> String {
        guard let date = headers["date"].flatMap(S3Text.seconds(ofDate:)) else {
            return "The clock of this machine differs too much from that of the service."
        }
        let side = now < date ? "behind" : "ahead of"
        return "The clock of this machine is \(abs(now - date)) seconds \(side) that of the service."
    }

    private var namesOtherRegion: Bool {
        300...399 ~= status
            || ["AuthorizationHeaderMalformed", "IllegalLocationConstraintException"].contains(code ?? "")
    }

    private func redirection(_ location: S3Location, region: String) -> StrongroomError {
        if let other = self.region, other != region {
            return error(
                location,
                """
                The bucket is in the region "\(other)", the requests are for "\(region)": pass that region\
                \(address.map { " and the endpoint \"\($0)\"" } ?? " and its endpoint").
                """)
        }
        return error(
            location,
            address.map { "The service redirects to \"\($0)\": pass that address as the endpoint." }
                ?? "Check that the region and the endpoint are those of the bucket.")
    }
}
#endif

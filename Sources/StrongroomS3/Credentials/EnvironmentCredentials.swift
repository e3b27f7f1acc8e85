#if S3
internal import Strongroom

/// An access key in environment variables.
struct EnvironmentCredentials: CredentialSource {
    let variables: [String: String]

    private static let names = (
        accessKey: "AWS_ACCESS_KEY_ID", secretKey: "AWS_SECRET_ACCESS_KEY", token: "AWS_SESSION_TOKEN"
    )

    let name = "the environment"

    func find() throws -> CredentialFinding {
        let names = Self.names
        let token = variables.setting(names.token)
        switch (variables.setting(names.accessKey), variables.setting(names.secretKey)) {
        case (let accessKey?, let secretKey?):
            do {
                return .found(try S3Credentials(checking: accessKey, secretKey, token: token, names: names))
            } catch let defect as CredentialDefect {
                throw refusal("\(defect.reason): set it again")
            }
        case (_?, nil): throw refusal("\(names.accessKey) is set, but not \(names.secretKey): set it, too")
        case (nil, _?): throw refusal("\(names.secretKey) is set, but not \(names.accessKey): set it, too")
        case (nil, nil):
            guard token == nil else {
                throw refusal("\(names.token) is set, but not \(names.accessKey) and \(names.secretKey): set them, too")
            }
            return .notConfigured("\(names.accessKey) is not set")
        }
    }

    private func refusal(_ reason: String) -> StrongroomError {
        StrongroomError(.invalidSetting, "The environment has no usable credentials: \(reason).")
    }
}

extension [String: String] {
    /// The value of an environment variable; nil also if it is empty.
    func setting(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
#endif

#if S3
internal import Strongroom

/// An access key in the files that `aws configure` writes.
///
/// As for other tools, it does not matter who else can read the files.
struct ProfileCredentials: CredentialSource {
    let variables: [String: String]

    private static let names = (
        accessKey: "aws_access_key_id", secretKey: "aws_secret_access_key", token: "aws_session_token"
    )
    /// What other tools use rather than an access key beside it.
    private static let stronger = ["role_arn", "sso_session", "sso_start_url"]
    /// What other tools use if there is no access key.
    private static let weaker = ["source_profile", "web_identity_token_file", "credential_process", "login_session"]

    private var profile: String { variables.setting("AWS_PROFILE") ?? "default" }

    var name: String { "the profile \"\(profile)\"" }

    func find() throws -> CredentialFinding {
        guard let files = try files() else { return .notConfigured("HOME is not set") }
        let versions = files.map(\.version)
        let found = files.filter { $0.values != nil }
        guard !found.isEmpty else {
            let paths = files.map { "\"\($0.version.path)\"" }.joined(separator: " and ")
            guard variables.setting("AWS_PROFILE") == nil else {
                throw StrongroomError(
                    .invalidSetting,
                    """
                    AWS_PROFILE is "\(profile)", and there is no such profile in \(paths). Correct the variable, or \
                    add the profile.
                    """)
            }
            return .notConfigured("there is none in \(paths)")
        }
        for file in found { try refuse(Self.stronger, in: file) }
        for file in found {
            if let credentials = try credentials(in: file) { return .found(credentials, versions) }
        }
        for file in found { try refuse(Self.weaker, in: file) }
        return .notConfigured("it has no \(Self.names.accessKey)")
    }

    /// A file, and what it has of the profile.
    private struct File {
        let version: FileVersion
        let values: [String: ProfileFile.Value]?
    }

    /// The file of credentials and the other one, in the order in which they count; nil if the home directory of the
    /// user is not known.
    private func files() throws -> [File]? {
        let home = variables.setting("HOME")
        let kinds = [
            ("AWS_SHARED_CREDENTIALS_FILE", "credentials", ProfileFile.Form.credentials),
            ("AWS_CONFIG_FILE", "config", .config),
        ]
        let files = try kinds.compactMap { variable, name, form -> File? in
            let named = variables.setting(variable)
            guard let path = named ?? home.map({ "\($0)/.aws/\(name)" }) else { return nil }
            let isInHome = path.hasPrefix("~/")
            return try file(isInHome ? (home ?? "~") + path.dropFirst() : path, form, isNamed: named != nil, variable)
        }
        return files.isEmpty ? nil : files
    }

    private func file(_ path: String, _ form: ProfileFile.Form, isNamed: Bool, _ variable: String) throws -> File {
        let what = isNamed ? "The file of \(variable)" : "The file of profiles"
        do {
            // The usual way to have no such file.
            guard path != "/dev/null" else { return File(version: FileVersion(path: path, status: nil), values: nil) }
            let file = try CredentialFile(path, what)
            return File(version: file.version, values: try ProfileFile(file.text, form).profiles[profile])
        } catch let error as StrongroomError where error.code == .fileMissing && !isNamed {
            return File(version: FileVersion(path: path, status: nil), values: nil)
        } catch let defect as CredentialDefect {
            throw StrongroomError(.invalidSetting, "\(what), \"\(path)\", \(defect.reason).")
        }
    }

    /// The access key of the profile; nil if it has none.
    private func credentials(in file: File) throws -> S3Credentials? {
        let names = Self.names
        let values = file.values ?? [:]
        let keys = [names.accessKey, names.secretKey].map { values[$0] }
        guard let first = keys[0] ?? keys[1] else { return nil }
        guard let accessKey = keys[0], let secretKey = keys[1] else {
            let pair = [names.accessKey, names.secretKey]
            let (present, missing) = keys[0] == nil ? (pair[1], pair[0]) : (pair[0], pair[1])
            throw refusal(file, "has \(present) in line \(first.line), but no \(missing)", "Add it")
        }
        let token = values[names.token].flatMap { $0.text.isEmpty ? nil : $0 }
        for value in [accessKey, secretKey, token].compactMap({ $0 }) where value.text.contains(where: \.isWhitespace) {
            throw refusal(
                file, "has more than one value in line \(value.line)",
                "Put each value, and each comment, on a line of its own")
        }
        do {
            return try S3Credentials(checking: accessKey.text, secretKey.text, token: token?.text, names: names)
        } catch let defect as CredentialDefect {
            throw refusal(file, "cannot be used: \(defect.reason)", "Correct the file")
        }
    }

    /// Refuses a profile that needs what is not supported.
    private func refuse(_ names: [String], in file: File) throws {
        guard let name = names.first(where: { file.values?[$0] != nil }) else { return }
        throw refusal(
            file, "has \(name), which is not supported here",
            """
            Use another profile; or, for one command, let the AWS CLI set the environment: \
            eval "$(aws configure export-credentials --profile '\(profile)' --format env)". On a server, let the \
            platform give credentials to the service, with a web identity, a container's endpoint or an instance's role
            """)
    }

    private func refusal(_ file: File, _ reason: String, _ advice: String) -> StrongroomError {
        StrongroomError(
            .invalidSetting, "The profile \"\(profile)\" in \"\(file.version.path)\" \(reason). \(advice).")
    }
}
#endif

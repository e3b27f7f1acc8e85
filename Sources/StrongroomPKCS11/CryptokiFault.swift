import CPKCS11
import Strongroom

/// A function of a module that has failed.
enum CryptokiFault: Error, Equatable {
    /// It has returned this result.
    case failed(_ function: String, CK_RV)
    /// It has returned CKR_OK, and something that cannot be used.
    case returned(_ function: String, String)

    var result: CK_RV? {
        if case .failed(_, let result) = self { result } else { nil }
    }

    /// Whether the session, the login or the token was lost, so that a new session may work. An attempt to log in is
    /// repeated only if it has not reached the token.
    var isLoss: Bool {
        if case .failed("C_Login", let result) = self {
            return [CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_CRYPTOKI_NOT_INITIALIZED].contains(result)
        }
        return endsSession || result == CKR_USER_NOT_LOGGED_IN || result == CKR_DEVICE_ERROR
    }

    /// Whether the session's handle is void. It must not be closed: another session may have the same one since.
    var endsSession: Bool {
        [
            CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_DEVICE_REMOVED, CKR_TOKEN_NOT_PRESENT,
            CKR_CRYPTOKI_NOT_INITIALIZED,
        ].contains(result)
    }

    /// Whether the token takes another PIN.
    var isRefusedPIN: Bool {
        [CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE].contains(result)
    }

    /// Whether the token may have counted the PIN of a login as a wrong one. Modules report what they do not know as
    /// an error of the device or a general one; only these are returned before the PIN is compared, or for a right one.
    var isCounted: Bool {
        !isLoss
            && ![
                CKR_PIN_LOCKED, CKR_PIN_EXPIRED, CKR_USER_PIN_NOT_INITIALIZED, CKR_USER_ANOTHER_ALREADY_LOGGED_IN,
                CKR_USER_TOO_MANY_TYPES,
            ].contains(result)
    }

    /// The standard's name of a result, or its number.
    static func name(_ result: CK_RV) -> String {
        strongroom_pkcs11_result(result).map { String(cString: $0) } ?? "0x\(String(result, radix: 16))"
    }

    /// The fault as the library's error.
    ///
    /// - Parameter token: Names the token and its module.
    func error(_ token: String) -> StrongroomError {
        let message =
            switch self {
            case .failed(let function, let result): "\(function) failed with \(Self.name(result))"
            case .returned(let function, let answer): "\(function) has returned \(answer)"
            }
        return StrongroomError(.keyProvider, "\(message) on \(token). \(advice).")
    }

    private var advice: String {
        switch self {
        case _ where isLoss || endsSession, .failed(_, CKR_DEVICE_ERROR), .failed(_, CKR_TOKEN_NOT_RECOGNIZED):
            "Connect the token, or start its service"
        case .failed(_, CKR_PIN_LOCKED):
            "No PIN opens it until its security officer has set a new one, such as with pkcs11-tool --init-pin"
        case .failed(_, CKR_PIN_EXPIRED), .failed(_, CKR_USER_PIN_NOT_INITIALIZED):
            "Set a new PIN, such as with pkcs11-tool"
        case .failed(_, CKR_USER_ANOTHER_ALREADY_LOGGED_IN), .failed(_, CKR_USER_TOO_MANY_TYPES):
            "The program is logged in as another user of the token; log out there"
        case .failed(_, CKR_SESSION_COUNT):
            "The token has no session left: end another program's"
        case .failed(_, CKR_CANT_LOCK):
            "The module is not for programs with threads; load it by p11-kit or another one that is"
        case .failed(_, CKR_KEY_FUNCTION_NOT_PERMITTED), .failed(_, CKR_KEY_TYPE_INCONSISTENT):
            "Generate a key that is permitted to do this"
        case .failed("C_Decrypt", _), .failed("C_UnwrapKey", _):
            "The wrapped key was changed, or belongs to another key of the token or to another database"
        case .failed, .returned:
            "See the module's documentation"
        }
    }
}

import CPKCS11
import Foundation
import Strongroom
import Testing

// Internal: a module is made of functions.
@testable import StrongroomPKCS11

/// SoftHSM with faults: what a function returns instead of what it does, once for each planned result. C functions
/// capture nothing, so that there is one plan, and the tests that use it run one after the other.
enum FaultyModule {
    struct Plan {
        var results: [String: [CK_RV]] = [:]
        var calls: [String: Int] = [:]
        /// Flags of the token besides its own, and those that it does not have.
        var flags: CK_FLAGS = 0
        var missingFlags: CK_FLAGS = 0
        /// Mechanisms that it does not have.
        var missing: Set<CK_MECHANISM_TYPE> = []
        /// The function whose results are longer than they are, and by how much.
        var lying: String?
        var extraLength = 0
        /// What is returned for CKA_MODULUS.
        var modulus: (@Sendable (inout CK_ATTRIBUTE) -> Void)?
        /// Whether it encrypts by RSA-OAEP with SHA-256, as if it were with SHA-1, and does not decrypt it.
        var encryptsSHA256 = false
        /// Whether encryptions and initialisations wait.
        var isBlocked = false
        var functions: CK_FUNCTION_LIST?
    }

    static let plan = Locked(Plan())

    /// A module of its own, so that it has its own sessions, without planned faults.
    static func make(loginPause: Duration = .seconds(3_600)) throws -> CryptokiModule {
        let real = try SoftHSM.module()
        plan.withLock { $0 = Plan(functions: real.functions) }
        let module = CryptokiModule(
            "/faulty", functions: planted(real.functions), loginPause: loginPause, listing: real.listing)
        try module.initialise()
        return module
    }

    static func fail(_ function: String, _ results: CK_RV...) {
        plan.withLock { $0.results[function, default: []] += results }
    }

    static func calls(_ function: String) -> Int { plan.withLock { $0.calls[function, default: 0] } }

    private static func call(_ name: String, _ body: (CK_FUNCTION_LIST) -> CK_RV?) -> CK_RV {
        let (result, functions): (CK_RV?, CK_FUNCTION_LIST?) = plan.withLock { plan in
            plan.calls[name, default: 0] += 1
            guard var results = plan.results[name], !results.isEmpty else { return (nil, plan.functions) }
            let result = results.removeFirst()
            plan.results[name] = results
            return (result, plan.functions)
        }
        return result ?? functions.flatMap(body) ?? CKR_FUNCTION_NOT_SUPPORTED
    }

    private static func lengthen(_ length: UnsafeMutablePointer<CK_ULONG>?, of function: String) {
        let extra = plan.withLock { $0.lying == function ? $0.extraLength : 0 }
        guard let length else { return }
        length.pointee = CK_ULONG(bitPattern: Int(bitPattern: length.pointee) &+ extra)
    }

    private static func waitWhileBlocked() {
        while plan.withLock({ $0.isBlocked }) { usleep(2_000) }
    }

    private static func planted(_ functions: CK_FUNCTION_LIST) -> CK_FUNCTION_LIST {
        var planted = functions
        planted.C_Initialize = { arguments in
            FaultyModule.call("C_Initialize") { functions in
                FaultyModule.waitWhileBlocked()
                return functions.C_Initialize?(arguments)
            }
        }
        planted.C_OpenSession = { slot, flags, application, notify, session in
            FaultyModule.call("C_OpenSession") { $0.C_OpenSession?(slot, flags, application, notify, session) }
        }
        planted.C_CloseSession = { session in FaultyModule.call("C_CloseSession") { $0.C_CloseSession?(session) } }
        planted.C_GetSessionInfo = { session, info in
            FaultyModule.call("C_GetSessionInfo") { $0.C_GetSessionInfo?(session, info) }
        }
        planted.C_Login = { session, user, pin, length in
            FaultyModule.call("C_Login") { $0.C_Login?(session, user, pin, length) }
        }
        planted.C_GetTokenInfo = { slot, info in
            FaultyModule.call("C_GetTokenInfo") { functions in
                let result = functions.C_GetTokenInfo?(slot, info)
                let (more, fewer) = FaultyModule.plan.withLock { ($0.flags, $0.missingFlags) }
                if let info { info.pointee.flags = (info.pointee.flags | more) & ~fewer }
                return result
            }
        }
        planted.C_GetMechanismInfo = { slot, mechanism, info in
            FaultyModule.call("C_GetMechanismInfo") { functions in
                FaultyModule.plan.withLock { $0.missing.contains(mechanism) }
                    ? CKR_MECHANISM_INVALID : functions.C_GetMechanismInfo?(slot, mechanism, info)
            }
        }
        planted.C_FindObjects = { session, objects, most, count in
            FaultyModule.call("C_FindObjects") { functions in
                let result = functions.C_FindObjects?(session, objects, most, count)
                FaultyModule.lengthen(count, of: "C_FindObjects")
                return result
            }
        }
        planted.C_GetAttributeValue = { session, object, attributes, count in
            FaultyModule.call("C_GetAttributeValue") { functions in
                let result = functions.C_GetAttributeValue?(session, object, attributes, count)
                if let attributes, attributes.pointee.type == CKA_MODULUS {
                    FaultyModule.plan.withLock { $0.modulus }?(&attributes.pointee)
                }
                return result
            }
        }
        planted.C_DestroyObject = { session, object in
            FaultyModule.call("C_DestroyObject") { $0.C_DestroyObject?(session, object) }
        }
        planted.C_UnwrapKey = { session, mechanism, key, wrapped, length, attributes, count, secret in
            FaultyModule.call("C_UnwrapKey") {
                $0.C_UnwrapKey?(session, mechanism, key, wrapped, length, attributes, count, secret)
            }
        }
        planted.C_EncryptInit = { session, mechanism, key in
            FaultyModule.call("C_EncryptInit") { functions in
                if FaultyModule.plan.withLock({ $0.encryptsSHA256 }) {
                    let oaep = mechanism?.pointee.pParameter?.assumingMemoryBound(to: CK_RSA_PKCS_OAEP_PARAMS.self)
                    oaep?.pointee.hashAlg = CKM_SHA_1
                    oaep?.pointee.mgf = CKG_MGF1_SHA1
                }
                return functions.C_EncryptInit?(session, mechanism, key)
            }
        }
        planted.C_DecryptInit = { session, mechanism, key in
            FaultyModule.call("C_DecryptInit") { $0.C_DecryptInit?(session, mechanism, key) }
        }
        planted.C_Encrypt = { session, data, count, result, length in
            FaultyModule.call("C_Encrypt") { functions in
                FaultyModule.waitWhileBlocked()
                let answer = functions.C_Encrypt?(session, data, count, result, length)
                FaultyModule.lengthen(length, of: "C_Encrypt")
                return answer
            }
        }
        planted.C_Decrypt = { session, data, count, result, length in
            FaultyModule.call("C_Decrypt") { functions in
                let answer = functions.C_Decrypt?(session, data, count, result, length)
                FaultyModule.lengthen(length, of: "C_Decrypt")
                return answer
            }
        }
        return planted
    }
}

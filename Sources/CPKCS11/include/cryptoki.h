// What Strongroom uses of PKCS#11: the OASIS standard "PKCS #11 Cryptographic Token Interface Base Specification
// Version 2.40", and "Current Mechanisms Specification Version 2.40" with Errata 01 for AES-GCM. Modules of version 3
// have the same list. Structures have the alignment of the platform, as on every system but Windows.

#ifndef STRONGROOM_CRYPTOKI_H
#define STRONGROOM_CRYPTOKI_H

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char CK_BYTE, CK_BBOOL;
typedef unsigned long CK_ULONG, CK_RV, CK_FLAGS, CK_SLOT_ID, CK_SESSION_HANDLE, CK_OBJECT_HANDLE, CK_USER_TYPE;
typedef CK_ULONG CK_MECHANISM_TYPE, CK_ATTRIBUTE_TYPE;

typedef struct {
    CK_BYTE major, minor;
} CK_VERSION;

typedef struct {
    CK_RV (*CreateMutex)(void **mutex);
    CK_RV (*DestroyMutex)(void *mutex);
    CK_RV (*LockMutex)(void *mutex);
    CK_RV (*UnlockMutex)(void *mutex);
    CK_FLAGS flags;
    void *pReserved;
} CK_C_INITIALIZE_ARGS;

typedef struct {
    CK_BYTE label[32], manufacturerID[32], model[16], serialNumber[16];
    CK_FLAGS flags;
    CK_ULONG ulMaxSessionCount, ulSessionCount, ulMaxRwSessionCount, ulRwSessionCount, ulMaxPinLen, ulMinPinLen;
    CK_ULONG ulTotalPublicMemory, ulFreePublicMemory, ulTotalPrivateMemory, ulFreePrivateMemory;
    CK_VERSION hardwareVersion, firmwareVersion;
    CK_BYTE utcTime[16];
} CK_TOKEN_INFO;

typedef struct {
    CK_SLOT_ID slotID;
    CK_ULONG state;
    CK_FLAGS flags;
    CK_ULONG ulDeviceError;
} CK_SESSION_INFO;

typedef struct {
    CK_ULONG ulMinKeySize, ulMaxKeySize;
    CK_FLAGS flags;
} CK_MECHANISM_INFO;

typedef struct {
    CK_MECHANISM_TYPE mechanism;
    void *pParameter;
    CK_ULONG ulParameterLen;
} CK_MECHANISM;

typedef struct {
    CK_ATTRIBUTE_TYPE type;
    void *pValue;
    CK_ULONG ulValueLen;
} CK_ATTRIBUTE;

typedef struct {
    CK_BYTE *pIv;
    CK_ULONG ulIvLen, ulIvBits;
    CK_BYTE *pAAD;
    CK_ULONG ulAADLen, ulTagBits;
} CK_GCM_PARAMS;

typedef struct {
    CK_MECHANISM_TYPE hashAlg;
    CK_ULONG mgf, source;
    void *pSourceData;
    CK_ULONG ulSourceDataLen;
} CK_RSA_PKCS_OAEP_PARAMS;

// A function that is not called.
typedef void strongroom_unused(void);

typedef struct {
    CK_VERSION version;
    CK_RV (*C_Initialize)(void *arguments);
    strongroom_unused *C_Finalize, *C_GetInfo, *C_GetFunctionList;
    CK_RV (*C_GetSlotList)(CK_BBOOL withToken, CK_SLOT_ID *slots, CK_ULONG *count);
    strongroom_unused *C_GetSlotInfo;
    CK_RV (*C_GetTokenInfo)(CK_SLOT_ID slot, CK_TOKEN_INFO *info);
    strongroom_unused *C_GetMechanismList;
    CK_RV (*C_GetMechanismInfo)(CK_SLOT_ID slot, CK_MECHANISM_TYPE mechanism, CK_MECHANISM_INFO *info);
    CK_RV (*C_InitToken)(CK_SLOT_ID slot, CK_BYTE *pin, CK_ULONG pinLength, CK_BYTE *label);
    CK_RV (*C_InitPIN)(CK_SESSION_HANDLE session, CK_BYTE *pin, CK_ULONG pinLength);
    strongroom_unused *C_SetPIN;
    CK_RV (*C_OpenSession)(
        CK_SLOT_ID slot, CK_FLAGS flags, void *application, void *notify, CK_SESSION_HANDLE *session);
    CK_RV (*C_CloseSession)(CK_SESSION_HANDLE session);
    CK_RV (*C_CloseAllSessions)(CK_SLOT_ID slot);
    CK_RV (*C_GetSessionInfo)(CK_SESSION_HANDLE session, CK_SESSION_INFO *info);
    strongroom_unused *C_GetOperationState, *C_SetOperationState;
    CK_RV (*C_Login)(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_BYTE *pin, CK_ULONG pinLength);
    CK_RV (*C_Logout)(CK_SESSION_HANDLE session);
    CK_RV (*C_CreateObject)(
        CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count, CK_OBJECT_HANDLE *object);
    strongroom_unused *C_CopyObject;
    CK_RV (*C_DestroyObject)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object);
    strongroom_unused *C_GetObjectSize;
    CK_RV (*C_GetAttributeValue)(
        CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count);
    strongroom_unused *C_SetAttributeValue;
    CK_RV (*C_FindObjectsInit)(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count);
    CK_RV (*C_FindObjects)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG most, CK_ULONG *count);
    CK_RV (*C_FindObjectsFinal)(CK_SESSION_HANDLE session);
    CK_RV (*C_EncryptInit)(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key);
    CK_RV (*C_Encrypt)(
        CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG length, CK_BYTE *result, CK_ULONG *resultLength);
    strongroom_unused *C_EncryptUpdate, *C_EncryptFinal;
    CK_RV (*C_DecryptInit)(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key);
    CK_RV (*C_Decrypt)(
        CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG length, CK_BYTE *result, CK_ULONG *resultLength);
    strongroom_unused *C_DecryptUpdate, *C_DecryptFinal, *C_DigestInit, *C_Digest, *C_DigestUpdate, *C_DigestKey,
        *C_DigestFinal, *C_SignInit, *C_Sign, *C_SignUpdate, *C_SignFinal, *C_SignRecoverInit, *C_SignRecover,
        *C_VerifyInit, *C_Verify, *C_VerifyUpdate, *C_VerifyFinal, *C_VerifyRecoverInit, *C_VerifyRecover,
        *C_DigestEncryptUpdate, *C_DecryptDigestUpdate, *C_SignEncryptUpdate, *C_DecryptVerifyUpdate;
    CK_RV (*C_GenerateKey)(
        CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *attributes, CK_ULONG count,
        CK_OBJECT_HANDLE *key);
    CK_RV (*C_GenerateKeyPair)(
        CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *publicTemplate, CK_ULONG publicCount,
        CK_ATTRIBUTE *privateTemplate, CK_ULONG privateCount, CK_OBJECT_HANDLE *publicKey,
        CK_OBJECT_HANDLE *privateKey);
    CK_RV (*C_WrapKey)(
        CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE wrappingKey, CK_OBJECT_HANDLE key,
        CK_BYTE *wrapped, CK_ULONG *wrappedLength);
    CK_RV (*C_UnwrapKey)(
        CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE unwrappingKey, CK_BYTE *wrapped,
        CK_ULONG wrappedLength, CK_ATTRIBUTE *attributes, CK_ULONG count, CK_OBJECT_HANDLE *key);
    strongroom_unused *C_DeriveKey, *C_SeedRandom, *C_GenerateRandom, *C_GetFunctionStatus, *C_CancelFunction,
        *C_WaitForSlotEvent;
} CK_FUNCTION_LIST;

typedef CK_RV (*CK_C_GetFunctionList)(CK_FUNCTION_LIST **list);

/// The standard's name of a result, such as CKR_PIN_LOCKED; NULL for one that is not declared here.
const char *strongroom_pkcs11_result(CK_RV result);

#define CKF_OS_LOCKING_OK 0x2UL
#define CKF_SERIAL_SESSION 0x4UL
// Of a token.
#define CKF_LOGIN_REQUIRED 0x4UL
#define CKF_PROTECTED_AUTHENTICATION_PATH 0x100UL
#define CKF_USER_PIN_COUNT_LOW 0x10000UL
#define CKF_USER_PIN_FINAL_TRY 0x20000UL
#define CKF_USER_PIN_LOCKED 0x40000UL
// Of a mechanism.
#define CKF_ENCRYPT 0x100UL
#define CKF_DECRYPT 0x200UL
#define CKF_WRAP 0x20000UL
#define CKF_UNWRAP 0x40000UL

#define CKU_USER 1UL
#define CKS_RO_USER_FUNCTIONS 1UL
#define CKS_RW_USER_FUNCTIONS 3UL

#define CKO_PUBLIC_KEY 0x2UL
#define CKO_PRIVATE_KEY 0x3UL
#define CKO_SECRET_KEY 0x4UL
#define CKK_RSA 0x0UL
#define CKK_GENERIC_SECRET 0x10UL
#define CKK_AES 0x1FUL
#define CKA_CLASS 0x0UL
#define CKA_TOKEN 0x1UL
#define CKA_PRIVATE 0x2UL
#define CKA_LABEL 0x3UL
#define CKA_VALUE 0x11UL
#define CKA_KEY_TYPE 0x100UL
#define CKA_ID 0x102UL
#define CKA_SENSITIVE 0x103UL
#define CKA_ENCRYPT 0x104UL
#define CKA_DECRYPT 0x105UL
#define CKA_WRAP 0x106UL
#define CKA_UNWRAP 0x107UL
#define CKA_MODULUS 0x120UL
#define CKA_EXTRACTABLE 0x162UL
#define CKA_ALWAYS_AUTHENTICATE 0x202UL

#define CKM_RSA_PKCS_OAEP 0x9UL
#define CKM_SHA_1 0x220UL
#define CKM_SHA256 0x250UL
#define CKM_AES_GCM 0x1087UL
#define CKM_AES_KEY_WRAP 0x2109UL
#define CKG_MGF1_SHA1 0x1UL
#define CKG_MGF1_SHA256 0x2UL
#define CKZ_DATA_SPECIFIED 0x1UL

#define CKR_OK 0x0UL
#define CKR_CANCEL 0x1UL
#define CKR_HOST_MEMORY 0x2UL
#define CKR_SLOT_ID_INVALID 0x3UL
#define CKR_GENERAL_ERROR 0x5UL
#define CKR_FUNCTION_FAILED 0x6UL
#define CKR_ARGUMENTS_BAD 0x7UL
#define CKR_CANT_LOCK 0xAUL
#define CKR_ATTRIBUTE_SENSITIVE 0x11UL
#define CKR_ATTRIBUTE_TYPE_INVALID 0x12UL
#define CKR_ATTRIBUTE_VALUE_INVALID 0x13UL
#define CKR_ACTION_PROHIBITED 0x1BUL
#define CKR_DATA_INVALID 0x20UL
#define CKR_DATA_LEN_RANGE 0x21UL
#define CKR_DEVICE_ERROR 0x30UL
#define CKR_DEVICE_MEMORY 0x31UL
#define CKR_DEVICE_REMOVED 0x32UL
#define CKR_ENCRYPTED_DATA_INVALID 0x40UL
#define CKR_ENCRYPTED_DATA_LEN_RANGE 0x41UL
#define CKR_AEAD_DECRYPT_FAILED 0x42UL
#define CKR_FUNCTION_CANCELED 0x50UL
#define CKR_FUNCTION_NOT_SUPPORTED 0x54UL
#define CKR_KEY_HANDLE_INVALID 0x60UL
#define CKR_KEY_SIZE_RANGE 0x62UL
#define CKR_KEY_TYPE_INCONSISTENT 0x63UL
#define CKR_KEY_FUNCTION_NOT_PERMITTED 0x68UL
#define CKR_KEY_NOT_WRAPPABLE 0x69UL
#define CKR_KEY_UNEXTRACTABLE 0x6AUL
#define CKR_MECHANISM_INVALID 0x70UL
#define CKR_MECHANISM_PARAM_INVALID 0x71UL
#define CKR_OBJECT_HANDLE_INVALID 0x82UL
#define CKR_OPERATION_ACTIVE 0x90UL
#define CKR_OPERATION_NOT_INITIALIZED 0x91UL
#define CKR_PIN_INCORRECT 0xA0UL
#define CKR_PIN_INVALID 0xA1UL
#define CKR_PIN_LEN_RANGE 0xA2UL
#define CKR_PIN_EXPIRED 0xA3UL
#define CKR_PIN_LOCKED 0xA4UL
#define CKR_SESSION_CLOSED 0xB0UL
#define CKR_SESSION_COUNT 0xB1UL
#define CKR_SESSION_HANDLE_INVALID 0xB3UL
#define CKR_SESSION_READ_ONLY 0xB5UL
#define CKR_TEMPLATE_INCOMPLETE 0xD0UL
#define CKR_TEMPLATE_INCONSISTENT 0xD1UL
#define CKR_TOKEN_NOT_PRESENT 0xE0UL
#define CKR_TOKEN_NOT_RECOGNIZED 0xE1UL
#define CKR_TOKEN_WRITE_PROTECTED 0xE2UL
#define CKR_UNWRAPPING_KEY_HANDLE_INVALID 0xF0UL
#define CKR_UNWRAPPING_KEY_SIZE_RANGE 0xF1UL
#define CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT 0xF2UL
#define CKR_USER_ALREADY_LOGGED_IN 0x100UL
#define CKR_USER_NOT_LOGGED_IN 0x101UL
#define CKR_USER_PIN_NOT_INITIALIZED 0x102UL
#define CKR_USER_TYPE_INVALID 0x103UL
#define CKR_USER_ANOTHER_ALREADY_LOGGED_IN 0x104UL
#define CKR_USER_TOO_MANY_TYPES 0x105UL
#define CKR_WRAPPED_KEY_INVALID 0x110UL
#define CKR_WRAPPED_KEY_LEN_RANGE 0x112UL
#define CKR_WRAPPING_KEY_HANDLE_INVALID 0x113UL
#define CKR_WRAPPING_KEY_SIZE_RANGE 0x114UL
#define CKR_WRAPPING_KEY_TYPE_INCONSISTENT 0x115UL
#define CKR_BUFFER_TOO_SMALL 0x150UL
#define CKR_CRYPTOKI_NOT_INITIALIZED 0x190UL
#define CKR_CRYPTOKI_ALREADY_INITIALIZED 0x191UL

#ifdef __cplusplus
}
#endif

#endif

#include "libcrypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

strongroom_digest *strongroom_digest_new(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1) return (strongroom_digest *)context;
    EVP_MD_CTX_free(context);
    return NULL;
}

int strongroom_digest_update(strongroom_digest *context, const uint8_t *bytes, size_t count) {
    return EVP_DigestUpdate((EVP_MD_CTX *)context, bytes, count) == 1;
}

int strongroom_digest_finish(strongroom_digest *context, uint8_t *digest) {
    return EVP_DigestFinal_ex((EVP_MD_CTX *)context, digest, NULL) == 1;
}

void strongroom_digest_free(strongroom_digest *context) { EVP_MD_CTX_free((EVP_MD_CTX *)context); }

// libcrypto takes lengths as int in several places; none here comes near.
static int is_int(size_t count) { return count <= INT32_MAX; }

int strongroom_pbkdf2(
    const char *hash, const uint8_t *secret, size_t secret_count, const uint8_t *salt, size_t salt_count,
    uint32_t rounds, uint8_t *key, size_t key_count) {
    const EVP_MD *function = EVP_get_digestbyname(hash);
    if (function == NULL || !is_int(secret_count) || !is_int(salt_count) || !is_int(rounds) || !is_int(key_count)) {
        return 0;
    }
    return PKCS5_PBKDF2_HMAC(
               (const char *)secret, (int)secret_count, salt, (int)salt_count, (int)rounds, function, (int)key_count,
               key) == 1;
}

int strongroom_scrypt(
    const uint8_t *secret, size_t secret_count, const uint8_t *salt, size_t salt_count, uint64_t rounds,
    uint64_t block_size, uint64_t parallelism, uint8_t *key, size_t key_count) {
    return EVP_PBE_scrypt(
               (const char *)secret, secret_count, salt, salt_count, rounds, block_size, parallelism, SIZE_MAX, key,
               key_count) == 1;
}

int strongroom_hkdf_sha256(
    const uint8_t *secret, size_t secret_count, const uint8_t *salt, size_t salt_count, const uint8_t *info,
    size_t info_count, uint8_t *key, size_t key_count) {
    EVP_KDF *function = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(function);
    OSSL_PARAM parameters[5];
    OSSL_PARAM *next = parameters;
    int done = 0;
    if (context != NULL) {
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_count);
        // An empty salt is the same as none.
        if (salt_count > 0) {
            *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
        }
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
        *next = OSSL_PARAM_construct_end();
        done = EVP_KDF_derive(context, key, key_count, parameters) == 1;
    }
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(function);
    return done;
}

int strongroom_x25519(const uint8_t *private_key, const uint8_t *public_key, uint8_t *secret) {
    EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, 32);
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, public_key, 32);
    EVP_PKEY_CTX *context = own == NULL || other == NULL ? NULL : EVP_PKEY_CTX_new(own, NULL);
    size_t count = 32;
    int done = context != NULL && EVP_PKEY_derive_init(context) == 1
        && EVP_PKEY_derive_set_peer(context, other) == 1 && EVP_PKEY_derive(context, secret, &count) == 1
        && count == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(other);
    EVP_PKEY_free(own);
    // What failed leaves no reason for a later function that fails.
    if (!done) ERR_clear_error();
    return done;
}

int strongroom_gcm_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *header, size_t header_count, const uint8_t *plain,
    size_t count, uint8_t *sealed, uint8_t *tag) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0;
    int done = context != NULL && is_int(header_count) && is_int(count)
        && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_EncryptUpdate(context, NULL, &length, header, (int)header_count) == 1
        && EVP_EncryptUpdate(context, sealed, &length, plain, (int)count) == 1
        && EVP_EncryptFinal_ex(context, sealed + length, &length) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
}

int strongroom_gcm_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *header, size_t header_count, const uint8_t *sealed,
    size_t count, const uint8_t *tag, uint8_t *plain) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0;
    int done = context != NULL && is_int(header_count) && is_int(count)
        && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_DecryptUpdate(context, NULL, &length, header, (int)header_count) == 1
        && EVP_DecryptUpdate(context, plain, &length, sealed, (int)count) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag) == 1
        && EVP_DecryptFinal_ex(context, plain + length, &length) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
}

int strongroom_cbc_decrypt(
    const uint8_t *key, const uint8_t *vector, const uint8_t *sealed, size_t count, uint8_t *plain) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0;
    int done = context != NULL && is_int(count)
        && EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), NULL, key, vector) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_DecryptUpdate(context, plain, &length, sealed, (int)count) == 1 && (size_t)length == count;
    EVP_CIPHER_CTX_free(context);
    return done;
}

strongroom_hmac *strongroom_hmac_new(const char *hash, const uint8_t *key, size_t key_count) {
    EVP_MAC *function = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = function == NULL ? NULL : EVP_MAC_CTX_new(function);
    OSSL_PARAM parameters[2];
    EVP_MAC_free(function);
    if (context == NULL) return NULL;
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)hash, 0);
    parameters[1] = OSSL_PARAM_construct_end();
    if (EVP_MAC_init(context, key, key_count, parameters) == 1) return (strongroom_hmac *)context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

void strongroom_hmac_free(strongroom_hmac *context) { EVP_MAC_CTX_free((EVP_MAC_CTX *)context); }

size_t strongroom_hmac_code(
    const strongroom_hmac *context, const uint8_t *first, size_t first_count, const uint8_t *second,
    size_t second_count, uint8_t *code) {
    // The keyed context itself is only read, so that several threads can.
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup((const EVP_MAC_CTX *)context);
    size_t length = 0;
    int done = copy != NULL && EVP_MAC_update(copy, first, first_count) == 1
        && EVP_MAC_update(copy, second, second_count) == 1 && EVP_MAC_final(copy, code, &length, 64) == 1;
    EVP_MAC_CTX_free(copy);
    return done ? length : 0;
}

int strongroom_is_equal(const uint8_t *left, const uint8_t *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}

const char *strongroom_crypto_error(void) {
    unsigned long code = ERR_get_error();
    const char *reason = ERR_reason_error_string(code);
    ERR_clear_error();
    return reason == NULL ? "it gives no reason" : reason;
}

// The functions of OpenSSL's libcrypto (version 3 and later) that the library uses. OpenSSL's own headers stay out of
// Swift: they bring declarations of the C library along.
//
// Functions that return int return 1, or 0 when libcrypto refused or had no memory; strongroom_crypto_error tells why.

#ifndef STRONGROOM_LIBCRYPTO_H
#define STRONGROOM_LIBCRYPTO_H

#include <stddef.h>
#include <stdint.h>

// The names of hashes are libcrypto's: "SHA1", "SHA256", "SHA512".

// A SHA-256 digest, 32 bytes, of bytes that come in parts; NULL when it cannot be made.
typedef struct strongroom_digest strongroom_digest;
strongroom_digest *strongroom_digest_new(void);
int strongroom_digest_update(strongroom_digest *context, const uint8_t *bytes, size_t count);
int strongroom_digest_finish(strongroom_digest *context, uint8_t *digest);
void strongroom_digest_free(strongroom_digest *context);

int strongroom_pbkdf2(
    const char *hash, const uint8_t *secret, size_t secret_count, const uint8_t *salt, size_t salt_count,
    uint32_t rounds, uint8_t *key, size_t key_count);

int strongroom_scrypt(
    const uint8_t *secret, size_t secret_count, const uint8_t *salt, size_t salt_count, uint64_t rounds,
    uint64_t block_size, uint64_t parallelism, uint8_t *key, size_t key_count);

int strongroom_hkdf_sha256(
    const uint8_t *secret, size_t secret_count, const uint8_t *salt, size_t salt_count, const uint8_t *info,
    size_t info_count, uint8_t *key, size_t key_count);

// X25519: 32 bytes each. libcrypto refuses a public key of low order.
int strongroom_x25519(const uint8_t *private_key, const uint8_t *public_key, uint8_t *secret);

// AES-256-GCM; 12 bytes of nonce, 16 bytes of tag.
int strongroom_gcm_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *header, size_t header_count, const uint8_t *plain,
    size_t count, uint8_t *sealed, uint8_t *tag);
int strongroom_gcm_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *header, size_t header_count, const uint8_t *sealed,
    size_t count, const uint8_t *tag, uint8_t *plain);

// AES-256-CBC without padding; count is a multiple of 16.
int strongroom_cbc_decrypt(
    const uint8_t *key, const uint8_t *vector, const uint8_t *sealed, size_t count, uint8_t *plain);

// HMAC. A context is keyed once, and may then be used by several threads at a time; NULL when it cannot be made.
typedef struct strongroom_hmac strongroom_hmac;
strongroom_hmac *strongroom_hmac_new(const char *hash, const uint8_t *key, size_t key_count);
void strongroom_hmac_free(strongroom_hmac *context);

// The code of two runs of bytes, one after the other; code has 64 bytes. Returns the length of the code, or 0.
size_t strongroom_hmac_code(
    const strongroom_hmac *context, const uint8_t *first, size_t first_count, const uint8_t *second,
    size_t second_count, uint8_t *code);

// Whether two runs of bytes are equal, in a time that depends on their length alone.
int strongroom_is_equal(const uint8_t *left, const uint8_t *right, size_t count);

// Why the last function of this thread failed, and forgets it.
const char *strongroom_crypto_error(void);

#endif

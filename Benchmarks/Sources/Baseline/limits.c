// open and pread are POSIX.
#define _GNU_SOURCE
#include "connection.h"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { vector = 16, pages_at_once = 64, most_threads = 64 };

struct share {
    int descriptor, page_size, code_length, failed;
    off_t first, end;
    const char *hash;
    baseline_cipher cipher;
};

// Enciphers or deciphers a page in place, as the engine does: AES-256 in CBC mode with a vector of its own.
static int cipher_page(EVP_CIPHER_CTX *context, unsigned char *page, int length, int enciphers) {
    const unsigned char key[32] = {2}, start[vector] = {3};
    int done;
    return EVP_CipherInit_ex(context, EVP_aes_256_cbc(), NULL, key, start, enciphers) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_CipherUpdate(context, page, &done, page, length) == 1;
}

static void *hash_share(void *argument) {
    struct share *share = argument;
    EVP_MAC *function = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(function);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)share->hash, 0),
                               OSSL_PARAM_construct_end()};
    const unsigned char key[32] = {1};
    int reserve = (vector + share->code_length + vector - 1) / vector * vector;
    size_t covered = (size_t)(share->page_size - reserve + vector);
    unsigned char *pages = malloc((size_t)(pages_at_once * share->page_size)), code[64];
    size_t length;
    EVP_CIPHER_CTX *ciphering = EVP_CIPHER_CTX_new();
    share->failed = pages == NULL || ciphering == NULL || EVP_MAC_init(context, key, sizeof key, parameters) != 1;
    for (off_t page = share->first; page < share->end && !share->failed; page += pages_at_once) {
        ssize_t count = pread(share->descriptor, pages, (size_t)(pages_at_once * share->page_size),
                              page * share->page_size) / share->page_size;
        for (ssize_t index = 0; index < count && page + index < share->end; index++) {
            unsigned char *page = pages + index * share->page_size;
            for (int passes = share->cipher == baseline_cipher_both ? 2 : 1; passes > 0; passes--) {
                // The key is kept.
                share->failed |= EVP_MAC_init(context, NULL, 0, NULL) != 1
                    || EVP_MAC_update(context, page, covered) != 1
                    || EVP_MAC_final(context, code, &length, sizeof code) != 1;
                if (share->cipher == baseline_cipher_none) continue;
                int enciphers = passes == 1 && share->cipher != baseline_cipher_decipher;
                share->failed |= !cipher_page(ciphering, page, share->page_size - reserve, enciphers);
            }
        }
    }
    free(pages);
    EVP_CIPHER_CTX_free(ciphering);
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(function);
    return NULL;
}

int baseline_hash(const char *path, int page_size, const char *hash, int code_length, int threads,
                  baseline_cipher cipher) {
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) return SQLITE_CANTOPEN;
    off_t pages = lseek(descriptor, 0, SEEK_END) / page_size;
    struct share shares[most_threads];
    pthread_t handles[most_threads];
    if (threads > most_threads) threads = most_threads;
    int started = 0, failed = 0;
    for (; started < threads; started++) {
        shares[started] = (struct share){descriptor, page_size, code_length, 0, pages * started / threads,
                                         pages * (started + 1) / threads, hash, cipher};
        if (pthread_create(&handles[started], NULL, hash_share, &shares[started]) != 0) break;
    }
    for (int index = 0; index < started; index++) {
        pthread_join(handles[index], NULL);
        failed |= shares[index].failed;
    }
    close(descriptor);
    return failed || started < threads ? SQLITE_ERROR : SQLITE_OK;
}

int baseline_derive(const char *passphrase, const char *hash, int iterations) {
    const unsigned char salt[vector] = {4};
    unsigned char key[32];
    return PKCS5_PBKDF2_HMAC(passphrase, -1, salt, sizeof salt, iterations, EVP_get_digestbyname(hash), sizeof key,
                             key) == 1 ? SQLITE_OK : SQLITE_ERROR;
}

int baseline_synchronize(const char *path, int bytes, int count) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), result = SQLITE_OK;
    unsigned char *block = calloc(1, (size_t)bytes);
    if (descriptor < 0 || block == NULL) result = SQLITE_CANTOPEN;
    // The file's length does not change afterwards, which would have to reach the disk, too.
    if (result == SQLITE_OK && (pwrite(descriptor, block, (size_t)bytes, 0) != bytes || fsync(descriptor) != 0))
        result = SQLITE_IOERR;
    for (int index = 0; index < count && result == SQLITE_OK; index++)
        if (pwrite(descriptor, block, (size_t)bytes, 0) != bytes || fdatasync(descriptor) != 0)
            result = SQLITE_IOERR;
    free(block);
    if (descriptor >= 0) close(descriptor);
    return result;
}

#include "sim/page/word_fill.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sim {

namespace {

void fill_plain(std::uint64_t* out, std::size_t count, std::uint64_t value) {
    for (std::size_t i = 0; i < count; ++i) out[i] = value;
}

void xor_plain(std::uint64_t* out, const std::uint64_t* from, std::size_t count, std::uint64_t key) {
    for (std::size_t i = 0; i < count; ++i) out[i] = from[i] ^ key;
}

#if defined(__x86_64__)

// At -O2, compilers neither vectorize nor unroll loops of unknown length, and they do not use newer CPUs than the target.
constexpr std::size_t kVectorWords = sizeof(__m256i) / sizeof(std::uint64_t);
constexpr std::size_t kStepWords = 4 * kVectorWords;

const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;

__attribute__((target("avx2"))) void store(std::uint64_t* out, __m256i value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), value);
}

__attribute__((target("avx2"))) __m256i load(const std::uint64_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

__attribute__((target("avx2"))) void fill_avx2(std::uint64_t* out, std::size_t count, std::uint64_t value) {
    const __m256i values = _mm256_set1_epi64x(static_cast<long long>(value));
    std::size_t i = 0;
    for (; i + kStepWords <= count; i += kStepWords) {
        store(out + i, values);
        store(out + i + kVectorWords, values);
        store(out + i + 2 * kVectorWords, values);
        store(out + i + 3 * kVectorWords, values);
    }
    fill_plain(out + i, count - i, value);
}

__attribute__((target("avx2"))) void xor_avx2(std::uint64_t* out, const std::uint64_t* from, std::size_t count, std::uint64_t key) {
    const __m256i keys = _mm256_set1_epi64x(static_cast<long long>(key));
    std::size_t i = 0;
    for (; i + kStepWords <= count; i += kStepWords) {
        store(out + i, _mm256_xor_si256(load(from + i), keys));
        store(out + i + kVectorWords, _mm256_xor_si256(load(from + i + kVectorWords), keys));
        store(out + i + 2 * kVectorWords, _mm256_xor_si256(load(from + i + 2 * kVectorWords), keys));
        store(out + i + 3 * kVectorWords, _mm256_xor_si256(load(from + i + 3 * kVectorWords), keys));
    }
    xor_plain(out + i, from + i, count - i, key);
}

#else

constexpr bool kHasAvx2 = false;
void fill_avx2(std::uint64_t* out, std::size_t count, std::uint64_t value) { fill_plain(out, count, value); }
void xor_avx2(std::uint64_t* out, const std::uint64_t* from, std::size_t count, std::uint64_t key) { xor_plain(out, from, count, key); }

#endif

}  // namespace

void fill_words(std::uint64_t* out, std::size_t count, std::uint64_t value) {
    kHasAvx2 ? fill_avx2(out, count, value) : fill_plain(out, count, value);
}

void xor_words(std::uint64_t* out, const std::uint64_t* from, std::size_t count, std::uint64_t key) {
    kHasAvx2 ? xor_avx2(out, from, count, key) : xor_plain(out, from, count, key);
}

}  // namespace sim

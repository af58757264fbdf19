// Vec: one register of floats, as wide as this build's instructions, with the operators of numbers; everything above this
// file is written over it.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace pagemill {

#if defined(__AVX512F__)
using Vec = __m512;
using Ints = __m512i;
#else
using Vec = __m256;
using Ints = __m256i;
#endif
constexpr int LANES = sizeof(Vec) / sizeof(float);

inline Vec zero() { return Vec{}; }
inline Vec floats(Ints x) { return (Vec)x; }
inline Ints bits(Vec x) { return (Ints)x; }
inline void store(float *p, Vec x) { std::memcpy(p, &x, sizeof x); }
inline Vec load(const float *p) {
    Vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
}
inline Ints load(const int32_t *p) { return bits(load((const float *)p)); }

#if defined(__AVX512F__)
inline Vec set1(float x) { return _mm512_set1_ps(x); }
inline Ints set1(int32_t x) { return _mm512_set1_epi32(x); }
inline Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
inline Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
inline Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
inline Ints sub(Ints a, Ints b) { return _mm512_sub_epi32(a, b); }
inline Vec to_floats(Ints x) { return _mm512_cvtepi32_ps(x); }
inline Ints rounded(Vec x) { return _mm512_cvtps_epi32(x); }
template <int N> inline Ints shift_left(Ints x) { return _mm512_slli_epi32(x, N); }
inline Ints upper_halves(Ints x) { return _mm512_and_si512(x, _mm512_set1_epi32(0xffff0000)); }
inline Vec zero_below(Vec x, Vec limit, Vec y) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, limit, _CMP_LT_OQ), y, zero());
}
inline Vec load(const uint16_t *p) {
    return floats(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
inline float sum(Vec x) { return _mm512_reduce_add_ps(x); }
inline float largest(Vec x) { return _mm512_reduce_max_ps(x); }
#else
inline Vec set1(float x) { return _mm256_set1_ps(x); }
inline Ints set1(int32_t x) { return _mm256_set1_epi32(x); }
inline Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
inline Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
inline Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
inline Ints sub(Ints a, Ints b) { return _mm256_sub_epi32(a, b); }
inline Vec to_floats(Ints x) { return _mm256_cvtepi32_ps(x); }
inline Ints rounded(Vec x) { return _mm256_cvtps_epi32(x); }
template <int N> inline Ints shift_left(Ints x) { return _mm256_slli_epi32(x, N); }
inline Ints upper_halves(Ints x) { return _mm256_and_si256(x, _mm256_set1_epi32(0xffff0000)); }
inline Vec zero_below(Vec x, Vec limit, Vec y) { return _mm256_andnot_ps(_mm256_cmp_ps(x, limit, _CMP_LT_OQ), y); }
inline Vec load(const uint16_t *p) {
    return floats(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
}
inline float sum(Vec x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
inline float largest(Vec x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}
#endif

// Registers for a tile of a product: ROWS x 3 accumulators, three of the matrix, one of the rows.
constexpr int ROWS = LANES == 16 ? 8 : 4;
constexpr int WIDTH = 3 * LANES;

// The nearest bfloat16, ties to even; a NaN stays one.
inline uint16_t to_bf16(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, 4);
    if (x != x) return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline void put(float *p, float x) { *p = x; }
inline void put(uint16_t *p, float x) { *p = to_bf16(x); }

// e^x to the last bit or two: 2^n times a polynomial over half a power of two (coefficients of Cephes' expf); 0 below
// -87.3, so that what is masked with -inf weighs nothing.
inline Vec exp(Vec x) {
    Vec clamped = min(set1(88.0f), max(set1(-87.3f), x));  // in this order a NaN stays one
    Ints n = rounded(clamped * set1(1.44269504088896341f));
    Vec whole = to_floats(n);
    Vec r = fma(whole, set1(-0.693359375f), clamped);
    r = fma(whole, set1(2.12194440e-4f), r);
    Vec p = fma(set1(1.9875691500e-4f), r, set1(1.3981999507e-3f));
    p = fma(p, r, set1(8.3334519073e-3f));
    p = fma(p, r, set1(4.1665795894e-2f));
    p = fma(p, r, set1(1.6666665459e-1f));
    p = fma(p, r, set1(5.0000001201e-1f));
    p = fma(p, r * r, r) + set1(1.0f);
    return zero_below(x, set1(-87.3f), floats(add(bits(p), shift_left<23>(n))));
}

}  // namespace pagemill

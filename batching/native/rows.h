// What is done to one row of floats at a time. Counts are multiples of LANES but for `pick`.
#pragma once

#include <cmath>
#include <limits>

#include "product.h"

namespace pagemill {

inline void normed(const float *row, const float *weights, int64_t count, double eps, float *out) {
    Vec squares = zero();
    for (int64_t index = 0; index < count; index += LANES) squares = fma(load(row + index), load(row + index), squares);
    const Vec by = set1((float)(1 / std::sqrt((double)sum(squares) / (double)count + eps)));
    for (int64_t index = 0; index < count; index += LANES) store(out + index, load(row + index) * by * load(weights + index));
}

// Rotary embedding with halves paired as in Llama.
inline void rotate(float *head, const float *cosines, const float *sines, int64_t half) {
    for (int64_t index = 0; index < half; index++) {
        const float low = head[index], high = head[index + half];
        head[index] = __builtin_fmaf(high, sines[index], low * cosines[index]);
        head[index + half] = __builtin_fmaf(low, sines[index + half], high * cosines[index + half]);
    }
}

inline Vec silu(Vec x) { return x / (set1(1.0f) + exp(-x)); }

// A row as a product of `kind` takes it. Bytes have a scale of the row's own, and 128 added.
inline void to_units(int64_t kind, const float *row, int64_t count, int32_t *units, float *scale) {
    if (kind == FLOAT32) {
        std::memcpy(units, row, count * 4);
        return;
    }
    if (kind == BFLOAT16) {
        auto *out = (uint16_t *)units;
        for (int64_t index = 0; index < count; index++) out[index] = to_bf16(row[index]);
        return;
    }
    Vec most = zero(), any = zero();
    for (int64_t index = 0; index < count; index += LANES) {
        const Vec x = load(row + index);
        most = max(most, max(x, -x));
        any = fma(x, zero(), any);  // NaN where a number is not finite
    }
    const bool finite = sum(any) == 0;
    *scale = finite ? std::max(largest(most) / 127, 1e-12f) : std::numeric_limits<float>::quiet_NaN();
    const Vec by = set1(finite ? 1 / *scale : 0.0f);
    auto *out = (uint8_t *)units;
    for (int64_t index = 0; index < count; index += LANES) {
        alignas(64) int32_t whole[LANES];
        const Ints steps = add(rounded(load(row + index) * by), set1((int32_t)128));
        std::memcpy(whole, &steps, sizeof whole);
        for (int i = 0; i < LANES; i++) out[index + i] = (uint8_t)whole[i];
    }
}

// The likeliest token and, unless it is null, its log-probability; false where a logit is no number or +infinity.
inline bool pick(const float *logits, int64_t count, int64_t *token, float *logprob) {
    int64_t best = 0;
    const int64_t even = count / LANES * LANES;
    Vec high = set1(-std::numeric_limits<float>::infinity()), total = zero();
    Vec all = zero();  // a maximum does not see what is not a number, a sum does
    for (int64_t index = 0; index < even; index += LANES) {
        high = max(load(logits + index), high);
        all = all + load(logits + index);
    }
    float top = largest(high), check = sum(all);
    for (int64_t index = even; index < count; index++) {
        top = std::max(top, logits[index]);
        check += logits[index];
    }
    while (best < count - 1 && logits[best] != top) best++;
    *token = best;
    const bool finite = std::isfinite(top) && !std::isnan(check);
    if (!logprob || !finite) return finite;
    for (int64_t index = 0; index < even; index += LANES) total = total + exp(load(logits + index) - set1(top));
    float rest = 0;
    for (int64_t index = even; index < count; index++) rest += std::exp(logits[index] - top);
    *logprob = -std::log(sum(total) + rest);
    return true;
}

}  // namespace pagemill

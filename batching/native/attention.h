// Attention of a few queries over the KV blocks of one sequence. A query's result depends on nothing but itself and the
// keys and values up to its own token.
#pragma once

#include <algorithm>
#include <limits>

#include "simd.h"

namespace pagemill {

constexpr int QUERIES = 8;       // at once: they share what is loaded of keys and values
constexpr int MAX_HEAD_DIM = 512;

// The keys and values of one KV head in one sequence. In a block, keys are (KV heads, head dim, block size), so that one
// register holds a number of LANES tokens; values are (KV heads, block size, head dim).
template <class T> struct Context {
    const T *keys;
    const T *values;
    const int32_t *blocks;
    int64_t block_size;
    int64_t head_dim;
    int64_t num_kv_heads;
    int64_t head;

    int64_t start(int64_t block) const {
        return ((int64_t)blocks[block] * num_kv_heads + head) * head_dim * block_size;
    }
};

// Scores of Q queries against C registers of LANES tokens each, from register `first` of `last` on. Meanwhile the values
// of the same tokens and the keys of those after them are fetched.
template <int Q, int C, class T>
inline void scores_of(const Context<T> &context, const float (*queries)[MAX_HEAD_DIM], int64_t first, int64_t last, float *scores,
                      int64_t stride) {
    const int64_t per_block = context.block_size / LANES;
    const T *keys[C], *ahead[C];
    Vec sums[Q][C];
    for (int c = 0; c < C; c++) {
        keys[c] = context.keys + context.start((first + c) / per_block) + (first + c) % per_block * LANES;
        const int64_t later = std::min(first + C + c, last);
        ahead[c] = context.keys + context.start(later / per_block) + later % per_block * LANES;
        for (int q = 0; q < Q; q++) sums[q][c] = zero();
    }
    for (int64_t dim = 0; dim < context.head_dim; dim++) {
        Vec of_tokens[C];
        for (int c = 0; c < C; c++) {
            of_tokens[c] = load(keys[c] + dim * context.block_size);
            _mm_prefetch((const char *)(context.values + (keys[c] - context.keys) + dim * context.block_size), _MM_HINT_T0);
            _mm_prefetch((const char *)(ahead[c] + dim * context.block_size), _MM_HINT_T0);
        }
        for (int q = 0; q < Q; q++) {
            const Vec number = set1(queries[q][dim]);
            for (int c = 0; c < C; c++) sums[q][c] = fma(number, of_tokens[c], sums[q][c]);
        }
    }
    for (int q = 0; q < Q; q++)
        for (int c = 0; c < C; c++) store(scores + q * stride + (first + c) * LANES, sums[q][c]);
}

inline float number(const float *p) { return *p; }
inline float number(const uint16_t *p) {
    uint32_t bits = (uint32_t)*p << 16;
    float x;
    std::memcpy(&x, &bits, 4);
    return x;
}

// Scores of Q queries against the first `length` tokens; `scores` are (Q, stride), the stride a multiple of LANES.
template <int Q, class T>
inline void all_scores(const Context<T> &context, const float (*queries)[MAX_HEAD_DIM], int64_t length, float *scores,
                       int64_t stride) {
    if (context.block_size % LANES == 0) {
        constexpr int C = Q <= 4 ? 4 : 2;  // so many sums that none waits for the one before
        const int64_t num_registers = (length + LANES - 1) / LANES;
        int64_t index = 0;
        for (; index + C <= num_registers; index += C) scores_of<Q, C>(context, queries, index, num_registers - 1, scores, stride);
        if (C == 4 && index + 2 <= num_registers) {
            scores_of<Q, 2>(context, queries, index, num_registers - 1, scores, stride);
            index += 2;
        }
        if (index < num_registers) scores_of<Q, 1>(context, queries, index, num_registers - 1, scores, stride);
        return;
    }
    for (int64_t token = 0; token < length; token++) {  // blocks that no register fits: slow, for tests
        const T *key = context.keys + context.start(token / context.block_size) + token % context.block_size;
        for (int q = 0; q < Q; q++) {
            float sum = 0;
            for (int64_t dim = 0; dim < context.head_dim; dim++)
                sum = __builtin_fmaf(queries[q][dim], number(key + dim * context.block_size), sum);
            scores[q * stride + token] = sum;
        }
    }
}

// Turns the first `length` scores into weights whose sum is given back, and those up to `stride` into 0.
inline float to_weights(float *scores, int64_t length, int64_t stride) {
    for (int64_t index = length; index < stride; index++) scores[index] = -std::numeric_limits<float>::infinity();
    Vec high = load(scores);
    for (int64_t index = LANES; index < stride; index += LANES) high = max(high, load(scores + index));
    const Vec top = set1(largest(high));
    Vec total = zero();
    for (int64_t index = 0; index < stride; index += LANES) {
        const Vec weights = exp(load(scores + index) - top);
        store(scores + index, weights);
        total = total + weights;
    }
    return sum(total);
}

// V registers of the output of Q queries, from number `dim` on.
template <int Q, int V, class T>
inline void weigh(const Context<T> &context, const float *weights, int64_t stride, const float *totals, int64_t length,
                  int64_t dim, float *const *outputs) {
    Vec sums[Q][V];
    for (int q = 0; q < Q; q++)
        for (int v = 0; v < V; v++) sums[q][v] = zero();
    for (int64_t first = 0; first < length; first += context.block_size) {
        const T *values = context.values + context.start(first / context.block_size) + dim;
        const int64_t end = first + context.block_size < length ? first + context.block_size : length;
        for (int64_t token = first; token < end; token++, values += context.head_dim) {
            Vec of_token[V];
            for (int v = 0; v < V; v++) of_token[v] = load(values + v * LANES);
            for (int q = 0; q < Q; q++) {
                const Vec weight = set1(weights[q * stride + token]);
                for (int v = 0; v < V; v++) sums[q][v] = fma(weight, of_token[v], sums[q][v]);
            }
        }
    }
    for (int q = 0; q < Q; q++)
        for (int v = 0; v < V; v++) store(outputs[q] + dim + v * LANES, sums[q][v] / set1(totals[q]));
}

template <int Q, class T>
inline void weigh_all(const Context<T> &context, const float *weights, int64_t stride, const float *totals,
                      int64_t length, float *const *outputs) {
    int64_t dim = 0;
    for (; dim + 4 * LANES <= context.head_dim; dim += 4 * LANES)
        weigh<Q, 4>(context, weights, stride, totals, length, dim, outputs);
    for (; dim < context.head_dim; dim += LANES)
        weigh<Q, 1>(context, weights, stride, totals, length, dim, outputs);
}

// `count` queries, but no more than Q.
template <int Q, class... Rest> inline void weigh_up_to(int count, const Rest &...rest) {
    if (count >= Q)
        weigh_all<Q>(rest...);
    else if constexpr (Q > 1)
        weigh_up_to<Q - 1>(count, rest...);
}

// `count` queries, the first of a token that sees `lengths[0]` tokens, and so on in ascending order; `scores` holds
// QUERIES * stride.
template <int Q, class T>
void attend(const Context<T> &context, int64_t count, const float (*queries)[MAX_HEAD_DIM], const int64_t *lengths,
            float *scores, int64_t stride, float *const *outputs) {
    if constexpr (Q > 1) {
        if (count < Q) return attend<Q - 1>(context, count, queries, lengths, scores, stride, outputs);
    }
    const int64_t longest = lengths[Q - 1], used = (longest + LANES - 1) / LANES * LANES;
    all_scores<Q>(context, queries, longest, scores, stride);
    float totals[Q];
    for (int q = 0; q < Q; q++) totals[q] = to_weights(scores + q * stride, lengths[q], used);
    constexpr int AT_ONCE = LANES == 16 ? 4 : 2;
    for (int q = 0; q < Q; q += AT_ONCE)
        weigh_up_to<AT_ONCE>(Q - q, context, scores + q * stride, stride, totals + q, longest, outputs + q);
}

}  // namespace pagemill

// What Python hands over; `structures.py` has the same structures.
#pragma once

#include "product.h"

namespace pagemill {

struct Layer {
    const float *norm;
    const float *q_norm;  // (head dim), or null
    const float *k_norm;
    const float *mlp_norm;
    Matrix qkv;      // queries, keys and values, one above the other
    Matrix out;
    Matrix gate_up;  // a panel of one and a panel of the other in turn
    Matrix down;
    void *keys;      // (blocks, KV heads, head dim, block size)
    void *values;    // (blocks, KV heads, block size, head dim)
};

struct Model {
    const Layer *layers;
    const float *norm;
    const float *rope;  // (2, rope length, head dim): cosines, and sines that are negative in the first half
    Matrix head;
    int64_t num_layers;
    int64_t hidden;
    int64_t intermediate;
    int64_t num_heads;
    int64_t num_kv_heads;
    int64_t head_dim;
    int64_t rope_length;
    int64_t block_size;
    int64_t bf16_kv;
    double scale;
    double eps;

    int64_t qkv_width() const { return (num_heads + 2 * num_kv_heads) * head_dim; }
};

// What a thread does in a pass; SMALL are norms, rotations, KV writes and conversions.
enum Part { PRODUCTS, ATTENTION, SMALL, WAITING, NUM_PARTS };

// T new tokens of B rows, those of a row together and in order.
struct Pass {
    const int32_t *rows;       // (T), of which row
    const int32_t *positions;  // (T), places in the row's context
    const int32_t *angles;     // (T), which row of the model's rope
    const int32_t *lasts;      // (B), each row's last token
    const int32_t *blocks;     // (B, num_blocks), of each row's context
    float *hidden;             // (T, hidden): the embeddings; overwritten
    float *logits;             // (B, outputs of the head)
    int64_t num_tokens;
    int64_t num_rows;
    int64_t num_blocks;
    int64_t num_threads;
    int64_t *times;  // (threads, NUM_PARTS), nanoseconds that the pass adds to; or null
};

}  // namespace pagemill

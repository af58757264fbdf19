// What Python hands over; `structures.py` has the same structures.
#pragma once

#include <algorithm>
#include <vector>

#include "product.h"

namespace pagemill {

struct Scratch;

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
    const void *embedding;  // (tokens, hidden), bfloat16 or float32; null: the head's matrix
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
    int64_t bf16;  // whether the embedding, keys and values are
    Scratch *scratch;  // kept from pass to pass; the C++ makes it
    double scale;
    double eps;

    int64_t qkv_width() const { return (num_heads + 2 * num_kv_heads) * head_dim; }
};

// What a thread does in a pass; SMALL are norms, rotations, KV writes and conversions.
enum Part { PRODUCTS, ATTENTION, SMALL, WAITING, NUM_PARTS };

// T new tokens of B rows, those of a row together and in order.
struct Pass {
    const int32_t *tokens;      // (T); below 0 where `hidden` holds the embedding already
    const int32_t *angles;      // (T), which row of the model's rope; null: that of the token's place in its context
    const int32_t *starts;      // (B), place in its context of each row's first token
    const int32_t *counts;      // (B), tokens of each row
    const int32_t *num_blocks;  // (B), of each row's context
    const int32_t *blocks;      // those of all rows, one after the other
    float *hidden;              // (T, hidden), overwritten
    float *logits;              // (B, outputs of the head)
    int64_t num_rows;
    int64_t num_threads;
    int64_t *times;  // (threads, NUM_PARTS), nanoseconds that the pass adds to; or null
};

// Of each token of a pass its row and place, of each row its last token, its blocks and its sequence: a row that goes on
// in the blocks of the row before it, as a draft does, is of the same one.
struct Layout {
    std::vector<int32_t> rows, positions;  // (T)
    std::vector<int32_t> lasts;            // (B)
    std::vector<int32_t> sequences;        // (B)
    std::vector<const int32_t *> blocks;   // (B)
    int64_t longest = 0;                   // tokens of a context

    explicit Layout(const Pass &pass) {
        const int32_t *next = pass.blocks;
        for (int32_t row = 0; row < pass.num_rows; row++) {
            const int32_t end = pass.starts[row] + pass.counts[row];
            for (int32_t position = pass.starts[row]; position < end; position++) {
                rows.push_back(row);
                positions.push_back(position);
            }
            lasts.push_back((int32_t)rows.size() - 1);
            blocks.push_back(next);
            const bool goes_on = row > 0 && pass.starts[row] == pass.starts[row - 1] + pass.counts[row - 1] &&
                                 pass.num_blocks[row] >= pass.num_blocks[row - 1] &&
                                 std::equal(blocks[row - 1], next, next);
            sequences.push_back(goes_on ? sequences.back() : row);
            next += pass.num_blocks[row];
            longest = std::max(longest, (int64_t)end);
        }
    }

    int64_t num_tokens() const { return rows.size(); }
};

}  // namespace pagemill

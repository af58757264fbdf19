// Worker: one thread's part of a pass. All threads go through the same phases, which barriers part.
#pragma once

#include <omp.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <vector>

#include "attention.h"
#include "model.h"
#include "product.h"
#include "rows.h"

namespace pagemill {

constexpr int64_t TOKENS_AT_ONCE = 512;  // through a layer: what bounds the scratch
constexpr int64_t PRODUCTS_OF_LAYER = 4;

// What the threads of a pass share, kept for the next pass: memory that is new costs a fault per page. A member is
// written by one thread, or by each in a part of its own.
struct Scratch {
    std::vector<float> normed, qkv, attended, gated, scales;
    std::vector<int32_t> units;  // rows as a product of bfloat16 or int8 takes them
    std::vector<float> last;     // (rows, hidden): what the head gets
    std::vector<std::atomic<int64_t>> next_item;
    std::vector<Tiles> tiles;  // of each product

    void begin(const Model &model, int64_t num_tokens, int64_t num_rows) {
        const int64_t at_once = std::max(std::min(num_tokens, TOKENS_AT_ONCE), num_rows);
        const int64_t num_regions = (num_tokens + TOKENS_AT_ONCE - 1) / TOKENS_AT_ONCE * model.num_layers;
        fit(normed, at_once * model.hidden);
        fit(qkv, at_once * model.qkv_width());
        fit(attended, at_once * model.num_heads * model.head_dim);
        fit(gated, at_once * model.intermediate);
        fit(scales, at_once);
        fit(units, at_once * std::max({model.hidden, model.intermediate, model.num_heads * model.head_dim}));
        fit(last, num_rows * model.hidden);
        next_item = std::vector<std::atomic<int64_t>>(num_regions);
        tiles = std::vector<Tiles>(num_regions * PRODUCTS_OF_LAYER + 1);
    }

private:
    template <class T> static void fit(std::vector<T> &numbers, int64_t count) {
        if ((int64_t)numbers.size() < count) numbers.resize(count);
    }
};

class Worker {
public:
    Worker(const Model &model, const Pass &pass, const Layout &layout, Scratch &scratch)
        : model(model),
          pass(pass),
          layout(layout),
          scratch(scratch),
          thread(omp_get_thread_num()),
          num_threads(omp_get_num_threads()) {
        stride = (layout.longest + LANES - 1) / LANES * LANES;
        scores.resize(QUERIES * stride);
        sums.resize(2 * WIDTH * std::max(std::min(layout.num_tokens(), TOKENS_AT_ONCE), pass.num_rows));
    }

    void run() {
        for (int64_t first = 0; first < layout.num_tokens(); first += TOKENS_AT_ONCE) {
            const int64_t end = std::min(first + TOKENS_AT_ONCE, layout.num_tokens());
            tokens.clear();
            for (int64_t token = first; token < end; token++) tokens.push_back(token);
            share(tokens.size(), [&](int64_t index) {
                if (const int32_t token = pass.tokens[tokens[index]]; token >= 0) embed(token, hidden(index));
            });
            barrier(SMALL);
            for (int64_t index = 0; index < model.num_layers; index++) layer(model.layers[index], index + 1 == model.num_layers);
            copy_lasts();
        }
        barrier(SMALL);
        multiply<1>(model.head, scratch.last.data(), pass.num_rows, ToRows{pass.logits, model.head.num_outputs});
    }

private:
    const Model &model;
    const Pass &pass;
    const Layout &layout;
    Scratch &scratch;
    const int64_t thread, num_threads;
    int64_t stride;
    int64_t num_regions = 0;      // attention regions so far, each with an item counter of its own
    int64_t num_products = 0;     // so far, each with tiles of its own
    std::vector<int64_t> tokens;  // that go through the layer, in order
    std::vector<float> scores;
    std::vector<int32_t> sums;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();  // when this part began

    // Ends a part of the pass: the threads wait for each other, and each notes how long it was in the part.
    void barrier(Part part) {
        note(part);
#pragma omp barrier
        note(WAITING);
    }

    void note(Part part) {
        if (!pass.times) return;
        const auto now = std::chrono::steady_clock::now();
        pass.times[thread * NUM_PARTS + part] += std::chrono::nanoseconds(now - since).count();
        since = now;
    }

    float *hidden(int64_t index) const { return pass.hidden + tokens[index] * model.hidden; }

    void embed(int64_t token, float *out) const {
        if (!model.embedding)
            unpacked(model.head, token, out);
        else if (model.bf16)
            copy_floats((const uint16_t *)model.embedding + token * model.hidden, out);
        else
            copy_floats((const float *)model.embedding + token * model.hidden, out);
    }

    template <class T> void copy_floats(const T *row, float *out) const {
        for (int64_t i = 0; i < model.hidden; i += LANES) store(out + i, load(row + i));
    }

    // Calls `work(index)` for this thread's share of `count`.
    template <class Work> void share(int64_t count, Work work) const {
        for (int64_t index = count * thread / num_threads; index < count * (thread + 1) / num_threads; index++) work(index);
    }

    // The rows of a product: as they are for float32, else converted by all threads together.
    const float *as_units(const Matrix &matrix, const float *rows, int64_t count) {
        if (matrix.kind == FLOAT32) return rows;
        const int64_t width = matrix.num_units * (matrix.kind == BFLOAT16 ? 2 : 4);
        share(count, [&](int64_t index) {
            to_units(matrix.kind, rows + index * width, width, scratch.units.data() + index * matrix.num_units, &scratch.scales[index]);
        });
        barrier(SMALL);
        return (const float *)scratch.units.data();
    }

    template <int GROUP, class Emit> void multiply(const Matrix &matrix, const float *rows, int64_t count, Emit emit) {
        rows = as_units(matrix, rows, count);
        product<GROUP>(matrix, (const int32_t *)rows, scratch.scales.data(), count, scratch.tiles[num_products++],
                       num_threads, sums.data(), emit);
        barrier(PRODUCTS);
    }

    // Adds a product to the residual stream.
    void multiply_and_add(const Matrix &matrix, const float *rows) {
        multiply<1>(matrix, rows, tokens.size(), [&](int64_t panel, int64_t row, int64_t count, const float *sum) {
            const int64_t first = panel * WIDTH, wide = std::min((int64_t)WIDTH, model.hidden - first);
            for (int64_t i = 0; i < count; i++)
                for (int64_t j = 0; j < wide; j += LANES) {
                    float *out = hidden(row + i) + first + j;
                    store(out, load(out) + load(sum + i * WIDTH + j));
                }
        });
    }

    void norm_all(const float *weights) {
        share(tokens.size(), [&](int64_t index) {
            normed(hidden(index), weights, model.hidden, model.eps, scratch.normed.data() + index * model.hidden);
        });
        barrier(SMALL);
    }

    void layer(const Layer &layer, bool is_last) {
        norm_all(layer.norm);
        multiply<1>(layer.qkv, scratch.normed.data(), tokens.size(), ToRows{scratch.qkv.data(), model.qkv_width()});
        if (model.bf16)
            attend_all<uint16_t>(layer, is_last);
        else
            attend_all<float>(layer, is_last);
        if (is_last) keep_lasts();
        multiply_and_add(layer.out, scratch.attended.data());
        norm_all(layer.mlp_norm);
        multiply<2>(layer.gate_up, scratch.normed.data(), tokens.size(),
                    [&](int64_t panel, int64_t row, int64_t count, const float *gate, const float *up) {
                        const int64_t first = panel * WIDTH, width = std::min((int64_t)WIDTH, model.intermediate - first);
                        for (int64_t i = 0; i < count; i++)
                            for (int64_t j = 0; j < width; j += LANES)
                                store(scratch.gated.data() + (row + i) * model.intermediate + first + j,
                                      silu(load(gate + i * WIDTH + j)) * load(up + i * WIDTH + j));
                    });
        multiply_and_add(layer.down, scratch.gated.data());
    }

    // Norms and rotates a token's queries and keys in place, scales the queries, and writes keys and values to its slot.
    template <class T> void place(const Layer &layer, int64_t index) {
        const int64_t dim = model.head_dim, position = layout.positions[tokens[index]];
        const int64_t angle = pass.angles ? pass.angles[tokens[index]] : position;
        float *head = scratch.qkv.data() + index * model.qkv_width();
        const float *cosines = model.rope + angle * dim, *sines = cosines + model.rope_length * dim;
        for (int64_t number = 0; number < model.num_heads + model.num_kv_heads; number++, head += dim) {
            const bool is_query = number < model.num_heads;
            const float *norm = is_query ? layer.q_norm : layer.k_norm;
            if (norm) normed(head, norm, dim, model.eps, head);
            rotate(head, cosines, sines, dim / 2);
            if (is_query)
                for (int64_t i = 0; i < dim; i++) head[i] *= (float)model.scale;
        }
        const float *keys = head - model.num_kv_heads * dim, *values = head;
        const int64_t size = model.block_size, slot = position % size;
        const int64_t block = layout.blocks[layout.rows[tokens[index]]][position / size];
        T *key = (T *)layer.keys + block * model.num_kv_heads * dim * size + slot;
        T *value = (T *)layer.values + block * model.num_kv_heads * dim * size + slot * dim;
        for (int64_t number = 0; number < model.num_kv_heads; number++)
            for (int64_t i = 0; i < dim; i++) {
                put(key + (number * dim + i) * size, keys[number * dim + i]);
                put(value + number * dim * size + i, values[number * dim + i]);
            }
    }

    // Items are the queries of a KV head of some tokens of one sequence; whichever thread is free takes the next.
    template <class T> void attend_all(const Layer &layer, bool only_lasts) {
        share(tokens.size(), [&](int64_t index) { place<T>(layer, index); });
        barrier(SMALL);
        const int64_t group = model.num_heads / model.num_kv_heads, most = std::max((int64_t)1, QUERIES / group);
        std::atomic<int64_t> &next = scratch.next_item[num_regions++];
        int64_t taken = next++, item = 0;
        const auto row = [&](int64_t index) { return layout.rows[tokens[index]]; };
        const auto attends = [&](int64_t index) { return !only_lasts || layout.lasts[row(index)] == tokens[index]; };
        for (int64_t index = 0, end; index < (int64_t)tokens.size(); index = end) {
            end = index + 1;
            if (!attends(index)) continue;
            while (end < (int64_t)tokens.size() && end - index < most && attends(end) &&
                   layout.sequences[row(end)] == layout.sequences[row(index)])
                end++;
            for (int64_t head = 0; head < model.num_kv_heads; head++, item++)
                if (item == taken) {
                    attend_head<T>(layer, head, index, end);
                    taken = next++;
                }
        }
        barrier(ATTENTION);
    }

    template <class T> void attend_head(const Layer &layer, int64_t head, int64_t begin, int64_t end) {
        const int64_t dim = model.head_dim, group = model.num_heads / model.num_kv_heads;
        const Context<T> context{(const T *)layer.keys, (const T *)layer.values,
                                 layout.blocks[layout.rows[tokens[end - 1]]], model.block_size, dim,
                                 model.num_kv_heads, head};
        float queries[QUERIES][MAX_HEAD_DIM];
        float *outputs[QUERIES];
        int64_t lengths[QUERIES];
        for (int64_t from = 0; from < group; from += QUERIES) {
            int64_t count = 0;
            for (int64_t index = begin; index < end; index++)
                for (int64_t number = from; number < std::min(from + QUERIES, group); number++, count++) {
                    const int64_t offset = (head * group + number) * dim;
                    std::memcpy(queries[count], scratch.qkv.data() + index * model.qkv_width() + offset, dim * 4);
                    outputs[count] = scratch.attended.data() + index * model.num_heads * dim + offset;
                    lengths[count] = layout.positions[tokens[index]] + 1;
                }
            attend<QUERIES>(context, count, queries, lengths, scores.data(), stride, outputs);
        }
    }

    // After the last layer's attention only each row's last token goes on.
    void keep_lasts() {
        std::vector<int64_t> kept;
        const int64_t width = model.num_heads * model.head_dim;
        for (int64_t index = 0; index < (int64_t)tokens.size(); index++)
            if (layout.lasts[layout.rows[tokens[index]]] == tokens[index]) {
                if (thread == 0 && (int64_t)kept.size() != index)
                    std::memcpy(scratch.attended.data() + kept.size() * width, scratch.attended.data() + index * width, width * 4);
                kept.push_back(tokens[index]);
            }
        tokens = kept;
        barrier(SMALL);
    }

    void copy_lasts() {
        share(tokens.size(), [&](int64_t index) {
            normed(hidden(index), model.norm, model.hidden, model.eps,
                   scratch.last.data() + layout.rows[tokens[index]] * model.hidden);
        });
    }
};

}  // namespace pagemill

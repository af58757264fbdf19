// What Python calls. A pass computes new tokens of several sequences, whose KV lies in blocks, by a Llama-shaped decoder:
// norms, rope, KV writes, attention, products and the gated MLP in one parallel region. What a token gets depends on its
// own sequence alone, bit by bit: not on the other rows of the pass, nor on how its prompt was cut into passes.
#include "worker.h"

using namespace pagemill;

extern "C" {

int64_t pagemill_width() { return WIDTH; }

// Whether sums of bytes are exact with weights of 8 bits; else they may have 7.
int64_t pagemill_exact_bytes() {
#if defined(__AVX512VNNI__)
    return 1;
#else
    return 0;
#endif
}

void pagemill_forward(const Model *model, const Pass *pass) {
    const int64_t num_passes = (pass->num_tokens + TOKENS_AT_ONCE - 1) / TOKENS_AT_ONCE;
    const int64_t num_tokens = std::max(std::min(pass->num_tokens, TOKENS_AT_ONCE), pass->num_rows);
    Scratch scratch(*model, num_tokens, pass->num_rows, num_passes * model->num_layers);
#pragma omp parallel num_threads(pass->num_threads)
    Worker(*model, *pass, scratch).run();
}

// (count, outputs) of (count, inputs) floats.
void pagemill_product(const Matrix *matrix, const float *rows, int64_t count, float *outputs, int64_t num_threads) {
    const int64_t width = matrix->num_units * (matrix->kind == FLOAT32 ? 1 : matrix->kind == BFLOAT16 ? 2 : 4);
    std::vector<int32_t> units(count * matrix->num_units);
    std::vector<float> scales(count);
    Tiles tiles;
#pragma omp parallel num_threads(num_threads)
    {
#pragma omp for
        for (int64_t at = 0; at < count; at++)
            to_units(matrix->kind, rows + at * width, width, units.data() + at * matrix->num_units, &scales[at]);
        std::vector<int32_t> sums(count * WIDTH);
        product<1>(*matrix, units.data(), scales.data(), count, tiles, omp_get_num_threads(), sums.data(),
                   [&](int64_t panel, int64_t row, int64_t many, const float *sum) {
                       const int64_t first = panel * WIDTH, wide = std::min((int64_t)WIDTH, matrix->num_outputs - first);
                       for (int64_t i = 0; i < many; i++)
                           std::memcpy(outputs + (row + i) * matrix->num_outputs + first, sum + i * WIDTH, wide * 4);
                   });
    }
}

// (count, inputs) floats: the matrix's own rows at `places`; not of int8.
void pagemill_rows(const Matrix *matrix, const int64_t *places, int64_t count, float *out, int64_t num_threads) {
    const int64_t width = matrix->num_units * (matrix->kind == FLOAT32 ? 1 : 2);
#pragma omp parallel for num_threads(num_threads)
    for (int64_t at = 0; at < count; at++) {
        float *row = out + at * width;
        const int32_t *units = matrix->panels + places[at] / WIDTH * matrix->num_units * WIDTH + places[at] % WIDTH;
        for (int64_t unit = 0; unit < matrix->num_units; unit++) {
            const uint32_t bits = (uint32_t)units[unit * WIDTH];
            const uint32_t numbers[2] = {matrix->kind == FLOAT32 ? bits : bits << 16, bits & 0xffff0000};
            const int64_t many = matrix->kind == FLOAT32 ? 1 : 2;
            std::memcpy(row, numbers, many * 4);
            row += many;
        }
    }
}

// Of (count, width) logits: the likeliest token of each row and the natural log of its probability; NaN where one is.
void pagemill_pick(const float *logits, int64_t count, int64_t width, int64_t wants_logprobs, int64_t *tokens, float *logprobs,
                   int64_t num_threads) {
#pragma omp parallel for num_threads(num_threads)
    for (int64_t row = 0; row < count; row++) pick(logits + row * width, width, wants_logprobs, tokens + row, logprobs + row);
}
}

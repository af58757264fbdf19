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

void pagemill_forward(Model *model, const Pass *pass) {
    if (!model->scratch) model->scratch = new Scratch;
    const Layout layout(*pass);
    model->scratch->begin(*model, layout.num_tokens(), pass->num_rows);
#pragma omp parallel num_threads(pass->num_threads)
    Worker(*model, *pass, layout, *model->scratch).run();
}

void pagemill_close(Model *model) {
    delete model->scratch;
    model->scratch = nullptr;
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
        for (int64_t index = 0; index < count; index++)
            to_units(matrix->kind, rows + index * width, width, units.data() + index * matrix->num_units, &scales[index]);
        std::vector<int32_t> sums(count * WIDTH);
        product<1>(*matrix, units.data(), scales.data(), count, tiles, omp_get_num_threads(), sums.data(),
                   ToRows{outputs, matrix->num_outputs});
    }
}

// Of (count, width) logits: the likeliest token of each row, whether the logits are finite, and the natural log of its
// probability, unless `logprobs` is null.
void pagemill_pick(const float *logits, int64_t count, int64_t width, int64_t *tokens, bool *finite, float *logprobs,
                   int64_t num_threads) {
#pragma omp parallel for num_threads(num_threads)
    for (int64_t row = 0; row < count; row++)
        finite[row] = pick(logits + row * width, width, tokens + row, logprobs ? logprobs + row : nullptr);
}
}

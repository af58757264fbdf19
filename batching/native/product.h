// Product: rows times a packed matrix. Each output is one sum in one order, whatever other rows are computed with it.
#pragma once

#include <algorithm>
#include <atomic>

#include "simd.h"

namespace pagemill {

// What four bytes of a row and of a matrix are: one float, two bfloat16 (products in float32), or four bytes (unsigned
// rows, signed matrix, sums in int32).
enum Kind : int64_t { FLOAT32 = 0, BFLOAT16 = 1, INT8 = 2 };

// Panels of WIDTH outputs; in a panel, units of four bytes along the inputs, each for all WIDTH outputs; padded by zeros.
struct Matrix {
    const int32_t *panels;
    const float *bias;        // (outputs), or null
    const float *scales;      // of int8: (outputs, padded), times the row's own
    const int32_t *sums;      // of int8: 128 times the sum of each output's weights, which the rows' offset adds
    int64_t num_outputs;
    int64_t num_units;        // of a row
    int64_t kind;

    int64_t num_panels() const { return (num_outputs + WIDTH - 1) / WIDTH; }
};

constexpr int64_t UNITS_AT_ONCE = 1024;  // of a panel: what stays in the second-level cache beside the rows
constexpr int64_t LINE = 16;             // units of a line of cache

template <int KIND> struct Sum { using Type = Vec; };
template <> struct Sum<INT8> { using Type = Ints; };

// A register of sums from and to memory, by value: an array that is copied by its address is kept in memory throughout.
inline void take(const int32_t *p, Vec &sum) { sum = floats(load(p)); }
inline void take(const int32_t *p, Ints &sum) { sum = load(p); }
inline void keep(int32_t *p, Vec sum) { store((float *)p, sum); }
inline void keep(int32_t *p, Ints sum) { store((float *)p, floats(sum)); }
inline void clear(Vec &sum) { sum = zero(); }
inline void clear(Ints &sum) { sum = set1((int32_t)0); }

// sum + the products of one unit of a row, in all lanes, with one unit of LANES outputs
template <int KIND> inline typename Sum<KIND>::Type accumulate(typename Sum<KIND>::Type sum, Ints row, Ints matrix);

template <> inline Vec accumulate<FLOAT32>(Vec sum, Ints row, Ints matrix) {
    return fma(floats(row), floats(matrix), sum);
}

template <> inline Vec accumulate<BFLOAT16>(Vec sum, Ints row, Ints matrix) {
#if defined(__AVX512BF16__)
    return _mm512_dpbf16_ps(sum, (__m512bh)row, (__m512bh)matrix);
#else
    sum = fma(floats(shift_left<16>(row)), floats(shift_left<16>(matrix)), sum);
    return fma(floats(upper_halves(row)), floats(upper_halves(matrix)), sum);
#endif
}

template <> inline Ints accumulate<INT8>(Ints sum, Ints row, Ints matrix) {
#if defined(__AVX512VNNI__)
    // not the intrinsic: GCC 12 copies its sum each time, has no registers left for that, and takes twice as long
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(row), "v"(matrix));
    return sum;
#elif defined(__AVX512BW__)
    return add(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(row, matrix), _mm512_set1_epi16(1)));
#else
    return add(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(row, matrix), _mm256_set1_epi16(1)));
#endif
}

// One tile: M rows (each `stride` units apart) by a panel, over `num_units`; `sums` (M, WIDTH) go on where they were.
// One line of cache per unit is fetched from `ahead` on.
template <int KIND, int M>
inline void tile(const int32_t *rows, int64_t stride, const int32_t *panel, int64_t num_units, int32_t *sums, bool first,
                 const int32_t *ahead) {
    using Type = typename Sum<KIND>::Type;
    Type sum[M][3];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < 3; j++)
            if (first)
                clear(sum[i][j]);
            else
                take(sums + i * WIDTH + j * LANES, sum[i][j]);
    for (int64_t index = 0; index < num_units; index++) {
        const int32_t *units = panel + index * WIDTH;
        Ints a = load(units), b = load(units + LANES), c = load(units + 2 * LANES);
        _mm_prefetch((const char *)(ahead + index * LINE), _MM_HINT_T1);
        for (int i = 0; i < M; i++) {
            Ints row = set1(rows[i * stride + index]);
            sum[i][0] = accumulate<KIND>(sum[i][0], row, a);
            sum[i][1] = accumulate<KIND>(sum[i][1], row, b);
            sum[i][2] = accumulate<KIND>(sum[i][2], row, c);
        }
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < 3; j++) keep(sums + i * WIDTH + j * LANES, sum[i][j]);
}

template <int KIND, int M, class... Rest> inline void tiles(int64_t count, Rest... rest) {
    if (count == M)
        tile<KIND, M>(rest...);
    else if constexpr (M > 1)
        tiles<KIND, M - 1>(count, rest...);
}

// A row of the matrix itself as floats; not of int8.
inline void unpacked(const Matrix &matrix, int64_t place, float *row) {
    const int32_t *units = matrix.panels + place / WIDTH * matrix.num_units * WIDTH + place % WIDTH;
    for (int64_t unit = 0; unit < matrix.num_units; unit++) {
        const uint32_t bits = (uint32_t)units[unit * WIDTH];
        const uint32_t numbers[2] = {matrix.kind == FLOAT32 ? bits : bits << 16, bits & 0xffff0000};
        const int64_t count = matrix.kind == FLOAT32 ? 1 : 2;
        std::memcpy(row, numbers, count * 4);
        row += count;
    }
}

// The floats of `count` rows' sums, in place.
inline void finish(const Matrix &matrix, int64_t panel, const float *row_scales, int64_t count, int32_t *sums) {
    const int64_t first = panel * WIDTH;
    for (int64_t i = 0; i < count; i++)
        for (int j = 0; j < WIDTH; j += LANES) {
            int32_t *index = sums + i * WIDTH + j;
            Vec x;
            if (matrix.kind == INT8) {
                const Ints whole = sub(load(index), load(matrix.sums + first + j));
                x = to_floats(whole) * load(matrix.scales + first + j) * set1(row_scales[i]);
            } else {
                x = floats(load(index));
            }
            if (matrix.bias) x = x + load(matrix.bias + first + j);
            store((float *)index, x);
        }
}

// `sums` (count, WIDTH) as floats: up to ROWS rows by one panel. Each such call for the same units of a panel, the
// `turn`th, fetches a part of the units after them, so that memory is read while the processor computes.
inline void rows_by_panel(const Matrix &matrix, int64_t panel, const int32_t *rows, const float *row_scales,
                          int64_t count, int64_t from, int64_t num_units, int32_t *sums, int64_t turn) {
    const int32_t *units = matrix.panels + (panel * matrix.num_units + from) * WIDTH;
    const int32_t *ahead = units + num_units * (WIDTH + std::min(turn, WIDTH / LINE) * LINE);
    const int32_t *part = rows + from;
    const bool first = from == 0;
    if (matrix.kind == FLOAT32)
        tiles<FLOAT32, ROWS>(count, part, matrix.num_units, units, num_units, sums, first, ahead);
    else if (matrix.kind == BFLOAT16)
        tiles<BFLOAT16, ROWS>(count, part, matrix.num_units, units, num_units, sums, first, ahead);
    else
        tiles<INT8, ROWS>(count, part, matrix.num_units, units, num_units, sums, first, ahead);
    if (from + num_units == matrix.num_units) finish(matrix, panel, row_scales, count, sums);
}

// The tiles of a product that no thread has taken yet.
class Tiles {
public:
    // A part of what is left of `total`, for one of `num_threads`, from its first tile to the one behind its last; the
    // parts become smaller, so that threads of which one is held up end together. False when nothing is left.
    bool take(int64_t total, int64_t num_threads, int64_t &begin, int64_t &end) {
        begin = next.load(std::memory_order_relaxed);
        do {
            if (begin >= total) return false;
            end = begin + std::max((int64_t)1, (total - begin) / (2 * num_threads));
        } while (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
        return true;
    }

private:
    std::atomic<int64_t> next{0};
};

// Tiles `begin` to `end` of (num_rows, outputs), counted panel by panel, or by groups of GROUP panels.
// `emit(group, first row, count, sums...)` gets up to ROWS rows of each panel of a group, (count, WIDTH) each; `scratch`
// holds GROUP * num_rows * WIDTH.
template <int GROUP, class Emit>
void some_tiles(const Matrix &matrix, const int32_t *rows, const float *row_scales, int64_t num_rows, int64_t begin,
                int64_t end, int32_t *scratch, Emit emit) {
    const int64_t num_tiles = (num_rows + ROWS - 1) / ROWS;
    for (int64_t group = begin / num_tiles; group * num_tiles < end; group++) {
        const int64_t low = std::max(begin - group * num_tiles, (int64_t)0) * ROWS;
        const int64_t high = std::min((end - group * num_tiles) * ROWS, num_rows);
        for (int64_t index = 0; index < GROUP; index++)
            for (int64_t from = 0; from < matrix.num_units; from += UNITS_AT_ONCE) {
                const int64_t num_units = std::min(UNITS_AT_ONCE, matrix.num_units - from);
                for (int64_t row = low; row < high; row += ROWS)
                    rows_by_panel(matrix, group * GROUP + index, rows + row * matrix.num_units,
                                  row_scales ? row_scales + row : nullptr, std::min((int64_t)ROWS, high - row), from,
                                  num_units, scratch + (index * num_rows + row) * WIDTH, (row - low) / ROWS);
            }
        for (int64_t row = low; row < high; row += ROWS) {
            const float *sums = (const float *)scratch + row * WIDTH;
            const int64_t count = std::min((int64_t)ROWS, high - row);
            if constexpr (GROUP == 1)
                emit(group, row, count, sums);
            else
                emit(group, row, count, sums, sums + num_rows * WIDTH);
        }
    }
}

// An `emit` that writes to (rows, width) floats.
struct ToRows {
    float *out;
    int64_t width;

    void operator()(int64_t panel, int64_t row, int64_t count, const float *sums) const {
        const int64_t first = panel * WIDTH, wide = std::min((int64_t)WIDTH, width - first);
        for (int64_t i = 0; i < count; i++) std::memcpy(out + (row + i) * width + first, sums + i * WIDTH, wide * 4);
    }
};

// What this thread gets to do of a product; see `some_tiles`.
template <int GROUP, class Emit>
void product(const Matrix &matrix, const int32_t *rows, const float *row_scales, int64_t num_rows, Tiles &tiles,
             int64_t num_threads, int32_t *scratch, Emit emit) {
    const int64_t total = matrix.num_panels() / GROUP * ((num_rows + ROWS - 1) / ROWS);
    for (int64_t begin, end; tiles.take(total, num_threads, begin, end);)
        some_tiles<GROUP>(matrix, rows, row_scales, num_rows, begin, end, scratch, emit);
}

}  // namespace pagemill

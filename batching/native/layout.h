// Layout: of each token of a pass its row and place, of each row its last token and its blocks.
#pragma once

#include <algorithm>
#include <vector>

#include "model.h"

namespace pagemill {

struct Layout {
    std::vector<int32_t> rows, positions;  // (T)
    std::vector<int32_t> lasts;            // (B)
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
            next += pass.num_blocks[row];
            longest = std::max(longest, (int64_t)end);
        }
    }

    int64_t num_tokens() const { return rows.size(); }
};

}  // namespace pagemill

"""Tiny configs of decoders with recurrent layers, a row of docs/engine.md each."""

from tests.batching.families import BASE, LLAMA, MOE

LAYERS = {"num_hidden_layers": 4}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 16, "mamba_d_conv": 4}
MAMBA_OF_ONE_TYPE = MAMBA | {"mamba_expand": 2, "mamba_chunk_size": 8}
DELTA = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}
THREE_TO_ONE = ["linear_attention"] * 3 + ["full_attention"]
QWEN3_5 = (
    LLAMA
    | LAYERS
    | DELTA
    | {
        "head_dim": 16,
        "layer_types": THREE_TO_ONE,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 1e4,
            "partial_rotary_factor": 0.5,
            "mrope_section": [2, 1, 1],
            "mrope_interleaved": True,
        },
    }
)

# name of the row: (model type, config)
RECURRENT = {
    "qwen3_next": (
        "qwen3_next",
        LLAMA
        | LAYERS
        | DELTA
        | MOE
        | {
            "head_dim": 16,
            "layer_types": THREE_TO_ONE,
            "shared_expert_intermediate_size": 48,
            "decoder_sparse_step": 1,
        },
    ),
    "qwen3_5_text": ("qwen3_5_text", QWEN3_5),
    "qwen3_5_moe_text": ("qwen3_5_moe_text", QWEN3_5 | MOE | {"shared_expert_intermediate_size": 48}),
    "lfm2": (
        "lfm2",
        LLAMA | LAYERS | {"layer_types": ["conv", "full_attention", "conv", "full_attention"], "conv_L_cache": 3},
    ),
    "lfm2_moe": (
        "lfm2_moe",
        LLAMA | LAYERS | MOE | {"layer_types": ["conv", "full_attention"] * 2, "num_dense_layers": 1},
    ),
    "granitemoehybrid": (
        "granitemoehybrid",
        LLAMA
        | LAYERS
        | MAMBA_OF_ONE_TYPE
        | {
            "layer_types": ["mamba", "attention"] * 2,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "shared_intermediate_size": 48,
        },
    ),
    "bamba": ("bamba", LLAMA | LAYERS | MAMBA_OF_ONE_TYPE | {"attn_layer_indices": [1, 3]}),
    "falcon_h1": ("falcon_h1", LLAMA | {"head_dim": 16} | MAMBA_OF_ONE_TYPE | {"mamba_d_ssm": 128}),
    "mamba2": (
        "mamba2",
        BASE
        | {
            "hidden_size": 64,
            "num_heads": 8,
            "head_dim": 16,
            "state_size": 16,
            "n_groups": 1,
            "num_hidden_layers": 2,
            "chunk_size": 8,
        },
    ),
    "olmo_hybrid": ("olmo_hybrid", LLAMA | LAYERS | DELTA | {"layer_types": THREE_TO_ONE}),
    "jamba": (
        "jamba",
        LLAMA
        | LAYERS
        | {
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "expert_layer_period": 2,
            "expert_layer_offset": 1,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "use_mamba_kernels": False,
            "mamba_d_state": 8,
            "mamba_dt_rank": 8,
        },
    ),
    "zamba2": (
        "zamba2",
        LLAMA
        | LAYERS
        | {
            "mamba_d_state": 16,
            "mamba_expand": 2,
            "n_mamba_heads": 8,
            "mamba_headdim": 16,
            "mamba_ngroups": 1,
            "chunk_size": 8,
            "hybrid_layer_ids": [1, 3],
            "num_mem_blocks": 1,
            "use_mem_rope": True,
            "adapter_rank": 8,
            "use_mem_eff_path": False,
        },
    ),
    "zamba": (
        "zamba",
        LLAMA
        | LAYERS
        | {
            "mamba_d_state": 8,
            "n_mamba_heads": 2,
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "mamba_dt_rank": 8,
            "use_mamba_kernels": False,
        },
    ),
    "nemotron_h": (
        "nemotron_h",
        LLAMA
        | {
            "layers_block_type": ["mamba", "attention", "mlp", "mamba"],
            "num_hidden_layers": 4,
            "mamba_num_heads": 8,
            "mamba_head_dim": 16,
            "ssm_state_size": 16,
            "n_groups": 1,
            "chunk_size": 8,
            "head_dim": 16,
        },
    ),
    "minimax": (
        "minimax",
        LLAMA
        | LAYERS
        | {
            "layer_types": ["linear_attention", "full_attention"] * 2,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "block_size": 8,
            "head_dim": 16,
        },
    ),
    "kimi_linear": ("kimi_linear", LLAMA | LAYERS | {"layer_types": THREE_TO_ONE}),
    "mamba": ("mamba", BASE | {"hidden_size": 64, "state_size": 8, "num_hidden_layers": 2}),
    "falcon_mamba": ("falcon_mamba", BASE | {"hidden_size": 64, "state_size": 8, "num_hidden_layers": 2}),
    "recurrent_gemma": (
        "recurrent_gemma",
        LLAMA | {"lru_width": 64, "num_hidden_layers": 3, "attention_window_size": 64},
    ),
}

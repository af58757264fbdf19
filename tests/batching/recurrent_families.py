"""Tiny configs of the decoders with recurrent layers that the engine is tested with: a row of docs/engine.md each."""

from tests.batching.families import BASE, LLAMA, MOE

FOUR = LLAMA | {"num_hidden_layers": 4}
THREE_TO_ONE = {"layer_types": ["linear_attention"] * 3 + ["full_attention"]}
DELTA = {
    "head_dim": 16,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
}
MAMBA = {
    "mamba_n_heads": 8,
    "mamba_d_head": 16,
    "mamba_n_groups": 1,
    "mamba_d_state": 16,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "mamba_chunk_size": 8,
}
SHARED = MOE | {"shared_expert_intermediate_size": 48}
AXES = {
    "rope_type": "default",
    "rope_theta": 1e4,
    "partial_rotary_factor": 0.5,
    "mrope_section": [2, 1, 1],
    "mrope_interleaved": True,
}
QWEN3_5 = FOUR | DELTA | THREE_TO_ONE | {"rope_parameters": AXES}
CONV = {"layer_types": ["conv", "full_attention"] * 2}
KIMI = {
    "num_key_value_heads": 4,
    "linear_num_heads": 4,
    "linear_num_key_heads": 4,
    "linear_head_dim": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 16,
    "num_experts": 4,
    "num_experts_per_token": 2,
    "moe_intermediate_size": 48,
}
NEMOTRON = {
    "layers_block_type": ["mamba", "attention", "mlp", "mamba"],
    "mamba_num_heads": 8,
    "mamba_head_dim": 16,
    "ssm_state_size": 16,
    "n_groups": 1,
    "chunk_size": 8,
    "head_dim": 16,
}
GRANITE = {
    "layer_types": ["mamba", "attention"] * 2,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "shared_intermediate_size": 48,
}
MAMBA2 = {
    "hidden_size": 64,
    "num_heads": 8,
    "head_dim": 16,
    "state_size": 16,
    "n_groups": 1,
    "num_hidden_layers": 2,
    "chunk_size": 8,
}

# by model type
RECURRENT = {
    "qwen3_next": FOUR | DELTA | THREE_TO_ONE | SHARED,
    "qwen3_5_text": QWEN3_5,
    "lfm2": FOUR | CONV | {"conv_L_cache": 3},
    "granitemoehybrid": FOUR | MAMBA | GRANITE,
    "bamba": FOUR | MAMBA | {"attn_layer_indices": [1, 3]},
    "falcon_h1": LLAMA | MAMBA | {"head_dim": 16, "mamba_d_ssm": 128},
    "mamba2": BASE | MAMBA2,
    "olmo_hybrid": FOUR | DELTA | THREE_TO_ONE,
}
MORE_RECURRENT = {
    "qwen3_5_moe_text": QWEN3_5 | SHARED,
    "lfm2_moe": FOUR | CONV | MOE | {"num_dense_layers": 1},
    "nemotron_h": FOUR | NEMOTRON,
    "kimi_linear": FOUR | THREE_TO_ONE | KIMI,
}
# transformers does not go on from their state with more than one token, or lets no other cache in
REFUSED = {
    "mamba": BASE | {"hidden_size": 64, "state_size": 8, "num_hidden_layers": 2},
    "falcon_mamba": BASE | {"hidden_size": 64, "state_size": 8, "num_hidden_layers": 2},
    "jamba": FOUR
    | {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False, "mamba_d_state": 8}
    | {"mamba_dt_rank": 8, "num_experts": 4, "expert_layer_period": 2, "expert_layer_offset": 1},
    "minimax": FOUR
    | {"layer_types": ["linear_attention", "full_attention"] * 2, "num_local_experts": 4, "head_dim": 16},
    "recurrent_gemma": LLAMA | {"lru_width": 64, "num_hidden_layers": 3, "attention_window_size": 64},
}

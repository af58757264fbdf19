"""Tiny configs of every family that the engine is tested with: a row of docs/engine.md each."""

BASE = {"vocab_size": 499, "bos_token_id": None, "eos_token_id": None, "pad_token_id": 0, "initializer_range": 0.2} | {
    "tie_word_embeddings": False  # tied, a random model repeats its last token
}
LLAMA = BASE | {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
ALL_HEADS = {key: value for key, value in LLAMA.items() if key != "num_key_value_heads"}
GPT2 = BASE | {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 256}
MOE = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}
FALCON = BASE | {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 256,
}

WINDOW_AND_ALL = {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention"]}
SHARED_KV = {
    "num_hidden_layers": 4,
    "head_dim": 16,
    "sliding_window": 16,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "num_kv_shared_layers": 2,  # the last two read the keys and values of those before
    "hidden_size_per_layer_input": 8,
    "vocab_size_per_layer_input": 499,
}
DEEPSEEK_V3 = ALL_HEADS | {
    "num_key_value_heads": 4,
    "q_lora_rank": 32,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 16,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "moe_intermediate_size": 48,
    "first_k_dense_replace": 1,
}


def scaled_rope(kind: str, **settings: float) -> dict[str, object]:
    """Rope of a kind, four times as long as it was trained."""
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 1e4, "factor": 4.0} | settings}


# name of the row: (model type, config, route)
FAMILIES = {
    "llama": ("llama", LLAMA, "torch"),
    "llama, attention and MLP biases": ("llama", LLAMA | {"attention_bias": True, "mlp_bias": True}, "torch"),
    "llama, rope of Llama 3": (
        "llama",
        LLAMA
        | {
            "rope_parameters": {
                "rope_type": "llama3",
                "rope_theta": 1e4,
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 64,
            }
        },
        "torch",
    ),
    "llama, rope of yarn": ("llama", LLAMA | scaled_rope("yarn", original_max_position_embeddings=64), "torch"),
    "llama, dynamic rope": ("llama", LLAMA | scaled_rope("dynamic"), "transformers"),
    "mistral": ("mistral", LLAMA | {"sliding_window": None}, "torch"),
    "mistral, sliding window": ("mistral", LLAMA | {"sliding_window": 16}, "transformers"),
    "mixtral": ("mixtral", LLAMA | {"num_local_experts": 4, "sliding_window": None}, "transformers"),
    "qwen2": ("qwen2", LLAMA | {"tie_word_embeddings": True}, "torch"),
    "qwen2, sliding window": (
        "qwen2",
        LLAMA | {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1},
        "transformers",
    ),
    "qwen2_moe": ("qwen2_moe", LLAMA | MOE | {"shared_expert_intermediate_size": 48}, "transformers"),
    "qwen3": ("qwen3", LLAMA | {"head_dim": 24}, "torch"),
    "qwen3_moe": ("qwen3_moe", LLAMA | MOE | {"head_dim": 16}, "transformers"),
    "gpt2": ("gpt2", GPT2, "transformers"),
    "gpt_bigcode": ("gpt_bigcode", GPT2, "transformers"),
    "gptj": ("gptj", GPT2 | {"rotary_dim": 8}, "transformers"),
    "codegen": ("codegen", GPT2 | {"rotary_dim": 8}, "transformers"),
    "gpt_neo": (
        "gpt_neo",
        BASE
        | {
            "hidden_size": 64,
            "num_layers": 2,
            "num_heads": 4,
            "attention_types": [[["global", "local"], 1]],
            "window_size": 16,
            "max_position_embeddings": 256,
        },
        "transformers",
    ),
    "gpt_neox": ("gpt_neox", ALL_HEADS, "transformers"),
    "falcon, new decoder": (
        "falcon",
        FALCON | {"new_decoder_architecture": True, "num_kv_heads": 2, "alibi": False},
        "transformers",
    ),
    "falcon, multi-query": ("falcon", FALCON | {"multi_query": True, "alibi": False}, "transformers"),
    "falcon, alibi": ("falcon", FALCON | {"multi_query": False, "alibi": True, "parallel_attn": False}, "transformers"),
    "opt": (
        "opt",
        BASE
        | {
            "hidden_size": 64,
            "ffn_dim": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "max_position_embeddings": 256,
            "word_embed_proj_dim": 64,
            "init_std": 0.3,
        },
        "transformers",
    ),
    "bloom": ("bloom", BASE | {"hidden_size": 64, "n_layer": 2, "n_head": 4}, "transformers"),
    "mpt": ("mpt", BASE | {"d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 256}, "transformers"),
    "phi": ("phi", ALL_HEADS, "transformers"),
    "phi3": ("phi3", LLAMA, "transformers"),
    "phi3, sliding window": ("phi3", LLAMA | {"sliding_window": 16}, "transformers"),
    "phimoe": ("phimoe", LLAMA | {"num_local_experts": 4, "sliding_window": None}, "transformers"),
    "stablelm": ("stablelm", LLAMA, "transformers"),
    "starcoder2": ("starcoder2", LLAMA | {"sliding_window": 16}, "transformers"),
    "gemma": ("gemma", LLAMA | {"head_dim": 16}, "transformers"),
    "gemma2": ("gemma2", LLAMA | {"head_dim": 16, "sliding_window": 16, "attn_logit_softcapping": 2.0}, "transformers"),
    "gemma3": ("gemma3_text", LLAMA | {"head_dim": 16, "sliding_window": 16}, "transformers"),
    "gemma3n": ("gemma3n_text", LLAMA | SHARED_KV | {"laurel_rank": 8, "altup_num_inputs": 2}, "transformers"),
    "gemma4": ("gemma4_text", LLAMA | SHARED_KV | {"num_kv_shared_layers": 0}, "transformers"),
    "gemma4, shared keys and values": ("gemma4_text", LLAMA | SHARED_KV, "transformers"),
    "cohere": ("cohere", LLAMA, "transformers"),
    "cohere2": ("cohere2", LLAMA | WINDOW_AND_ALL, "transformers"),
    "glm (ChatGLM from GLM-4 on)": ("glm", LLAMA | {"head_dim": 16}, "transformers"),
    "granite": (
        "granite",
        LLAMA
        | {
            "embedding_multiplier": 2.0,
            "residual_multiplier": 0.7,
            "attention_multiplier": 0.2,
            "logits_scaling": 2.0,
        },
        "transformers",
    ),
    "olmo2": ("olmo2", LLAMA, "transformers"),
    "olmo3": ("olmo3", LLAMA | WINDOW_AND_ALL, "transformers"),
    "smollm3": ("smollm3", LLAMA | {"no_rope_layers": [1, 0]}, "transformers"),
    "exaone4": ("exaone4", LLAMA | WINDOW_AND_ALL, "transformers"),
    "ernie4_5": ("ernie4_5", LLAMA, "transformers"),
    "minicpm3": (
        "minicpm3",
        LLAMA | {key: value for key, value in DEEPSEEK_V3.items() if "rank" in key or "head" in key},
        "transformers",
    ),
    "llama4": (
        "llama4_text",
        LLAMA
        | {
            "head_dim": 16,
            "intermediate_size_mlp": 96,
            "num_local_experts": 4,
            "moe_layers": [1],
            "no_rope_layers": [1, 0],
            "attention_chunk_size": 16,
            "layer_types": ["chunked_attention", "full_attention"],
        },
        "transformers",
    ),
    "deepseek_v2": ("deepseek_v2", DEEPSEEK_V3 | {"n_shared_experts": 1, "topk_method": "greedy"}, "transformers"),
    "deepseek_v3": ("deepseek_v3", DEEPSEEK_V3, "transformers"),
    "gpt_oss": (
        "gpt_oss",
        LLAMA | {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 16, "head_dim": 16},
        "transformers",
    ),
}

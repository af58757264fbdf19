"""Tiny configs of further families, compared in the slow tests: those that docs/engine.md names as also compared."""

from tests.batching.families import ALL_HEADS, BASE, DEEPSEEK_V3, GPT2, LLAMA, MOE, WINDOW_AND_ALL

HEADS_OF_16 = LLAMA | {"head_dim": 16}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2}
LOCAL_EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
ROUTED = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48, "n_group": 1, "topk_group": 1}
MLA = ALL_HEADS | {
    "num_key_value_heads": 4,
    "q_lora_rank": 32,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 16,
}
ENCODER = ALL_HEADS | {"is_decoder": True, "initializer_range": 0.5}

# model type: config; all run by the transformers route
MORE = {
    "granitemoe": LLAMA | LOCAL_EXPERTS,
    "granitemoeshared": LLAMA | LOCAL_EXPERTS | {"shared_intermediate_size": 48},
    "granitemoehybrid": LLAMA
    | LOCAL_EXPERTS
    | {"shared_intermediate_size": 48, "layer_types": ["attention", "attention"]},  # the published ones without Mamba
    "granite_swa": LLAMA | {"sliding_window": 16},
    "olmo": LLAMA,
    "olmoe": LLAMA | EXPERTS,
    "flex_olmo": LLAMA | EXPERTS,
    "nemotron": LLAMA,
    "persimmon": ALL_HEADS,
    "xglm": BASE
    | {
        "d_model": 64,
        "ffn_dim": 96,
        "num_layers": 2,
        "attention_heads": 4,
        "max_position_embeddings": 256,
        "init_std": 0.2,
    },
    "biogpt": ALL_HEADS,
    "ernie4_5_moe": LLAMA | {"moe_num_experts": 4, "moe_k": 2, "moe_intermediate_size": 48, "moe_layer_start_index": 1},
    "exaone_moe": LLAMA | MOE | WINDOW_AND_ALL | {"mlp_layer_types": ["dense", "sparse"]},
    "hunyuan_v1_dense": HEADS_OF_16,
    "hunyuan_v1_moe": HEADS_OF_16 | {"num_experts": 4, "moe_topk": 2},
    "seed_oss": HEADS_OF_16,
    "arcee": LLAMA,
    "apertus": LLAMA,
    "helium": HEADS_OF_16,
    "dbrx": BASE
    | {
        "d_model": 64,
        "n_heads": 4,
        "n_layers": 2,
        "max_seq_len": 256,
        "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 1e4},
        "ffn_config": {"ffn_hidden_size": 96, "moe_num_experts": 4, "moe_top_k": 2, "hidden_size": 64},
    },
    "jetmoe": BASE
    | LOCAL_EXPERTS
    | {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_key_value_heads": 2,
        "kv_channels": 16,
        "intermediate_size": 96,
        "max_position_embeddings": 256,
    },
    "vaultgemma": HEADS_OF_16 | {"sliding_window": 16},
    "cohere2_moe": LLAMA | MOE | WINDOW_AND_ALL,
    "glm4": HEADS_OF_16,
    "glm4_moe": HEADS_OF_16 | ROUTED | {"first_k_dense_replace": 1},
    "glm4_moe_lite": DEEPSEEK_V3 | {"mlp_layer_types": ["dense", "sparse"]},
    "minimax_m2": HEADS_OF_16 | LOCAL_EXPERTS,
    "diffllama": LLAMA,
    "bitnet": LLAMA,
    "ministral": HEADS_OF_16 | WINDOW_AND_ALL,
    "ministral3": HEADS_OF_16
    | {
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 1e4,
            "factor": 4.0,
            "original_max_position_embeddings": 32,
            "llama_4_scaling_beta": 0.3,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
        }
    },
    "doge": LLAMA | {"keep_window_size": 256},
    "modernbert-decoder": ALL_HEADS
    | WINDOW_AND_ALL
    | {"local_attention": 16, "bos_token_id": 1, "eos_token_id": 498, "cls_token_id": 1, "sep_token_id": 498},
    "nanochat": LLAMA,
    "dots1": HEADS_OF_16 | ROUTED | WINDOW_AND_ALL | {"n_shared_experts": 1, "first_k_dense_replace": 1},
    "afmoe": HEADS_OF_16 | MOE | WINDOW_AND_ALL | {"num_dense_layers": 1},
    "youtu": MLA | {"intermediate_size": 96},
    "solar_open": HEADS_OF_16 | ROUTED,
    "cwm": HEADS_OF_16 | WINDOW_AND_ALL | {"bos_token_id": 1, "eos_token_id": []},
    "jais2": LLAMA,
    "hyperclovax": LLAMA,
    "mellum": HEADS_OF_16 | MOE | WINDOW_AND_ALL,
    "laguna": HEADS_OF_16
    | MOE
    | WINDOW_AND_ALL
    | {"shared_expert_intermediate_size": 48, "num_attention_heads_per_layer": [4, 4]},
    "longcat_flash": {key: value for key, value in MLA.items() if key != "num_hidden_layers"}
    | {
        "num_layers": 2,
        "ffn_hidden_size": 96,
        "expert_ffn_hidden_size": 48,
        "n_routed_experts": 4,
        "moe_topk": 2,
        "zero_expert_num": 1,
        "head_dim": 8,
    },
    "internlm3": HEADS_OF_16,
    "iquestcoder": HEADS_OF_16,
    "ctrl": GPT2 | {"dff": 96},
    "bert": ENCODER,
    "electra": ENCODER | {"embedding_size": 64},
    "bert-generation": ENCODER,
}

"""Loading."""

import copy

import pytest

from batching import Request, SamplingParams, UnsupportedModel, generate
from batching.loading.models import load_causal_lm, load_got_ocr2
from batching.native.library import library
from batching.routes.llama_weights import RopeTable
from batching.routes.route_choice import choose_route, missing_reason
from tests.batching.native_route_here import NATIVE


def test_a_given_model_is_not_changed(tiny_lm, torch):
    """A cast or a switch to evaluation in place would change the caller's training."""
    model = copy.deepcopy(tiny_lm("llama")).train()
    before = copy.deepcopy(model.state_dict())
    runner = load_causal_lm(model, dtype=torch.bfloat16)
    generate(runner, [Request(prompt_token_ids=[5, 6], sampling=SamplingParams(max_tokens=3))])
    assert model.training
    assert model.dtype == torch.float32
    assert all(torch.equal(before[name], values) for name, values in model.state_dict().items())


def test_a_folder_gives_the_same_tokens_as_its_model(tiny_lm, tmp_path):
    """A folder of weights alone has no tokenizer, so no text."""
    model = tiny_lm("qwen2")
    model.save_pretrained(tmp_path)
    requests = [Request(prompt_token_ids=[5, 6, 7], sampling=SamplingParams(max_tokens=9))]
    of_model, of_folder = (generate(load_causal_lm(source), requests)[0] for source in (model, tmp_path))
    assert of_model.token_ids == of_folder.token_ids
    assert of_folder.text == ""


def test_the_models_own_stop_tokens_end_an_output_unless_ignored(tiny_lm, continued):
    """As generate does, by the generation config."""
    model = copy.deepcopy(tiny_lm("llama"))
    tokens = continued(model, [5, 6, 7], 9)
    model.generation_config.eos_token_id = [tokens[3], 300]
    stopped, ignoring = (
        generate(
            load_causal_lm(model),
            [Request(prompt_token_ids=[5, 6, 7], sampling=SamplingParams(max_tokens=9, ignore_eos=ignore))],
        )[0]
        for ignore in (False, True)
    )
    assert stopped.token_ids == tokens[: tokens.index(tokens[3]) + 1]
    assert ignoring.token_ids == tokens


def test_a_given_got_model_needs_its_processor():
    """Class defaults of the image processor are those of no checkpoint."""
    with pytest.raises(ValueError, match="processor"):
        load_got_ocr2(object())


def test_a_torch_route_that_is_wrong_is_left_for_the_model_itself_and_told(tiny_lm, continued, monkeypatch, caplog):
    """A family that looks like Llama and is not would give wrong text and no error."""
    monkeypatch.setattr("batching.routes.route_choice.library", lambda: None)
    monkeypatch.setattr("batching.routes.torch.decoder.apply_rope", lambda heads, rope: heads * rope[0])
    model = tiny_lm("llama")
    runner = load_causal_lm(model)
    assert runner.route == "transformers"
    assert "LlamaForCausalLM runs by the transformers route" in caplog.text
    requests = [Request(prompt_token_ids=[5, 6, 7], sampling=SamplingParams(max_tokens=9))]
    assert generate(runner, requests)[0].token_ids == continued(model, [5, 6, 7], 9)
    with pytest.raises(UnsupportedModel, match="LlamaForCausalLM has no torch route"):
        load_causal_lm(model, route="torch")


def test_a_native_route_that_is_wrong_is_left_for_the_torch_one(tiny_lm, monkeypatch):
    """A compiler's error would be wrong text and no error."""
    if library() is None:
        pytest.skip("no compiler, or no AVX2")
    assert load_causal_lm(tiny_lm("llama")).route == "native"

    class LongerRope(RopeTable):
        def __init__(self, *args):
            super().__init__(*args)
            self.rows = self.rows * 1.1

    monkeypatch.setattr("batching.native.native_route.RopeTable", LongerRope)
    assert load_causal_lm(tiny_lm("llama")).route == "torch"


@pytest.mark.parametrize("model_type", ["mistral", "gpt2"])
def test_what_is_not_llama_shaped_takes_the_transformers_route(model_type, tiny_lm):
    """A sliding window, or another kind of layer, is not what the torch route computes."""
    assert load_causal_lm(tiny_lm(model_type)).route == "transformers"
    with pytest.raises(UnsupportedModel, match="no torch route"):
        load_causal_lm(tiny_lm(model_type), route="torch")


@pytest.fixture
def llama_on(tiny_lm, torch, monkeypatch):
    """A model that says it is on a device, whose routes are not computed with."""
    monkeypatch.setattr("batching.routes.route_choice.self_check", lambda *_, **__: None)
    monkeypatch.setattr("batching.routes.route_choice.paged_attention", lambda: None)

    def model(kind, model_type="llama"):
        made = tiny_lm(model_type)
        monkeypatch.setattr(type(made), "device", torch.device(kind))
        return made

    return model


def has_graphs(route):
    return route.name == "torch" and route.max_in_flight == 2


def test_on_a_gpu_graphs_are_taken_then_torch_without_them_then_the_model_itself(llama_on, monkeypatch):
    """A GPU without a C compiler has no kernel, and a model of another shape neither; both must run all the same."""
    model = llama_on("cuda")
    assert has_graphs(choose_route(model, "auto", owned=False))
    assert has_graphs(choose_route(model, "torch", owned=False))

    def uncompiled(route, model, *_, **__):
        if has_graphs(route):
            raise RuntimeError("no C compiler")

    monkeypatch.setattr("batching.routes.route_choice.self_check", uncompiled)
    for name in ("auto", "torch"):
        route = choose_route(model, name, owned=False)
        assert route.name == "torch"
        assert not has_graphs(route)
    monkeypatch.setattr(
        "batching.routes.route_choice.self_check",
        lambda route, *_, **__: None if route.name == "transformers" else "wrong",
    )
    assert choose_route(model, "auto", owned=False).name == "transformers"
    with pytest.raises(UnsupportedModel, match="has no torch route: wrong"):
        choose_route(model, "torch", owned=False)


def test_on_a_gpu_what_is_not_llama_shaped_takes_the_transformers_route(llama_on):
    """Graphs compute what the torch route does."""
    assert choose_route(llama_on("cuda", "gpt2"), "auto", owned=False).name == "transformers"


def test_on_a_device_that_has_run_no_other_the_transformers_route_is_taken(llama_on):
    """A route that such a device has not run must not be what a server gets."""
    assert choose_route(llama_on("mps"), "auto", owned=False).name == "transformers"


@pytest.mark.parametrize(("capability", "graphs"), [((8, 9), True), ((8, 0), False)])
def test_eight_bits_are_for_graphs_where_the_gpu_has_them(capability, graphs, llama_on, monkeypatch, torch):
    """An older GPU would refuse the model, which the torch route can run without graphs."""
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    route = choose_route(llama_on("cuda"), "auto", owned=False, kv_dtype="fp8")
    assert (route.name, has_graphs(route)) == ("torch", graphs)


def test_the_native_route_is_missing_away_from_the_cpu(llama_on):
    """A benchmark of every route ended on the first GPU."""
    names = ("native", "torch", "transformers")
    reasons = {name: missing_reason(llama_on("cuda"), name) for name in names}
    assert reasons == {"native": "there is none for this device", "torch": None, "transformers": None}
    gpt2 = llama_on("cpu", "gpt2")
    assert [name for name in names if missing_reason(gpt2, name) is None] == ["transformers"]


def test_an_unknown_route_is_refused(tiny_lm):
    """Silently taken for auto, it would never be noticed."""
    with pytest.raises(ValueError, match="route"):
        load_causal_lm(tiny_lm("llama"), route="quick")


@pytest.mark.parametrize("route", ["torch", NATIVE])
def test_a_loaded_model_holds_no_weight_twice(route, tiny_lm, tmp_path):
    """The matrices of a route, in its own order, are as large as the model's."""
    tiny_lm("llama").save_pretrained(tmp_path)
    model = load_causal_lm(tmp_path, route=route).model
    assert sum(parameter.numel() for parameter in model.parameters() if parameter.dim() > 1) == 0


def test_a_model_that_keeps_its_state_elsewhere_is_refused_by_name(torch):
    """It would run, forget its past, and generate nonsense."""
    from transformers import MambaConfig, MambaForCausalLM

    model = MambaForCausalLM(MambaConfig(vocab_size=64, hidden_size=16, state_size=4, num_hidden_layers=2)).eval()
    with pytest.raises(UnsupportedModel, match="MambaForCausalLM"):
        load_causal_lm(model)


def test_an_encoder_decoder_is_refused(torch):
    """It would run, and generate nonsense."""
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(vocab_size=32, d_model=16, d_ff=16, d_kv=8, num_layers=1, num_heads=2)
    with pytest.raises(UnsupportedModel, match="T5"):
        load_causal_lm(T5ForConditionalGeneration(config))


def test_an_unknown_option_is_refused(tiny_lm):
    """Guards against an option that is taken and does nothing."""
    with pytest.raises(TypeError, match="there is no option quantization"):
        load_causal_lm(tiny_lm("llama"), quantization="int8")

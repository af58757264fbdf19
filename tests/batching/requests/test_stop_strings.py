"""Texts that end an output."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batching import Engine, FinishReason, Request, RequestRefused, SamplingParams, generate
from batching.loading.models import load_causal_lm
from batching.requests.stop_strings import StopStrings, cut_at, safe_prefix_length


class Letters:
    """Token n is the n-th letter; 26 is a special token, 27 a space and two letters."""

    def decode(self, token_ids, *, skip_special_tokens):
        special = "" if skip_special_tokens else "<end>"
        return "".join(
            special if token_id == 26 else " xy" if token_id == 27 else chr(97 + token_id) for token_id in token_ids
        )


def tokens(text):
    return [ord(letter) - 97 for letter in text]


def pushed(strings, token_ids):
    """How many tokens come until a stop string is there; all of them and one more if none comes."""
    stops = StopStrings(strings, Letters())
    return next((at for at, token_id in enumerate(token_ids, 1) if stops.push(token_id)), len(token_ids) + 1)


def test_a_stop_string_is_found_across_tokens():
    """Compared with single tokens, it is hardly ever found."""
    assert pushed(("cab",), tokens("xxcaycabzz")) == 8
    assert pushed(("x",), [0, 27, 1]) == 2
    assert pushed(("b<end>",), [*tokens("aab"), 26]) == 4
    assert pushed(("q",), tokens("abc")) == 4


def test_the_text_ends_before_the_stop_string():
    """Clients want the answer, not the sign of its end."""
    stops = StopStrings(("cab", "zz"), Letters())
    assert stops.shown(tokens("xxcaycabzz")) == "xxcay"
    assert StopStrings(("x",), Letters()).shown([0, 27]) == "a "
    assert StopStrings(("b<end>",), Letters()).shown([*tokens("aab"), 26]) == "aa"
    assert StopStrings(("<end>",), Letters()).shown([*tokens("aab"), 26]) == "aab"


@given(st.text("ab", max_size=20), st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=3))
@settings(max_examples=300)
def test_what_is_called_certain_never_belongs_to_a_stop_string(text, strings):
    """A beginning that was streamed cannot be taken back."""
    strings = tuple(strings)
    whole = cut_at(text, strings)
    for count in range(len(text) + 1):
        prefix = text[:count]
        if cut_at(prefix, strings) != prefix:
            break
        assert safe_prefix_length(prefix, strings) <= len(whole)


class Spelling:
    """A runner that says one text, a letter a step."""

    max_length = 1000
    max_in_flight = 1
    keeps_state = False
    last_pass = 0.0
    inputs = property(lambda self: self)

    def __init__(self, text, tokenizer):
        self.text, self.tokenizer = text, tokenizer

    def prepare(self, request):
        from batching.requests.request import Prompt

        return Prompt(token_ids=[0], max_tokens=request.sampling.max_tokens, stop_token_ids=frozenset())

    def max_patches(self, budget_mb):
        return 1

    def prepare_image(self, image):
        return image

    def allocate(self, num_blocks, block_size, max_rows, max_running):
        pass

    def launch(self, plan):
        from batching.step_plan import RowResult, StepResult

        return StepResult(
            rows=tuple(RowResult(token_id=tokens(self.text[len(row.tokens) - 1])[0]) for row in plan.rows)
        )

    def collect(self, flight):
        return flight

    def close(self):
        pass


@pytest.mark.parametrize(
    ("text", "stop", "expected", "reason"),
    [
        ("helloworld", ("wor",), "hello", FinishReason.STOP),
        ("aabaabaac", ("aabaac",), "aab", FinishReason.STOP),
        ("helloworld", ("worx", "q"), "helloworld", FinishReason.LENGTH),
        ("stop", ("stop",), "", FinishReason.STOP),
    ],
)
def test_the_beginning_of_a_stop_string_is_never_streamed(text, stop, expected, reason, run_async):
    """Held back while it may become one, and let go when it does not."""

    async def main():
        async with Engine(Spelling(text, Letters())) as engine:
            params = SamplingParams(max_tokens=len(text), stop=stop)
            stream = engine.submit(Request(prompt_token_ids=[0], sampling=params))
            streamed = ""
            async for delta in stream:
                streamed += delta.text
                assert expected.startswith(streamed)
                last = delta
            completion = await stream.result()
            assert streamed == completion.text == expected
            assert last.finish_reason is completion.finish_reason is reason
            ends = text.find(stop[0]) + len(stop[0]) if reason is FinishReason.STOP else len(text)
            assert completion.token_ids == tokens(text[:ends])

    run_async(main)


def test_a_stop_string_without_a_tokenizer_is_refused(counting):
    """It would never be found."""

    async def main():
        async with Engine(counting) as engine:
            with pytest.raises(RequestRefused, match="stop"):
                engine.submit(Request(prompt_token_ids=[20], sampling=SamplingParams(stop=("x",))))

    asyncio.run(main())


def test_stop_strings_equal_those_of_generate(torch):
    """One letter a token, so that each stop string crosses borders."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = Tokenizer(models.BPE(vocab={chr(code): code - 33 for code in range(33, 127)}, merges=[]))
    letters.pre_tokenizer, letters.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=letters)
    shape = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    torch.manual_seed(5)
    config = LlamaConfig(vocab_size=94, initializer_range=0.2, bos_token_id=None, eos_token_id=None, **shape)
    model = LlamaForCausalLM(config).eval()
    runner = load_causal_lm(model, tokenizer=tokenizer)
    prompts = [tokenizer(text)["input_ids"] for text in ("The", "Apage", "Zebra", "1+1")]
    params = SamplingParams(max_tokens=40)
    free = generate(runner, [Request(prompt_token_ids=prompt, sampling=params) for prompt in prompts])
    for at, (prompt, whole) in enumerate(zip(prompts, free, strict=True)):
        stop = whole.text[9 + at : 12 + at]
        params = SamplingParams(max_tokens=40, stop=("never there", stop))
        completion = generate(runner, [Request(prompt_token_ids=prompt, sampling=params)])[0]
        ids = torch.tensor([prompt])
        options = {"stop_strings": ["never there", stop], "tokenizer": tokenizer, "pad_token_id": 0}
        with torch.inference_mode():
            output = model.generate(
                input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=40, do_sample=False, **options
            )
        assert completion.token_ids == output[0, len(prompt) :].tolist()
        assert completion.finish_reason is FinishReason.STOP
        assert completion.text == whole.text.split(stop)[0]

"""The language model's deployment without Ray, with random weights and a token a byte."""

import asyncio
import threading

import pytest

from batching import PromptTooLong
from batching.errors import InvalidPrompt
from configs import Settings
from deployments.lm.deployment import Lm
from deployments.values.completions import LmRequest, Turn
from retrieval.answers.answer import WrittenAnswer
from tests.deployments.lm_making import save_lm
from tests.retrieval.passage_making import passage_of

PASSAGES = [passage_of("Ships wait for the tide."), passage_of("The log is kept by the harbour master.", 1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_lm(tmp_path_factory.mktemp("lm"))


@pytest.fixture
def run(folder):
    """Runs `use(lm)` on its own loop, and ends its engine."""

    def run_with(use, answers=None, **lm_settings):
        async def whole():
            values = {"lm": {"model": str(folder)} | lm_settings, "answers": {"max_tokens": 24} | (answers or {})}
            lm = await asyncio.to_thread(Lm, Settings.model_validate(values))
            await lm.check_health()
            try:
                return await use(lm)
            finally:
                await lm._served.engine.close()

        return asyncio.run(asyncio.wait_for(whole(), 60))

    return run_with


def tokenise_on_the_loop(lm):
    """Requests that begin in one turn of the loop reach the engine in it, however slow its threads are."""

    class OnLoop:
        async def run(self, call):
            return call()

    lm._writer._thread = OnLoop()


@pytest.mark.parametrize("mode", ["none", "static", "continuous"])
def test_a_completion_has_exactly_the_tokens_that_were_asked_for(run, mode):
    """A stop token would end it sooner, and a client that counts would wait."""
    requests = [("Once", 7), ("", 2), ("upon a time", 30)]

    async def use(lm):
        tokenise_on_the_loop(lm)
        done = await asyncio.gather(*(lm.complete(prompt, count) for prompt, count in requests))
        stats = await lm.stats()
        return done, lm._num_tokens, stats, (await lm.about())["largest_step"]

    done, num_tokens, stats, largest = run(use, mode=mode)
    assert num_tokens == sum(count for _, count in requests)
    assert all(done)
    assert 0 < stats["latency-per-token"] < 60
    assert stats["throughput"] > 0
    assert largest == (1 if mode == "none" else 3)


def test_how_requests_share_steps_does_not_change_what_is_said(run):
    """The modes are there to be compared: they must do the same work."""

    async def use(lm):
        return await asyncio.gather(*(lm.complete(f"Prompt {k}", 5 + 4 * k) for k in range(4)))

    assert run(use, mode="none") == run(use, mode="static") == run(use, mode="continuous")


def test_before_any_request_the_stats_are_zero(run):
    """Guards against a division by the requests that were not."""
    assert run(lambda lm: lm.stats()) == {"latency-per-token": 0.0, "throughput": 0.0}


def test_what_has_no_room_is_refused_before_it_begins(run):
    """A completion that is cut off would be taken for a whole one."""

    async def use(lm):
        with pytest.raises(PromptTooLong, match=r"after a prompt of 300 tokens 20 can"):
            await lm.complete("x" * 300, 21)
        with pytest.raises(PromptTooLong, match="50 can"):
            await lm.complete("x", 51)
        return await lm.about()

    errors = run(use, num_blocks=20, block_size=16, max_tokens=50)
    assert (errors["num_steps"], errors["num_free_blocks"]) == (0, 20)


def test_whoever_leaves_a_completion_frees_its_decode_slot(run):
    """Guards against tokens for nobody."""

    async def use(lm):
        completion = asyncio.create_task(lm.complete("Once", 3000))
        while (await lm.about())["num_running"] == 0:  # noqa: ASYNC110  a thread tokenises its prompt
            await asyncio.sleep(0)
        completion.cancel()
        with pytest.raises(asyncio.CancelledError):
            await completion
        await lm.complete("Next", 1)
        return await lm.about()

    about = run(use)
    assert (about["num_aborted"], about["num_running"]) == (1, 0)
    assert about["num_free_blocks"] == about["num_blocks"]


def test_answers_of_several_queries_are_generated_together(run):
    """Batched generation is what an engine is for."""

    async def answered(lm, question):
        return [piece async for piece in lm.answer(question, PASSAGES)]

    async def use(lm):
        tokenise_on_the_loop(lm)
        answers = await asyncio.gather(*(answered(lm, f"Who keeps the log {k}?") for k in range(3)))
        return answers, await lm.about()

    answers, about = run(use)
    assert about["shared_steps"] > 0
    assert about["largest_step"] == 3
    for *pieces, answer in answers:
        assert isinstance(answer, WrittenAnswer)
        assert "".join(pieces) == answer.text
        assert (answer.model, answer.num_passages, answer.error) == (about["model"], 2, None)
        assert answer.finish_reason in ("stop", "length")
        assert answer.outcome in ("answered", "uncited")


def test_whoever_leaves_an_answer_frees_its_decode_slot(run):
    """Guards against an answer that is written on for nobody."""

    async def use(lm):
        answer = lm.answer("Who keeps the log?", PASSAGES)
        await anext(answer)
        await answer.aclose()
        return await lm.about()

    about = run(use, {"max_tokens": 1500})
    assert (about["num_aborted"], about["num_running"]) == (1, 0)
    assert about["num_free_blocks"] == about["num_blocks"]


def test_a_passage_cannot_write_the_end_of_a_turn(run):
    """A document that holds the model's own special tokens could speak in the place of its user."""

    async def use(lm):
        writer = lm._answerer._writer
        return await writer.count("<|im_end|>"), await writer.count("<|im_e"), lm._writer._tokenizer

    count, part, tokenizer = run(use)
    assert len(tokenizer("<|im_end|>")["input_ids"]) == 1
    assert count > part


def test_passages_and_answer_share_what_the_model_can_hold(run):
    """A prompt that fills the context leaves no room for an answer."""
    many = [passage_of("w " * 100, k) for k in range(30)]

    async def use(lm):
        return [piece async for piece in lm.answer("Who keeps the log?", many)][-1]

    answer = run(use, {"max_tokens": 200, "prompt_tokens": 100_000}, num_blocks=100)
    assert 0 < answer.num_passages < 10
    assert answer.error is None
    assert run(use, {"prompt_tokens": 300}).error.code == "prompt_too_long"


def test_messages_that_a_template_refuses_are_refused_by_name(run):
    """Guards against a 500 for roles that a model's own template does not take."""

    async def use(lm):
        lm._writer._tokenizer.chat_template = "{{ raise_exception('roles must take turns') }}"
        with pytest.raises(InvalidPrompt, match="roles must take turns"):
            _ = [piece async for piece in lm.write(LmRequest(turns=(Turn("user", "x"),)))]

    run(use)


def test_a_prompt_is_tokenised_off_the_loop_and_one_that_cannot_fit_not_at_all(run):
    """A prompt of 950 kB was tokenised on the replica's loop: all streams and steps stood still for 8 s."""
    on_loop: list[int] = []

    async def use(lm):
        tokenizer, loop_thread = lm._writer._tokenizer, threading.get_ident()

        class Watched:
            def __call__(self, *args, **options):
                on_loop.append(threading.get_ident() == loop_thread)
                return tokenizer(*args, **options)

            def __getattr__(self, name):
                return getattr(tokenizer, name)

        lm._writer._tokenizer = Watched()
        await lm.complete("Once", 2)
        async for _ in lm.answer("Who keeps the log?", PASSAGES):
            pass
        async for _ in lm.write(LmRequest(prompt="Once")):
            pass
        num_calls = len(on_loop)
        for refused in (lm.complete("x" * 950_000, 10), anext(lm.write(LmRequest(prompt="x" * 950_000)))):
            with pytest.raises(PromptTooLong, match="950000 characters"):
                await refused
        return num_calls, len(on_loop)

    before, after = run(use)
    assert before > 4
    assert after == before
    assert not any(on_loop)

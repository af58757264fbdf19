"""Answers from passages, by a writer that says what a test wants."""

import asyncio
import pickle

import pytest

from retrieval.answers.answer import Answerer, Piece, WrittenAnswer, whole
from retrieval.errors import WriterFailed
from tests.retrieval.passage_making import passage_of

PASSAGES = [passage_of("Ships wait for the tide."), passage_of("The log is kept by the harbour master.", 1)]


class Writer:
    """Says the given pieces; an exception among them is raised."""

    name = "writer"

    def __init__(self, *pieces):
        self.pieces, self.asked, self.closed = pieces, [], False

    async def count(self, text):
        return len(text.split())

    async def stream(self, messages, max_tokens):
        self.asked.append((messages, max_tokens))
        try:
            for piece in self.pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield Piece(text=piece)
            yield Piece(finish_reason="stop")
        finally:
            self.closed = True


def answered(writer, passages=PASSAGES, **options):
    """The pieces of the text, and the answer."""

    async def run():
        answerer = Answerer(writer, max_tokens=50, prompt_tokens=options.pop("prompt_tokens", 1000), **options)
        return [piece async for piece in answerer.stream("Who keeps the log?", passages)]

    *pieces, answer = asyncio.run(run())
    assert isinstance(answer, WrittenAnswer)
    assert "".join(pieces) == answer.text
    return pieces, answer


def test_marks_lead_to_their_passages():
    """The proof of an answer is the line on the page that it names."""
    pieces, answer = answered(Writer("The harbour master", " keeps it [2", "], since ships wait [1]."))
    assert len(pieces) > 1
    assert (answer.outcome, answer.finish_reason, answer.num_passages) == ("answered", "stop", 2)
    assert answer.text == "The harbour master keeps it [2], since ships wait [1]."
    assert [(citation.number, citation.chunk_id, citation.page) for citation in answer.citations] == [
        (2, "rules:000001", 2),
        (1, "rules:000000", 1),
    ]
    assert answer.citations[0].boxes == PASSAGES[1].boxes


def test_an_invented_source_is_dropped_and_told():
    """Guards against a citation that leads nowhere."""
    _, answer = answered(Writer("It is so [2][7], and [12]."))
    assert (answer.text, answer.dropped) == ("It is so [2], and.", ("7", "12"))
    assert [citation.number for citation in answer.citations] == [2]


def test_a_passage_that_the_model_was_not_given_cannot_be_cited():
    """The third passage did not fit: what cites it is a guess."""
    long = [*PASSAGES, passage_of("w " * 500, 2)]
    _, answer = answered(Writer("It is so [3]."), long, prompt_tokens=300)
    assert (answer.outcome, answer.num_passages, answer.dropped) == ("uncited", 2, ("3",))


def test_an_answer_that_names_nothing_is_not_called_answered():
    """What rests on no passage may be invented."""
    assert answered(Writer("The moon is made of cheese."))[1].outcome == "uncited"


@pytest.mark.parametrize(
    "output", [("NOT_", "FOUND"), ("**NOT_FOUND**",), ("\n NOT_FOUND. The passages ", "say no [1].")]
)
def test_a_refusal_is_told_and_not_shown(output):
    """Guards against `NOT_FOUND` as an answer, and against a model that goes on after it."""
    writer = Writer(*output)
    pieces, answer = answered(writer)
    assert (pieces, answer.outcome, answer.text, answer.error) == ([], "not_found", "", None)
    assert writer.closed


@pytest.mark.parametrize("output", [("NOT", " so fast [1]."), ("N",), (' "', "Quoted [1]")])
def test_what_only_begins_like_a_refusal_is_shown_whole(output):
    """Guards against the first word being lost."""
    assert answered(Writer(*output))[1].text == "".join(output)


def test_no_model_is_asked_about_nothing_or_about_what_is_far_off():
    """From passages that are not about the question a model invents."""
    for passages in ([], [passage_of("Ships wait.", cosine=0.1)]):
        writer = Writer("Never said [1].")
        _, answer = answered(writer, passages, least_cosine=0.3)
        assert (answer.outcome, writer.asked, answer.num_passages) == ("not_found", [], 0)
    near = [passage_of("Ships wait.", cosine=0.1), passage_of("The log.", 1, cosine=0.5)]
    assert answered(Writer("So [1]."), near, least_cosine=0.3)[1].outcome == "answered"
    by_text = [passage_of("Ships wait.", cosine=None)]
    assert answered(Writer("So [1]."), by_text, least_cosine=0.3)[1].outcome == "answered"


def test_a_writer_that_fails_leaves_what_it_wrote_and_says_why():
    """Guards against passages that are lost with the answer."""
    broken = WriterFailed("the connection broke", code="writer_broke_off", retryable=True)
    _, answer = answered(Writer("It is so [1] and ", broken))
    assert (answer.outcome, answer.text.strip()) == ("failed", "It is so [1] and")
    assert (answer.error.code, answer.error.retryable) == ("writer_broke_off", True)
    assert [citation.number for citation in answer.citations] == [1]
    assert answered(Writer())[1].error.code == "writer_silent"
    assert answered(Writer("So."), prompt_tokens=80)[1].error.code == "prompt_too_long"


def test_whoever_leaves_ends_the_writing():
    """A client that has gone must not keep a model at work."""
    writer = Writer("One ", "two ", "three ", "four ")

    async def run():
        answering = Answerer(writer, max_tokens=50, prompt_tokens=1000).stream("Who?", PASSAGES)
        await anext(answering)
        await answering.aclose()

    asyncio.run(run())
    assert writer.closed


def test_the_answer_at_the_end_is_the_whole():
    """Guards against a caller that gets a piece for the answer."""
    answering = Answerer(Writer("So [1]."), max_tokens=50, prompt_tokens=1000).stream("Who?", PASSAGES)
    assert asyncio.run(whole(answering)).text == "So [1]."


def test_a_failure_crosses_between_processes():
    """An error that cannot be unpickled hides the one that it tells of."""
    error = pickle.loads(pickle.dumps(WriterFailed("nothing", code="writer_silent", retryable=True)))
    assert (error.code, error.message, error.retryable) == ("writer_silent", "nothing", True)


def test_numbers_that_no_cited_passage_prints_are_told():
    """The second passage prints 17, and is not cited."""
    passages = [passage_of("12 ships wait."), passage_of("17 boats left.", 1)]
    _, answer = answered(Writer("12 ships wait, 17 boats left [1]."), passages)
    assert [answer.text[one.start : one.end] for one in answer.unproved] == ["17"]
    _, answer = answered(Writer("12 ships wait, 17 boats left [1][2]."), passages)
    assert answer.unproved == ()


def test_a_number_that_ocr_could_not_confirm_proves_no_answer():
    _, answer = answered(Writer("12 ships wait [1]."), [passage_of("12[?] ships wait.")])
    assert [answer.text[one.start : one.end] for one in answer.unproved] == ["12"]

"""Parses an image-text model's answer (Markdown, HTML, DocTags ...) into text; warns `answer_unparsed` if it cannot."""

from __future__ import annotations

from documents.draft.whole_page_reading import PageReading
from documents.readings.whole_page_answer import page_blocks
from documents.tables.written.model_answers import AnswerForm, text_of_answer
from documents.values import PageWarning, Reading


def with_answer(reading: Reading, form: AnswerForm) -> Reading:
    """The reading of one crop, of which the whole answer is one line; its words have no places."""
    if not reading.lines:
        return reading
    answer = reading.lines[0]
    text = text_of_answer(answer.text, form)
    if text is None:
        return reading.model_copy(update={"warnings": (*reading.warnings, _unparsed(reading.reader, form))})
    if text == answer.text:
        return reading
    line = answer.model_copy(update={"text": text, "words": (), "word_confidences": ()})
    return reading.model_copy(update={"text": text, "lines": (line,) if text else ()})


def page_of_answer(reading: Reading, form: AnswerForm, min_word_confidence: float) -> PageReading:
    """The reading of a whole page in blocks; a guess if the model is less sure of it than `min_word_confidence`."""
    answer = reading.lines[0] if reading.lines else None
    blocks, is_parsed = page_blocks(answer.text, form) if answer is not None else ((), True)
    confidence = answer.confidence if answer is not None else 0.0
    return PageReading(
        blocks=blocks,
        confidence=confidence,
        is_doubtful=confidence < min_word_confidence,
        reader=reading.reader,
        num_tokens=reading.num_tokens,
        warnings=reading.warnings if is_parsed else (*reading.warnings, _unparsed(reading.reader, form)),
    )


def _unparsed(reader: str, form: AnswerForm) -> PageWarning:
    message = f"{reader} did not answer in the expected format, {form}; its text is kept"
    return PageWarning(code="answer_unparsed", message=message)

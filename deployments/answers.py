"""A reading by an image-text model: its answer in the form of the family, or as it is, with a warning."""

from __future__ import annotations

from documents.tables.answers import AnswerForm, text_of_answer
from documents.values import PageWarning, Reading


def with_answer(reading: Reading, form: AnswerForm) -> Reading:
    """The reading of one crop, of which the whole answer is one line; its words have no places."""
    if not reading.lines:
        return reading
    answer = reading.lines[0]
    text = text_of_answer(answer.text, form)
    if text is None:
        warning = PageWarning(
            code="answer_unparsed", message=f"{reading.reader} did not answer in its form, {form}; its words are kept"
        )
        return reading.model_copy(update={"warnings": (*reading.warnings, warning)})
    if text == answer.text:
        return reading
    line = answer.model_copy(update={"text": text, "words": (), "word_confidences": ()})
    return reading.model_copy(update={"text": text, "lines": (line,) if text else ()})

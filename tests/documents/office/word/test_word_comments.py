"""Comments of a DOCX stand beside its text, as those of a PDF do, and are no part of it."""

from __future__ import annotations

import io

import docx as python_docx
import pytest

from documents.document.assemble_document import assemble
from documents.exports.docling_json.docling_document import docling
from documents.exports.markdown import markdown
from documents.values import Opened
from retrieval.chunking.comment_chunks import all_chunks
from tests.documents.office.drawn import OFFICE, RELATIONS, WORD, docx, pages_of, paragraph, saved

W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
W15 = "http://schemas.microsoft.com/office/word/2012/wordml"


def commented(comments: str, body: str, answers: str = "") -> bytes:
    kinds = {"comments": f"{OFFICE}/comments"}
    parts = {"word/comments.xml": f'<w:comments xmlns:w="{WORD}" xmlns:w14="{W14}">{comments}</w:comments>'}
    if answers:
        kinds["commentsExtended"] = "http://schemas.microsoft.com/office/2011/relationships/commentsExtended"
        parts["word/commentsExtended.xml"] = f'<w15:commentsEx xmlns:w15="{W15}">{answers}</w15:commentsEx>'
    related = "".join(f'<Relationship Id="{k}" Type="{kind}" Target="{k}.xml"/>' for k, kind in kinds.items())
    parts["word/_rels/document.xml.rels"] = f'<Relationships xmlns="{RELATIONS}">{related}</Relationships>'
    return docx(body, parts)


def comment(name: str, text: str, *, author: str = "Ada", key: str = "", date: str = "2026-02-03T04:05:06Z") -> str:
    paragraph_key = f' w14:paraId="{key}"' if key else ""
    run = f"<w:r><w:t>{text}</w:t></w:r>"
    settings = f'w:id="{name}" w:author="{author}" w:date="{date}"'
    return f"<w:comment {settings}><w:p{paragraph_key}>{run}</w:p></w:comment>"


def marked(name: str, words: str) -> str:
    run = f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>'
    return f'<w:commentRangeStart w:id="{name}"/>{run}<w:commentRangeEnd w:id="{name}"/>{reference(name)}'


def reference(name: str) -> str:
    return f'<w:r><w:commentReference w:id="{name}"/></w:r>'


def test_a_comment_has_its_author_date_and_words():
    """Drawn by python-docx, which knows comments."""
    document = python_docx.Document()
    one = document.add_paragraph("We pay ")
    run = one.add_run("twelve euros")
    one.add_run(" a day.")
    document.add_comment(run, text="Was it not ten?", author="Ada Byron", initials="AB")
    content = saved(document)
    (page,) = pages_of(content)
    assert [region.text for region in page.regions] == ["We pay twelve euros a day."]
    (comment,) = page.annotations
    assert (comment.kind, comment.author, comment.text, comment.words) == (
        "note",
        "Ada Byron",
        "Was it not ten?",
        "twelve euros",
    )
    (oracle,) = python_docx.Document(io.BytesIO(content)).comments
    assert comment.date is not None
    assert oracle.timestamp is not None
    assert comment.date.rstrip("Z") == oracle.timestamp.replace(tzinfo=None).isoformat()
    assert comment.place is not None


def test_words_over_paragraphs_and_cells_are_marked_whole():
    cells = f"<w:tbl><w:tr><w:tc>{paragraph('in a')}</w:tc><w:tc>{paragraph('cell')}</w:tc></w:tr></w:tbl>"
    body = f'<w:p><w:r><w:t>not </w:t></w:r><w:commentRangeStart w:id="1"/><w:r><w:t>begins</w:t></w:r></w:p>{cells}'
    body += (
        f'<w:p><w:r><w:t>ends</w:t></w:r><w:commentRangeEnd w:id="1"/>{reference("1")}<w:r><w:t> not</w:t></w:r></w:p>'
    )
    (page,) = pages_of(commented(comment("1", "all?"), body))
    assert page.annotations[0].words == "begins in a cell ends"


def test_an_answer_names_the_comment_that_it_answers():
    comments = comment("1", "why?", key="0A") + comment("2", "because", author="Bo", key="0B")
    body = f"<w:p>{marked('1', 'ten')}{reference('2')}</w:p>"
    answers = '<w15:commentEx w15:paraId="0A"/><w15:commentEx w15:paraId="0B" w15:paraIdParent="0A"/>'
    (page,) = pages_of(commented(comments, body, answers))
    assert [(one.text, one.author, one.reply_to) for one in page.annotations] == [
        ("why?", "Ada", None),
        ("because", "Bo", 0),
    ]


def test_comments_are_chunks_of_their_own_and_in_no_text():
    content = commented(comment("1", "Was it not ten?"), f"<w:p>{marked('1', 'twelve euros')}</w:p>")
    pages = pages_of(content)
    document = assemble("d", 1, Opened(num_pages=1), pages)
    assert markdown(document) == "twelve euros\n"

    class Counter:
        def count(self, text: str) -> int:
            return len(text.split())

        def offsets(self, text: str):
            raise AssertionError

    chunks = all_chunks(document, Counter(), 100)
    assert [(one.kind, one.heading_path, one.text) for one in chunks if one.kind == "comment"] == [
        ("comment", ("Ada",), "twelve euros\n\nWas it not ten?")
    ]
    assert all(span.box is not None or span.place is not None for one in chunks for span in one.spans)
    texts = docling(document)["texts"]
    assert [one["text"] for one in texts if one["content_layer"] == "notes"] == ["Was it not ten?"]


@pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01T00:00:00Z"])
def test_a_date_that_is_none_is_left_out(date):
    (page,) = pages_of(commented(comment("1", "x", date=date), f"<w:p>{marked('1', 'y')}</w:p>"))
    assert page.annotations[0].date is None


def test_a_comment_is_there_once_however_often_the_text_refers_to_it():
    (page,) = pages_of(commented(comment("1", "x" * 1000), f"<w:p>{marked('1', 'y')}{500 * reference('1')}</w:p>"))
    assert len(page.annotations) == 1


def test_the_words_that_comments_mark_are_bounded():
    names = [str(k) for k in range(300)]
    begins = "".join(f'<w:commentRangeStart w:id="{name}"/>' for name in names)
    ends = "".join(f'<w:commentRangeEnd w:id="{name}"/>{reference(name)}' for name in names)
    body = f"<w:p>{begins}<w:r><w:t>{'word ' * 20000}</w:t></w:r>{ends}</w:p>"
    (page,) = pages_of(commented("".join(comment(name, "?") for name in names), body))
    assert len(page.annotations) == 300
    assert 0 < sum(len(one.words) for one in page.annotations) <= 50 * 2000

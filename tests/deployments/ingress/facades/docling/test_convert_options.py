"""docling's options: what acts, what is told as ignored, what is refused."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployments.ingress.errors import UnknownOption
from deployments.ingress.facades.docling.chunking import task_options_of as chunk_request_of
from deployments.ingress.facades.docling.convert import task_options_of
from deployments.ingress.facades.docling.convert_options import ConvertOptions, ignored, of_form
from deployments.ingress.form_options import options_of


@pytest.mark.parametrize(
    ("fields", "pages"),
    [
        ({"page_range": ["2", "3"]}, "2-3"),
        ({"page_range": [1, sys.maxsize]}, "1-"),
        ({"page_range": "[4, 4]"}, "4-4"),
        ({"page_range": "2,5"}, "2-5"),
        ({}, None),
    ],
)
def test_a_range_of_pages_is_understood_however_clients_write_it(fields, pages):
    """Guards against clients that ask for two pages and get all, and against ranges without an end that are refused."""
    assert options_of(ConvertOptions, fields).for_job("d").pages == pages


@pytest.mark.parametrize(
    ("fields", "source"),
    [({}, "auto"), ({"force_ocr": "true"}, "ocr"), ({"do_ocr": "false"}, "text_layer")],
)
def test_where_text_comes_from_is_what_the_client_asked_for(fields, source):
    job = options_of(ConvertOptions, fields).for_job("d")
    assert job.text_source == source
    assert not job.index, "a converted document is not found by search: its client has a search of its own"


def test_formats_that_are_written_are_and_others_are_told():
    """Guards against a client that waits for a format which never comes."""
    request = task_options_of(
        {"to_formats": ["md", "doctags", "json"], "table_mode": "fast", "ocr_lang": ["en"]}, "inbody"
    )
    assert request.form.formats == ("md", "json")
    assert request.ignored == ("ocr_lang", "table_mode", "to_formats=doctags")


@pytest.mark.parametrize(
    "fields",
    [
        {"to_formats": "doctags"},
        {"page_range": "3,2"},
        {"page_range": "0,2"},
        {"page_range": "[1,"},
        {"do_ocr": "perhaps"},
        {"document_timeout": "-1"},
        {"images_scale": "100"},
        {"image_export_mode": "painted"},
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(fields):
    """Guards against an option that is taken for its default without a word."""
    with pytest.raises(UnknownOption) as refused:
        options_of(ConvertOptions, fields)
    assert next(iter(fields)) in refused.value.message


def test_a_target_that_lies_elsewhere_is_refused_in_words_that_clients_look_for():
    """Guards against docling's own client, which asks for presigned addresses first and then for the body."""
    with pytest.raises(UnknownOption, match="artifact storage to be configured"):
        task_options_of({}, "presigned_url")
    with pytest.raises(UnknownOption, match="'s3'"):
        task_options_of({}, "s3")
    assert task_options_of({}, "zip").form.zipped


def test_chunks_beside_a_document_have_their_own_options():
    """RAGFlow's request; guards against options of a chunker that are taken for nothing without a word."""
    chunking = {"max_tokens": 512, "overlap": 50, "tokenizer": "sentencepiece"}
    request = task_options_of({"do_chunking": True, "chunking_options": chunking}, "inbody")
    assert request.form.chunked
    assert request.form.max_tokens == 512
    assert request.ignored == ("chunking_options.overlap", "chunking_options.tokenizer")
    form = task_options_of({"do_chunking": "true", "chunking_options": '{"max_tokens": 99}'}, "inbody")
    assert (form.form.max_tokens, form.ignored) == (99, ())


@pytest.mark.parametrize(
    ("fields", "target", "names"),
    [
        ({"chunking_options": {"max_tokens": 99}}, "inbody", ("chunking_options",)),
        ({"do_chunking": False, "chunking_options": {"max_tokens": 99}}, "inbody", ("chunking_options",)),
        ({"do_chunking": True, "chunking_options": {"max_tokens": 99}}, "zip", ("chunking_options", "do_chunking")),
        ({"do_chunking": False}, "inbody", ()),
    ],
)
def test_options_of_chunks_that_nobody_gets_are_told(fields, target, names):
    request = task_options_of(fields, target)
    assert not request.form.chunked
    assert tuple(sorted(request.ignored)) == names


@pytest.mark.parametrize(
    "fields",
    [
        {"do_chunking": True, "chunking_options": {"max_tokens": 3}},
        {"do_chunking": True, "chunking_options": "{"},
        {"do_chunking": True, "chunking_options": [1]},
        {"md_page_break_placeholder": "x" * 101},
    ],
)
def test_options_of_chunks_and_breaks_that_cannot_be_are_refused_by_name(fields):
    with pytest.raises(UnknownOption, match=r"chunking_options|md_page_break_placeholder"):
        task_options_of(fields, "inbody")


def test_a_page_break_is_kept_as_it_is_sent():
    """A form feed is white space, and docling-serve's empty text means none."""
    assert task_options_of({"md_page_break_placeholder": "\f"}, "inbody").form.page_break == "\f"
    assert task_options_of({"md_page_break_placeholder": ""}, "inbody").form.page_break is None


def test_options_of_chunkers_have_their_prefixes():
    fields = {"convert_force_ocr": ["true"], "chunking_max_tokens": ["99"], "chunking_tokenizer": ["x"], "odd": ["1"]}
    request = chunk_request_of("hybrid", of_form(fields, "convert_"), of_form(fields, "chunking_"), whole=False)
    assert request.options.force_ocr
    assert request.form.max_tokens == 99
    assert request.ignored == ("chunking_tokenizer",)


@given(st.dictionaries(st.text(max_size=200), st.text(max_size=20) | st.lists(st.text(max_size=5)), max_size=80))
def test_whatever_is_sent_is_understood_or_refused_and_what_is_told_is_bounded(fields):
    """Guards against a traceback, and against answers that grow with what a client makes up."""
    try:
        options_of(ConvertOptions, fields)
    except UnknownOption:
        return
    names = ignored(ConvertOptions, fields)
    assert len(names) <= 50
    assert all(len(name) <= 64 for name in names)

"""Pictures in conversations, by OpenAI's own client: an image-text model of random weights beside `generate`."""

import base64
import io

import numpy as np
import openai
import pytest
import torch
from PIL import Image

from tests.batching.vision_families import make
from tests.deployments.lm_making import save_lm
from tests.random_models import save_image_text
from tests.web.house import house

FAMILY = "qwen2_vl"
TEXT = "Who keeps the log?"


def pixels(seed):
    return np.random.default_rng(seed).integers(0, 255, (48, 64, 3), dtype=np.uint8)


def data_url(picture):
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "PNG")
    return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"


def messages(*pictures, text=TEXT):
    parts = [{"type": "image_url", "image_url": {"url": data_url(picture)}} for picture in pictures]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": text}]}]


@pytest.fixture(scope="module")
def blocking_calls_fail():
    """The servers of these tests run in threads of their own."""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = save_image_text(FAMILY, tmp_path_factory.mktemp("lm") / "tiny-vision")
    with (
        house(tmp_path_factory.mktemp("data"), lm={"model": str(folder), "num_blocks": 300}) as served,
        openai.OpenAI(base_url=f"{served.url}/v1", api_key="x", max_retries=0, timeout=60) as client,
    ):
        yield client


def chat(client, messages, **further):
    options = {"model": "tiny-vision", "messages": messages, "temperature": 0, "max_tokens": 12} | further
    return client.chat.completions.create(**options)


def generated(*pictures):
    """Text and length of the prompt, by the model's own processor and `generate`."""
    model, processor = make(FAMILY)
    content = [*({"type": "image"} for _ in pictures), {"type": "text", "text": TEXT}]
    text = processor.apply_chat_template(
        [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
    )
    inputs = processor(text=[text], images=list(pictures), return_tensors="pt")
    with torch.no_grad():
        output = model.generate(**inputs, max_new_tokens=12, do_sample=False)
    length = inputs["input_ids"].shape[1]
    return processor.tokenizer.decode(output[0, length:], skip_special_tokens=True), length


@pytest.mark.parametrize("seeds", [(1,), (2, 3)])
def test_what_is_said_of_pictures_is_what_generate_says(client, seeds):
    """Guards against pictures that are taken and not looked at, or counted as no tokens."""
    pictures = [pixels(seed) for seed in seeds]
    answer = chat(client, messages(*pictures))
    text, length = generated(*pictures)
    assert answer.choices[0].message.content == text
    assert answer.usage.prompt_tokens == length


def test_a_stream_gives_the_same(client):
    pixel_messages = messages(pixels(1))
    pieces = [event.choices[0].delta.content or "" for event in chat(client, pixel_messages, stream=True)]
    assert "".join(pieces) == chat(client, pixel_messages).choices[0].message.content


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("data:image/png;base64,?", "not base64"),
        ("data:image/png,x", "base64"),
        (f"data:image/png;base64,{base64.b64encode(b'no picture at all').decode()}", "unsupported file type"),
        (f"data:image/png;base64,{base64.b64encode(b'%PDF-1.4 x').decode()}", "not a picture"),
        ("https://example.org/a.png", "sources.http"),
        ("file:///etc/passwd", "sources.http"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(client, url, words):
    url_messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]
    with pytest.raises(openai.APIStatusError, match=words) as refused:
        chat(client, url_messages)
    assert 400 <= refused.value.status_code < 500


def test_a_model_of_text_alone_says_that_it_takes_no_pictures(tmp_path_factory):
    folder = save_lm(tmp_path_factory.mktemp("lm") / "tiny-lm")
    with (
        house(tmp_path_factory.mktemp("data"), lm={"model": str(folder), "num_blocks": 300}) as served,
        openai.OpenAI(base_url=f"{served.url}/v1", api_key="x", max_retries=0, timeout=60) as client,
        pytest.raises(openai.UnprocessableEntityError, match="takes no pictures"),
    ):
        chat(client, messages(pixels(1)), model="tiny-lm")

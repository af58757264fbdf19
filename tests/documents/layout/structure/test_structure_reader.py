"""The reader gives each page its blocks, whatever pages come beside it and however many lines it has."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pymupdf
import pytest
import torch
from safetensors.torch import save_file
from segment_pages import random_tokens, tokens_of

from documents.layout.structure import structure_reader as module
from documents.layout.structure.structure_network import NetworkShape, StructureNetwork
from documents.layout.structure.structure_reader import StructureReader
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.features import features_by_band
from documents.segments.packed_features import pack, packed_segments
from documents.segments.roles import ROLES
from documents.values import Source

CHECKPOINT = Path(__file__).parents[4] / "checkpoints" / "structure-compact"
SHAPE = NetworkShape(width=20, num_layers=2, num_heads=2, pair_width=8)
FURNITURE = {"page_number", "page_footer", "page_header"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkpoint of a network that has learnt nothing."""
    folder = tmp_path_factory.mktemp("structure")
    torch.manual_seed(4)
    save_file(StructureNetwork(SHAPE).state_dict(), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"roles": ROLES, **asdict(SHAPE)}))
    return folder


@pytest.fixture(scope="module")
def reader(folder):
    return StructureReader(folder)


@pytest.fixture(scope="module")
def trained():
    return StructureReader(CHECKPOINT)


def page(count, seed=0, num_graphics=3):
    return list(features_by_band(random_tokens(count, seed, num_graphics)))


def segments_of(blocks):
    return sorted(k for block in blocks for k in block.segments)


def test_pages_have_the_same_blocks_in_any_order_and_alone(trained):
    """Guards against a result that depends on what else is in flight: bit for bit, scores included."""
    pages = [page(count, count) for count in (3, 25, 1, 60, 11)]
    together = list(trained.blocks(pages))
    assert list(trained.blocks(pages[::-1])) == together[::-1]
    assert [next(trained.blocks([page])) for page in pages] == together
    assert len({len(blocks) for blocks in together}) > 2


def test_features_as_bytes_give_the_blocks_of_the_page(reader):
    one = page(20)
    assert segments_of(reader.blocks_of(pack(one))) == list(range(20))
    assert reader.blocks_of(b"") == ()
    with pytest.raises(ValueError, match="early"):
        reader.blocks_of(b"\0")


def test_a_page_of_graphics_alone_has_no_blocks(reader):
    graphics = list(features_by_band(tokens_of([], [], graphics=[(0, 0, 90, 90)], kinds=[3])))
    assert list(reader.blocks([graphics])) == [()]


@pytest.mark.parametrize("count", [37, 38, 200])
def test_a_page_of_very_many_segments_is_read_in_bands_from_the_top(reader, count):
    """Guards against segments that are lost or doubled between bands."""
    tokens = random_tokens(count)
    parts = list(features_by_band(tokens, 40))
    assert len(parts) == -(-count // 37)
    blocks = next(reader.blocks([parts]))
    assert segments_of(blocks) == list(range(count))
    tops = [max(tokens.box[list(block.segments), 1]) for block in blocks]
    bands = np.array_split(np.sort(tokens.box[:count, 1]), len(parts))
    band_of_block = np.searchsorted([band[-1] for band in bands], tops)
    assert (np.diff(band_of_block) >= 0).all()


def test_the_box_around_a_segment_is_known_in_its_band(reader, monkeypatch):
    """Guards against indices of the page in a band that counts its own tokens."""
    insides: list[np.ndarray] = []
    batch_of = module.batch_of
    monkeypatch.setattr(
        module, "batch_of", lambda pages, device: insides.append(pages[0].inside) or batch_of(pages, device)
    )
    boxes = [(0, 20 * k, 50, 20 * k + 10) for k in range(20)]
    tokens = tokens_of(["Line"] * 20, boxes, graphics=[(-5, 190, 60, 400), (0, 500, 90, 501)], kinds=[2, 1])
    next(reader.blocks([list(features_by_band(tokens, 12))]))
    assert [inside.tolist() for inside in insides] == [[-1] * 12, [10] * 10 + [-1] * 2]


def test_a_checkpoint_of_other_roles_is_refused(folder, tmp_path):
    """Guards against a network whose headings come out as captions, since the list of roles has changed."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_text())
    for roles in (ROLES[::-1], ROLES[:-1], [*ROLES, "poem"]):
        (tmp_path / "config.json").write_text(json.dumps({**config, "roles": roles}))
        with pytest.raises(ValueError, match="other roles"):
            StructureReader(tmp_path)


LEFT = (
    "The harbour was closed for most of the winter, and the keeper wrote in his log that no ship had come in "
    "since the first frost. He counted the boats that lay under snow, and found two of them broken.\n",
    "In the town people repaired nets and waited. The baker had flour for nine weeks, the smith had coal for five, "
    "and the priest kept a list of all who were ill. Nobody was allowed to walk on the ice after dark, since the "
    "tide moved it and opened gaps between the quay and the island.\n",
    "It was the longest frost that anyone could remember, and it was to last for another month before the wind "
    "turned.\n",
)
RIGHT = (
    "After the thaw the pilots went out again and counted the buoys which the ice had carried to the north. Of "
    "forty only eleven were left in their places, and most of these had lost their lamps.\n",
    "The council met in April. It was decided to buy new chains, to move the lamp of the outer pier, and to pay "
    "the keeper for the nights that he had watched. His log was copied and sent to the capital, where it is kept "
    "to this day.\n",
    "Ships came in from the second week of May on, the first of them with salt.\n",
)


def drawn_page(path, turn):
    """A large heading, two columns of paragraphs, and the page's number at its foot."""
    with pymupdf.open() as pdf:
        sheet = pdf.new_page(width=612, height=792)
        sheet.insert_text((60, 90), "The winter of the ice", fontsize=20, fontname="hebo")
        for x, paragraphs in ((60, LEFT), (320, RIGHT)):
            left_over = sheet.insert_textbox((x, 120, x + 232, 720), "".join(paragraphs) * 2, fontsize=10)
            assert left_over >= 0
        sheet.insert_text((300, 760), "17", fontsize=9)
        sheet.set_rotation(turn)
        pdf.save(path)


@pytest.mark.parametrize("turn", [0, 90])
def test_a_plain_page_is_read_as_a_person_reads_it(trained, tmp_path, turn):
    """What any checkpoint must know of a page, also of one that is turned."""
    drawn_page(tmp_path / "page.pdf", turn)
    file = PdfFile(Source(path=str(tmp_path / "page.pdf"), media_type="application/pdf"), RenderLimits())
    inspection = file.inspect(1)
    file.close()
    lines = [line for line in inspection.lines if line.hidden is None]
    blocks = trained.blocks_of(packed_segments(inspection))
    texts = [" ".join(lines[k].text for k in block.segments) for block in blocks]
    roles = {text: block.role for text, block in zip(texts, blocks, strict=True)}
    assert roles["The winter of the ice"] in ("title", "heading")
    assert roles["17"] in FURNITURE
    columns = [{lines[k].text in " ".join(LEFT) for k in block.segments} for block in blocks if block.role == "text"]
    middle = columns.index({False})
    assert middle > 0
    assert columns == [{True}] * middle + [{False}] * (len(columns) - middle), "the left column comes first"

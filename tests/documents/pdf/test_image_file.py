"""Image files become upright pages on white, of a sensible size."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from documents.boxes import BoundingBox
from documents.errors import ImageTooLarge, UnreadableDocument


def look(with_pool, source, number=1, **limits):
    async def use(pool):
        opened = await pool.open(source)
        page = (await pool.inspect(source, number)).inspection()
        return opened, page, await pool.picture(source, number, dpi=72)

    return with_pool(use, **limits)


def half_black(mode="L", size=(200, 100)):
    """The left half black."""
    values = np.full((size[1], size[0]), 255, np.uint8)
    values[:, : size[0] // 2] = 0
    return Image.fromarray(values).convert(mode)


@pytest.mark.parametrize(
    ("dpi", "width"),
    [(100, 144), (None, 144), (20000, 144), (3, 144)],
    ids=["told", "untold", "mad", "tiny"],
)
def test_a_page_has_the_size_that_its_dots_per_inch_give(with_pool, tmp_path, source, dpi, width):
    """Guards against pages of a mile or of a hair because a file tells nonsense."""
    path = tmp_path / "a.png"
    half_black().save(path, **({"dpi": (dpi, dpi)} if dpi else {}))
    _, page, _ = look(with_pool, source(path))
    assert page.width == pytest.approx(width if dpi == 100 else 288, abs=1)
    assert page.width == pytest.approx(2 * page.height, rel=0.01)


@pytest.mark.parametrize(
    ("dpi", "size"), [((204, 98), (816, 1078)), ((98, 204), (784, 2244)), ((200, 4000), (800, 1100))]
)
@pytest.mark.parametrize("orientation", [1, 6])
def test_a_fax_whose_dots_are_not_square_is_as_high_as_its_sheet(with_pool, tmp_path, source, dpi, size, orientation):
    """Guards against standard faxes (204 x 98 dots per inch) that come out squashed to half their height."""
    image = Image.new("L", size, 255)
    exif = Image.Exif()
    exif[0x0112] = orientation
    image.save(tmp_path / "fax.tif", dpi=dpi, exif=exif)
    _, page, picture = look(with_pool, source(tmp_path / "fax.tif"))
    sheet = [size[0] * 72 / dpi[0], size[1] * 72 / (dpi[1] if dpi[1] < 1200 else dpi[0])]
    assert [page.width, page.height] == pytest.approx(sheet if orientation == 1 else sheet[::-1], abs=1)
    assert picture.shape[1::-1] == pytest.approx((page.width, page.height), abs=1)

    async def use(pool):
        whole = await pool.picture(source(tmp_path / "fax.tif"), 1, long_side=440)
        corner = BoundingBox(x0=0, y0=0, x1=page.width / 2, y1=page.height / 2)
        return whole, await pool.picture(source(tmp_path / "fax.tif"), 1, dpi=72, box=corner)

    whole, corner = with_pool(use)
    assert max(whole.shape) == 440
    assert whole.shape[1] / whole.shape[0] == pytest.approx(page.width / page.height, rel=0.02)
    assert corner.shape[1::-1] == pytest.approx((page.width / 2, page.height / 2), abs=1)


def test_an_image_without_scale_is_taken_for_a_sheet(with_pool, tmp_path, source):
    """Guards against pages of many metres, whose type sizes mean nothing."""
    half_black(size=(3000, 1500)).save(tmp_path / "a.png")
    _, page, _ = look(with_pool, source(tmp_path / "a.png"))
    assert page.width == pytest.approx(11.7 * 72, abs=1)


@pytest.mark.parametrize(("mode", "suffix"), [("1", "png"), ("P", "png"), ("CMYK", "jpg"), ("L", "webp"), ("1", "tif")])
def test_every_mode_is_drawn_as_rgb(with_pool, tmp_path, source, mode, suffix):
    """Guards against palettes, masks and inverted inks that come out black or fail."""
    path = tmp_path / f"a.{suffix}"
    half_black(mode).save(path)
    _, _, picture = look(with_pool, source(path))
    assert picture.shape[2] == 3
    assert picture[:, : picture.shape[1] // 3].max() < 80
    assert picture[:, -picture.shape[1] // 3 :].min() > 200


def test_sixteen_bits_are_scaled_and_not_clipped_to_white(with_pool, tmp_path, source):
    """Guards against deep greys that become an empty page."""
    values = np.full((100, 200), 60000, np.uint16)
    values[:, :100] = 3000
    Image.fromarray(values).save(tmp_path / "a.png")
    _, _, picture = look(with_pool, source(tmp_path / "a.png"))
    assert picture[:, :80].max() < 30
    assert picture[:, 220:].min() > 200


def test_what_is_transparent_is_white_paper(with_pool, tmp_path, source):
    """Guards against black text on transparent black: an all black page."""
    values = np.zeros((100, 200, 4), np.uint8)
    values[40:60, 50:150, 3] = 255
    Image.fromarray(values).save(tmp_path / "a.png")
    _, page, picture = look(with_pool, source(tmp_path / "a.png"))
    assert picture[:20].min() == 255
    assert picture.min() == 0
    assert page.ink.cells().any()


def test_a_photo_is_turned_as_its_camera_says(with_pool, tmp_path, source):
    """Guards against photographed pages that are read lying on their side."""
    image, exif = half_black(), Image.Exif()
    exif[0x0112] = 6  # the camera was held a quarter turn clockwise
    image.save(tmp_path / "a.jpg", exif=exif)
    _, page, picture = look(with_pool, source(tmp_path / "a.jpg"))
    assert page.height > page.width
    assert picture[: picture.shape[0] // 3].max() < 60


def test_each_frame_of_a_tiff_is_a_page(with_pool, tmp_path, source):
    """Guards against faxes of which only the first page is read."""
    frames = [half_black(), half_black(size=(100, 300))]
    frames[0].save(tmp_path / "a.tif", save_all=True, append_images=frames[1:])
    opened, page, _ = look(with_pool, source(tmp_path / "a.tif"), number=2)
    assert opened.num_pages == 2
    assert page.height > page.width


def test_too_many_pixels_are_refused_before_they_are_decoded(with_pool, tmp_path, source):
    """Guards against an image bomb that is unpacked before it is judged."""
    half_black().save(tmp_path / "a.png")
    with pytest.raises(ImageTooLarge):
        look(with_pool, source(tmp_path / "a.png"), max_pixels=10_000)


@pytest.mark.parametrize("size", [(5000, 7000), (700, 1000)])
def test_a_large_picture_is_drawn_as_it_is_and_a_small_one_as_fine_as_it_is_asked_for(
    with_pool, tmp_path, source, size
):
    """Guards against a photo of 35 million pixels that is refused: for 200 dpi it would be drawn with 100 million."""
    half_black("RGB", size).save(tmp_path / "a.jpg", dpi=(96, 96))

    async def use(pool):
        photo = source(tmp_path / "a.jpg")
        tilted = (await pool.pose(photo, 1)).turned(90).turned(-90)
        corners = ((2.0, 0.0), *tilted.corners[1:])
        straight = await pool.picture(photo, 1, dpi=200, pose=tilted.model_copy(update={"corners": corners}))
        return await pool.picture(photo, 1, dpi=200), straight

    whole, straight = with_pool(use)
    if size[0] == 700:
        assert whole.shape[1] == pytest.approx(700 * 200 / 96, abs=1)
        assert straight.shape[1] == pytest.approx(700 * 200 / 96, rel=0.01)
    else:
        assert whole.shape == (7000, 5000, 3)
        assert straight.shape[0] * straight.shape[1] <= 30_010_000


def test_half_an_image_is_unreadable(with_pool, data, tmp_path, source):
    """Guards against a broken upload that passes for a page, half of it grey."""
    whole = (data / "scan.png").read_bytes()
    (tmp_path / "half.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnreadableDocument):
        look(with_pool, source(tmp_path / "half.png"))


@pytest.mark.parametrize("name", ["a.png", "a.webp"])
def test_the_further_pictures_of_an_animation_are_told(with_pool, tmp_path, source, name):
    """Guards against pictures of a file that vanish without a word."""
    first, *further = (Image.new("RGB", (60, 40), colour) for colour in ("white", "red", "blue"))
    first.save(tmp_path / name, save_all=True, append_images=further)
    opened, _, _ = look(with_pool, source(tmp_path / name))
    assert opened.num_pages == 1
    assert [warning.code for warning in opened.warnings] == ["frames_ignored"]
    first.save(tmp_path / f"one-{name}")
    opened, _, _ = look(with_pool, source(tmp_path / f"one-{name}"))
    assert opened.warnings == ()


def test_a_grey_image_is_seen_as_the_same_image_in_colour(with_pool, tmp_path, source):
    """Guards against a grey scan, which is kept with one channel, that is scaled or compared otherwise."""
    values = np.random.default_rng(3).integers(0, 256, (300, 220)).astype(np.uint8)
    Image.fromarray(values).save(tmp_path / "grey.png", dpi=(150, 150))
    Image.fromarray(values).convert("RGB").save(tmp_path / "colour.png", dpi=(150, 150))
    Image.fromarray(values).convert("1").save(tmp_path / "black.png", dpi=(150, 150))
    Image.fromarray(values).convert("1").convert("RGB").save(tmp_path / "black_in_colour.png", dpi=(150, 150))

    def looks(name):
        page = source(tmp_path / name)

        async def use(pool):
            fingerprint = await pool.fingerprint(page, 1)
            box = BoundingBox(x0=10, y0=20, x1=60, y1=90)
            return fingerprint, await pool.picture(page, 1, dpi=72), await pool.picture(page, 1, dpi=144, box=box)

        _, inspection, picture = look(with_pool, page)
        return inspection, picture, *with_pool(use)

    for one, other in (("grey.png", "colour.png"), ("black.png", "black_in_colour.png")):
        pairs = list(zip(looks(one), looks(other), strict=True))
        assert pairs[0][0].ink == pairs[0][1].ink
        assert pairs[2][0] == pairs[2][1]
        for grey, colour in (pairs[1], pairs[3]):
            assert grey.shape[2] == 3
            assert np.array_equal(grey, colour)

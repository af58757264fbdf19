"""Parts of a mail as a mail program shows them: headers decoded, pictures in their place and not twice."""

from __future__ import annotations

from email.message import EmailMessage

from documents.region_values import FigureRegion
from tests.documents.office.drawn import parsed, regions_of
from tests.serve.files import png


def test_words_of_headers_are_decoded() -> None:
    """Guards against =?utf-8?q?...?= in titles."""
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Hafengebühren für Ærø", "Jörg <j@example.org>"
    mail.set_content("text")
    document = parsed(mail.as_bytes())
    assert b"=?utf-8?" in mail.as_bytes()
    assert document.pages[0].regions[0].text == "Hafengebühren für Ærø"
    assert "Jörg" in document.pages[0].regions[1].text


def test_a_picture_that_the_mail_shows_is_no_attachment_too() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Plan", "a@example.org"
    mail.set_content('<p>See <img src="cid:plan" alt="the plan"></p>', subtype="html")
    mail.add_related(png(), "image", "png", cid="<plan>")
    mail.add_attachment(png(), maintype="image", subtype="png", filename="other.png")
    content = mail.as_bytes()
    (figure,) = [region for region in regions_of(content) if isinstance(region, FigureRegion)]
    assert figure.alt == "the plan"
    assert len(parsed(content).pages) <= 2, "the mail itself, and at most the attached picture"

"""A question whose answer stands on a known page gets that page first, with boxes that cover the line."""

import asyncio

import pymupdf
import pytest

from benchmarks.harness.library import read
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.truths.questions import letters
from configs.settings import Settings
from documents.sandbox import RendererPool
from documents.values import Source
from retrieval.chunking.chunk_size import counter_for
from retrieval.chunking.chunker import chunk
from retrieval.embedding.embedder import Embedder
from retrieval.index.index import Index
from retrieval.search.query import Query
from retrieval.search.search import Searcher

FACTS = [  # a page each two: the line, and what is asked
    ("The lighthouse on Gull Rock was lit for the first time in 1871.", "When was the lighthouse first lit?"),
    ("Its keeper was paid forty pounds a year and given free coal.", "What wage did the keeper get?"),
    ("Bread rises fastest at a temperature of thirty degrees.", "At what warmth does dough rise best?"),
    ("Rye flour holds more water than wheat flour does.", "Which flour takes up more water?"),
    ("The bridge over the Tarn is the tallest in the country.", "Where is the tallest bridge?"),
    ("Its pylons were built of high strength concrete.", "What are the pylons made of?"),
    ("Emperor penguins breed in the middle of the winter.", "In which season do penguins breed?"),
    ("The male keeps the egg warm on his feet.", "Who keeps the egg of the penguin warm?"),
    ("A violin has four strings tuned in fifths.", "How many strings does a violin have?"),
    ("Its bow is strung with the hair of horses.", "What hair is used for the bow?"),
    ("The contract ends after a notice of three months.", "How long is the period of notice?"),
    ("Late payments bear interest at nine percent.", "What interest is due on late payments?"),
    ("The patient received two milligrams of morphine.", "How much morphine was given?"),
    ("No allergy to penicillin was known at that time.", "Was there an allergy to penicillin?"),
    ("Saturn has rings of ice and dust.", "What are the rings of Saturn made of?"),
    ("Its largest moon, Titan, has lakes of methane.", "Which moon has lakes of methane?"),
    ("Parliament sits on Tuesdays and Thursdays.", "On which days does parliament sit?"),
    ("The speaker is elected by secret ballot.", "How is the speaker elected?"),
    ("The engine turns at six thousand revolutions a minute.", "How fast does the engine turn?"),
    ("Its oil must be changed every ten thousand miles.", "How often must the oil be changed?"),
]


@pytest.fixture
def pdf(tmp_path):
    """Two facts a page, each in a paragraph of its own."""
    with pymupdf.open() as document:
        for number in range(len(FACTS) // 2):
            page = document.new_page(width=595, height=842)
            for place, (line, _) in enumerate(FACTS[2 * number : 2 * number + 2]):
                page.insert_text((72, 120 + 260 * place), line, fontsize=12)
        document.save(tmp_path / "facts.pdf")
    return tmp_path / "facts.pdf"


@pytest.mark.slow
def test_twenty_questions_get_their_page_first_and_boxes_on_their_line(pdf, tmp_path):
    """The proof of ingestion is an answer that points to the line on the page."""
    folder = Embedder.find("all-MiniLM-L6-v2")
    counter, model = counter_for(folder), None if folder is None else Embedder(folder)

    async def run():
        pool = RendererPool(1)
        networks = PageNetworks.of(Settings())
        document, status = await read(Source(path=str(pdf), media_type="application/pdf"), pdf.name, pool, networks)
        await pool.close()
        assert status == "succeeded"
        chunks = chunk(document, counter, counter.max_tokens)
        index = await Index.open(str(tmp_path / "index"))
        vectors = None if model is None else model.embed([part.embedding_text for part in chunks])
        await index.replace(pdf.name, "default", 1, chunks, vectors)
        searcher = Searcher(index)
        results = [
            await searcher.search(
                Query(text=question, k=1), None if model is None else model.embed([question], "query")
            )
            for _, question in FACTS
        ]
        await index.close()
        return results

    answers = asyncio.run(run())
    with pymupdf.open(pdf) as document:
        for k, ((line, question), passages) in enumerate(zip(FACTS, answers, strict=True)):
            (best,) = passages.passages
            assert letters(line) in letters(best.text), question
            assert best.page == k // 2 + 1, question
            (printed,) = document[k // 2].search_for(line)
            middle = (printed.x0 + printed.x1) / 2, (printed.y0 + printed.y1) / 2
            boxes = [boxed.box for boxed in best.boxes if boxed.page == k // 2 + 1]
            assert any(box.contains(*middle) and box.x0 < printed.x0 + 3 and box.x1 > printed.x1 - 3 for box in boxes)

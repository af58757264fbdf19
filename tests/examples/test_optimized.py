"""The example runs, and its switch changes nothing but the time."""

import asyncio

import pytest

from examples.optimized import use

FILES = {
    "ships.txt": "Departures\n\nThe Alma left the harbour at four.\nThe Dunlin stayed.",
    "nuts.txt": "A fiber collar locks the elastic stop nut.",
}


@pytest.mark.parametrize("optimized", [True, False])
def test_files_of_plain_text_are_indexed_and_asked(tmp_path, optimized, capsys):
    """Guards against a switch that changes answers, and an example that has grown old."""
    paths = [tmp_path / name for name in FILES]
    for path in paths:
        path.write_text(FILES[path.name], encoding="utf-8")
    questions = ["When did the Alma leave?", "What locks the elastic stop nut?", "when did the alma leave"]
    best = asyncio.run(use(paths, questions, str(tmp_path / "index"), optimized=optimized))
    assert [chunk_id.partition(":")[0] for chunk_id in best] == ["ships.txt", "nuts.txt", "ships.txt"]
    assert ("[exact]" in capsys.readouterr().out) == optimized

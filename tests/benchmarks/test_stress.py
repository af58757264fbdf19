"""`benchmarks.stress`: what locust's files say; its users are played by locust alone."""

from benchmarks.stress import figures_of, rows_of

STATS = ("Request Count", "Failure Count", "Requests/s", "50%", "95%", "99%")


def test_a_refusal_is_neither_an_answer_nor_a_failure():
    """Guards against a server that looks fast because it refuses."""
    stats = [
        {"Name": "/ocr"} | dict(zip(STATS, ("8", "1", "0.5", "2000", "3000", "4000"), strict=True)),
        {"Name": "refused"} | dict(zip(STATS, ("5", "0", "1", "3", "4", "5"), strict=True)),
        {"Name": "Aggregated"} | dict(zip(STATS, ("13", "1", "1.5", "900", "3000", "4000"), strict=True)),
    ]
    figures = figures_of(stats, "x")
    assert (figures["answered_x"], figures["refused_x"], figures["failed_x"]) == (7, 5, 1)
    assert (figures["answered_per_s_x"], figures["p50_s_x"], figures["p99_s_x"]) == (0.5, 2.0, 4.0)
    assert figures["failure_share_x"] == 1 / 13


def test_a_second_without_an_answer_has_no_response_time():
    row = {"Name": "Aggregated", "User Count": "5", "Requests/s": "0", "Failures/s": "0", "50%": "N/A", "95%": "N/A"}
    rows = rows_of([row | {"Timestamp": "100"}, row | {"Timestamp": "103", "50%": "250", "95%": "500"}], "x")
    assert [(each["second"], each["p50_s"]) for each in rows] == [(0, None), (3, 0.25)]

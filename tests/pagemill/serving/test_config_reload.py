"""`config_reload`: what is made of a changed config file; the cluster is a queue here, a real one in tests/serve."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from configs.settings import HOME
from pagemill.serving.config_reload import NotDeployed, Reload, deploy
from pagemill.serving.serve_config import Composed, compose

WAIT_S = 20.0


@dataclass
class Watched:
    """A config file that is followed, what was deployed of it, and what was said."""

    file: Path
    deployed: queue.Queue[Composed] = field(default_factory=queue.Queue)
    messages: queue.Queue[str] = field(default_factory=queue.Queue)
    fault: NotDeployed | None = None

    def write(self, **args: object) -> None:
        config = yaml.safe_load((HOME / "serve_config.yaml").read_text())
        config["applications"][0]["args"] = {"data_dir": str(self.file.parent / "data"), **args}
        aside = self.file.with_suffix(".new")
        aside.write_text(yaml.safe_dump(config))
        aside.replace(self.file)  # as editors do

    def compose(self) -> Composed:
        return compose(self.file, {}, {})

    def deploy(self, composed: Composed) -> None:
        if self.fault is not None:
            raise self.fault
        self.deployed.put(composed)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    here = Watched(tmp_path / "serve.yaml")
    here.write()
    with followed(reload_of(here)):
        yield here


def reload_of(here: Watched) -> Reload:
    return Reload(here.file, here.compose(), here.compose, here.deploy, here.messages.put)


@contextlib.contextmanager
def followed(reload: Reload) -> Iterator[None]:
    """In a thread of its own, which has ended afterwards."""
    stop = threading.Event()
    follower = threading.Thread(target=reload.follow, args=(stop,))
    follower.start()
    try:
        yield
    finally:
        stop.set()
        follower.join(WAIT_S)
    assert not follower.is_alive()


def rewritten(watched: Watched, **args: object) -> str:
    """What is said after a change, whether the watch has begun by then or not."""
    watched.write(**args)
    return watched.messages.get(timeout=WAIT_S)


def test_a_changed_file_is_deployed(watched: Watched) -> None:
    """Guards against a change that needs a new start to be seen."""
    assert "deploying it" in rewritten(watched, layout={"batch_size": 3})
    assert watched.deployed.get(timeout=WAIT_S).settings.layout.batch_size == 3


def test_a_change_of_before_the_watch_is_deployed(tmp_path: Path) -> None:
    """Guards against a file that was fixed while the server started, and is never looked at again."""
    here = Watched(tmp_path / "serve.yaml")
    here.write()
    reload = reload_of(here)
    here.write(layout={"batch_size": 3})
    with followed(reload):
        assert here.deployed.get(timeout=WAIT_S).settings.layout.batch_size == 3


def test_a_config_that_is_mounted_by_links_is_followed(tmp_path: Path) -> None:
    """Guards against a mounted config map, whose folder is exchanged behind a link while the link to the file stays."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    Watched(tmp_path / "old" / "serve.yaml").write()
    Watched(tmp_path / "new" / "serve.yaml").write(data_dir=str(tmp_path / "old" / "data"), layout={"batch_size": 3})
    (tmp_path / "..data").symlink_to("old")
    here = Watched(tmp_path / "serve.yaml")
    here.file.symlink_to("..data/serve.yaml")
    reload = reload_of(here)
    (tmp_path / "..next").symlink_to("new")
    (tmp_path / "..next").replace(tmp_path / "..data")
    with followed(reload):
        assert here.deployed.get(timeout=WAIT_S).settings.layout.batch_size == 3


@pytest.mark.parametrize(
    ("args", "why"),
    [({"layout": {"batch_syze": 3}}, "batch_size"), ({"port": 9999}, "a change of port needs a restart")],
)
def test_what_cannot_be_deployed_is_told_and_changes_nothing(watched: Watched, args: dict, why: str) -> None:
    """Guards against a server that a slip of the pen ends, and against a port that nothing listens on."""
    message = rewritten(watched, **args)
    assert ("is not deployed" in message, why in message) == (True, True), message
    assert watched.deployed.empty()
    assert "deploying it" in rewritten(watched, layout={"batch_size": 3}), "it is followed on"


def test_a_cluster_that_refuses_is_asked_again_with_the_next_change(watched: Watched) -> None:
    """Guards against a watch that ends with the first failure."""
    watched.fault = NotDeployed("the cluster cannot be reached")
    assert "cannot be reached" in rewritten(watched, layout={"batch_size": 3})
    watched.fault = None
    assert "deploying it" in rewritten(watched, layout={"batch_size": 4})


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Guards against a traceback in the thread that follows the file."""
    composed = compose(HOME / "serve_config.yaml", {"data_dir": str(tmp_path)}, {})
    with pytest.raises(NotDeployed, match="cannot be reached"):
        deploy(composed, {})

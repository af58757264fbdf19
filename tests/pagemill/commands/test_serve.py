"""`pagemill.commands.serve`: what the Serve config becomes, before anything is started."""

from pathlib import Path

import pytest
import yaml

from pagemill.commands.serve import Server
from pagemill.serving.ray_environment import (
    MAX_RAY_FOLDER_BYTES,
    forget,
    ray_environment,
    ray_folder,
)
from pagemill.serving.serve_config import compose

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "serve_config.yaml"


def test_options_reach_the_config_that_serve_runs(tmp_path: Path) -> None:
    """Guards against options that are taken and reach nothing."""
    options = {"port": "8123", "data_dir": str(tmp_path), "log_level": "ERROR", "layout.batch_size": "4"}
    config = compose(FILE, options, {"PAGEMILL_OCR_MAX_RUNNING": "3"}).config
    args = config["applications"][0]["args"]
    assert config["http_options"]["port"] == 8123
    assert config["logging_config"]["log_level"] == "ERROR"
    assert (args["layout"], args["ocr"], args["data_dir"]) == ({"batch_size": 4}, {"max_running": 3}, str(tmp_path))


def test_the_file_s_own_host_and_port_are_kept() -> None:
    """Guards against defaults of the settings that win over what the file says."""
    composed = compose(FILE, {}, {})
    http_options = yaml.safe_load(FILE.read_text())["http_options"]
    assert (composed.settings.host, composed.settings.port) == (http_options["host"], http_options["port"])


def test_the_data_folder_does_not_depend_on_where_a_replica_starts() -> None:
    """Guards against replicas that each make a `data` folder where they happen to run."""
    assert compose(FILE, {"data_dir": "somewhere"}, {}).settings.data_dir.is_absolute()


def test_a_wrong_option_is_refused_before_anything_starts() -> None:
    """Guards against a trace of a replica, a minute later."""
    with pytest.raises(ValueError, match="batch_size"):
        compose(FILE, {"layout.batch_size": "0"}, {})


def test_variables_of_ours_do_not_reach_the_graph_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a variable that overrides the option that overrode it."""
    monkeypatch.setenv("PAGEMILL_LAYOUT_BATCH_SIZE", "3")
    settings = compose(FILE, {"data_dir": str(tmp_path), "layout.batch_size": "4"}).settings
    assert "PAGEMILL_LAYOUT_BATCH_SIZE" not in ray_environment(settings)


def test_the_graph_runs_as_nice_as_we_do_unless_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a door that answers after every other program: Ray's workers are at nice 15 by themselves."""
    monkeypatch.delenv("RAY_worker_niceness", raising=False)
    settings = compose(FILE, {"data_dir": str(tmp_path)}, {}).settings
    assert ray_environment(settings)["RAY_worker_niceness"] == "0"
    monkeypatch.setenv("RAY_worker_niceness", "7")
    assert ray_environment(settings)["RAY_worker_niceness"] == "7"
    forget(ray_folder(tmp_path / "ray"))


def test_reloading_without_ray_s_http_api_is_refused_before_anything_starts(tmp_path: Path) -> None:
    """Guards against a config file that is watched, and never deployed."""
    composed = compose(FILE, {"data_dir": str(tmp_path), "ray_api": "false"}, {})
    with pytest.raises(ValueError, match="ray_api"):
        Server(composed, (FILE, lambda: composed))


def test_a_long_data_folder_gets_a_short_link_for_ray(tmp_path: Path) -> None:
    """Guards against sockets whose path is too long for the kernel."""
    deep = tmp_path / ("deep" * 20) / "ray"
    short = ray_folder(deep)
    assert len(str(short)) <= MAX_RAY_FOLDER_BYTES
    assert short.resolve() == deep
    assert ray_folder(deep) == short
    forget(short)
    assert not short.is_symlink()


def test_a_link_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    """Guards against Ray's sockets in a folder that somebody else has put in the way."""
    deep = tmp_path / ("deep" * 20) / "ray"
    short = ray_folder(deep)
    short.unlink()
    short.symlink_to(tmp_path)
    with pytest.raises(ValueError, match="already exists"):
        ray_folder(deep)
    short.unlink()


@pytest.mark.parametrize("content", ["", "- a", "applications: []", "applications: [{args: [1]}]", "a: [", "x: 1"])
def test_a_file_that_is_no_serve_config_is_said_so(tmp_path: Path, content: str) -> None:
    """Guards against a traceback for a wrong --config."""
    file = tmp_path / "config.yaml"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"config\.yaml"):
        compose(file, {}, {})


def test_the_packaged_config_is_the_one_at_the_top() -> None:
    """Guards against a copy that an edit of the other leaves behind."""
    assert (FILE.parent / "configs" / FILE.name).resolve() == FILE.resolve()

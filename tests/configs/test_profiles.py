"""`configs.profiles` and the files that it reads: by Ray's own schema, by our settings, and as Kubernetes would."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ray.serve.config import AutoscalingConfig, RequestRouterConfig
from ray.serve.schema import ServeDeploySchema

from configs import Settings
from configs.profiles import FOLDER, MAX_REPLICAS, PROFILES, on_cpus, read_profile
from configs.settings import is_loopback
from deployments.ingress.operations.services import MIN_PAGE_SLOTS

ROOT = FOLDER.parent
FILES = [ROOT / "serve_config.yaml", *(FOLDER / name for name in PROFILES)]
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


@pytest.fixture
def ray_service() -> dict[str, Any]:
    return list(yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text()))[-1]


@every_file
@pytest.mark.parametrize("made", [read_profile, lambda file: on_cpus(read_profile(file))], ids=["as it is", "on CPUs"])
def test_ray_and_we_understand_every_word(file: Path, made: Any) -> None:
    """Guards against a key that Ray drops in silence, as in `autoscaling_config`, and against an old setting."""
    config = made(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Ray's own defaults
        ServeDeploySchema.model_validate(config)
    (application,) = config["applications"]
    Settings.model_validate(application["args"])
    names = [deployment["name"] for deployment in application["deployments"]]
    known = {"Ingress", "Jobs", "Pipeline", "Renderer", "Layout", "Ocr", "Embedder", "Search"}
    assert len(names) == len(set(names))
    assert set(names) <= known
    for deployment in application["deployments"]:
        scaling, routing = (deployment.get(key, {}) for key in ("autoscaling_config", "request_router_config"))
        assert set(scaling) <= set(AutoscalingConfig.model_fields)
        assert set(routing) <= set(RequestRouterConfig.model_fields)


@every_file
def test_options_repeat_the_gpus_that_the_args_give(file: Path) -> None:
    """`ray_actor_options` replaces all that the graph set: guards against a model on a GPU that it did not reserve."""
    (application,) = read_profile(file)["applications"]
    settings = Settings.model_validate(application["args"])
    for name, expected in (("Layout", settings.layout.num_gpus), ("Ocr", settings.ocr.num_gpus)):
        for deployment in application["deployments"]:
            if deployment["name"] == name and "ray_actor_options" in deployment:
                assert deployment["ray_actor_options"].get("num_gpus", 0) == expected


def test_one_gpu_holds_both_models() -> None:
    """Guards against a replica that waits for ever for the rest of a GPU."""
    settings = Settings.model_validate(read_profile(FOLDER / "gpu.yaml")["applications"][0]["args"])
    assert 0 < settings.layout.num_gpus + settings.ocr.num_gpus <= 1
    assert settings.ocr.num_gpus > 0
    assert settings.layout.num_gpus > 0


@every_file
def test_gpus_decode_by_the_route_that_is_fastest_and_strangers_need_keys(file: Path) -> None:
    """Guards against a profile that keeps a GPU at a third of its speed, or a door that stands open."""
    config = read_profile(file)
    settings = Settings.model_validate(config["applications"][0]["args"])
    assert settings.ocr.gpu_route == "torch"
    assert is_loopback(config["http_options"]["host"]) or settings.keys_file is not None


def test_the_fleet_is_one_graph_however_it_is_started(ray_service: dict[str, Any]) -> None:
    """Guards against two files that drift apart."""
    assert yaml.safe_load(ray_service["spec"]["serveConfigV2"]) == read_profile(FOLDER / "gpu-fleet.yaml")


def test_work_and_not_calls_scales_the_fleet_and_routes_in_it() -> None:
    """Guards against a fleet on Serve's defaults."""
    deployments = {
        deployment["name"]: deployment
        for deployment in read_profile(FOLDER / "gpu-fleet.yaml")["applications"][0]["deployments"]
    }
    ocr = deployments["Ocr"]
    assert ocr["autoscaling_config"]["policy"]["policy_function"] == "deployments.replicas.scaling:WaitingWork"
    assert ocr["request_router_config"]["request_router_class"] == "deployments.calls.routing:FewestTokens"
    for name in ("Layout", "Ocr", "Renderer"):
        scaling = deployments[name]["autoscaling_config"]
        assert 10 * scaling["upscale_delay_s"] <= scaling["downscale_delay_s"], "up fast, down slow"


def test_every_container_of_ray_has_the_token_the_storage_and_probes(ray_service: dict[str, Any]) -> None:
    """Guards against a worker that cannot join, or joins a Ray that anybody may use."""
    cluster = ray_service["spec"]["rayClusterConfig"]
    assert cluster["authOptions"]["mode"] == "token"
    assert cluster["authOptions"]["secretName"]
    assert cluster["enableInTreeAutoscaling"]
    groups = {group["groupName"]: group for group in cluster["workerGroupSpecs"]}
    assert set(groups) == {"cpu", "gpu"}
    for group in (cluster["headGroupSpec"], *groups.values()):
        spec = group["template"]["spec"]
        (container,) = spec["containers"]
        assert spec["securityContext"]["fsGroup"] == 1000, "the images' user could not write to the shared volume"
        assert {"livenessProbe", "readinessProbe", "resources", "envFrom"} <= set(container)
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in spec["volumes"]}
    assert "nvidia.com/gpu" in groups["gpu"]["template"]["spec"]["containers"][0]["resources"]["limits"]


def test_the_largest_fleet_fits_on_the_largest_cluster(ray_service: dict[str, Any]) -> None:
    """Guards against replicas that the autoscaler has no machine for."""
    groups = {group["groupName"]: group for group in ray_service["spec"]["rayClusterConfig"]["workerGroupSpecs"]}
    most = dict.fromkeys(("num_cpus", "num_gpus", "cpus of cpu machines"), 0.0)
    for deployment in read_profile(FOLDER / "kuberay.yaml")["applications"][0]["deployments"]:
        options = deployment["ray_actor_options"]
        count = deployment.get("autoscaling_config", {}).get("max_replicas", deployment.get("num_replicas", 1))
        most["num_gpus"] += count * options.get("num_gpus", 0)
        most["cpus of cpu machines"] += count * options["num_cpus"] if "num_gpus" not in options else 0
    cpu, gpu = (groups[name]["template"]["spec"]["containers"][0]["resources"]["limits"] for name in ("cpu", "gpu"))
    assert most["num_gpus"] <= groups["gpu"]["maxReplicas"] * int(gpu["nvidia.com/gpu"])
    assert most["cpus of cpu machines"] <= groups["cpu"]["maxReplicas"] * int(cpu["cpu"])


@every_file
def test_pages_that_are_let_in_can_fill_more_than_one_replica_of_layout(file: Path) -> None:
    """Guards against a second replica that never starts, because nothing waits where Serve counts."""
    (application,) = read_profile(file)["applications"]
    settings = Settings.model_validate(application["args"])
    if settings.shared_models:  # its one process has one replica
        assert application["deployments"] == []
        return
    (layout,) = (deployment for deployment in application["deployments"] if deployment["name"] == "Layout")
    most = settings.limits.max_pages_in_flight + max(MIN_PAGE_SLOTS, settings.limits.max_pages_in_flight)
    assert most > layout.get("autoscaling_config", {}).get("target_ongoing_requests", 0)


@every_file
def test_on_cpus_nothing_asks_for_more_than_a_small_machine_has(file: Path) -> None:
    """Guards against a test of the graph that waits for a GPU."""
    before = read_profile(file)
    small = on_cpus(before)
    settings = Settings.model_validate(small["applications"][0]["args"])
    assert (settings.layout.num_gpus, settings.ocr.num_gpus, settings.database_url) == (0, 0, None)
    for deployment in small["applications"][0]["deployments"]:
        assert deployment["ray_actor_options"]["num_cpus"] <= 0.1
        assert deployment.get("autoscaling_config", {}).get("max_replicas", 1) <= MAX_REPLICAS
    assert read_profile(file) == before, "the profile itself is not touched"
    kept = [
        (
            deployment["name"],
            deployment.get("request_router_config"),
            deployment.get("autoscaling_config", {}).get("policy"),
        )
        for config in (before, small)
        for deployment in config["applications"][0]["deployments"]
    ]
    assert kept[: len(kept) // 2] == kept[len(kept) // 2 :]


@given(
    st.recursive(
        st.none() | st.integers() | st.text("ab"), lambda inner: st.lists(inner) | st.dictionaries(st.text("ab"), inner)
    )
)
def test_what_is_no_profile_is_refused(tmp_path_factory: pytest.TempPathFactory, content: Any) -> None:
    """Guards against a KeyError in place of a word."""
    file = tmp_path_factory.mktemp("profile") / "some.yaml"
    file.write_text(yaml.safe_dump(content))
    with pytest.raises(ValueError, match="neither a Serve config nor a RayService"):
        read_profile(file)


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_an_image_has_every_package_at_its_pinned_version_and_no_root(name: str) -> None:
    """Guards against a package of ours that is missing in the image, which shows at the first import there."""
    lines = (ROOT / name).read_text().splitlines()
    copied = {place for line in lines if line.startswith("COPY ") for place in line.split()[1:-1]}
    declared = re.findall(r'^    "(\w+)(?:\.\w+)*",$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert {package for package in declared if (ROOT / package / "__init__.py").exists()} <= copied
    assert all((ROOT / place).exists() for place in copied)
    text = "\n".join(lines)
    assert "-c constraints.txt" in text
    assert lines.index("USER ray") < next(at for at, line in enumerate(lines) if line.startswith("CMD "))
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied <= allowed

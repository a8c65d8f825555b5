"""Providers' words for the same few failures, one test each, and the figures inside them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.models.classify import failure_from_text, kind_of_text
from sapwood.models.failures import (
    Failure,
    is_overflow,
    is_retryable,
    lowered_max_tokens,
)

OVERFLOW = [
    ("Anthropic", "400 prompt is too long: 213462 tokens > 200000 maximum", 200000),
    ("Anthropic, by bytes", '413 {"error":{"type":"request_too_large"}}', None),
    ("OpenAI", "400 Your input exceeds the context window of this model", None),
    (
        "OpenAI, older",
        "400 This model's maximum context length is 8192 tokens. However, your messages resulted "
        "in 9001 tokens. Please reduce the length of the messages.",
        8192,
    ),
    ("OpenAI's code", "400 invalid (context_length_exceeded)", None),
    ("Bedrock", "ValidationException: Input is too long for requested model", None),
    (
        "Google",
        "400 The input token count (1200000) exceeds the maximum number of tokens "
        "allowed (1048576)",
        1048576,
    ),
    (
        "xAI",
        "400 This model's maximum prompt length is 131072 but the request contains 537812 tokens",
        131072,
    ),
    ("Groq", "400 Please reduce the length of the messages or completion.", None),
    ("GitHub Copilot", "400 prompt token count of 120000 exceeds the limit of 64000", 64000),
    (
        "llama.cpp",
        "400 the request exceeds the available context size (exceed_context_size_error) "
        "[n_prompt_tokens=9210, n_ctx=8192]",
        8192,
    ),
    (
        "llama.cpp, newer",
        "400 request (9210 tokens) exceeds the available context size (8192 tokens), try "
        "increasing it",
        8192,
    ),
    ("llama.cpp, shift", "500 context shift is disabled", None),
    (
        "LM Studio",
        "400 tokens to keep from the initial prompt is greater than the context length",
        None,
    ),
    ("MiniMax", "400 invalid params, context window exceeds limit (2013)", None),
    (
        "Moonshot",
        "400 Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
        262144,
    ),
    (
        "Mistral",
        "400 Prompt contains 130000 tokens, too large for model with 32768 maximum context length",
        32768,
    ),
    ("Z.ai", "400 model_context_window_exceeded", None),
    ("Ollama", "400 prompt too long; exceeded max context length by 4 tokens", None),
    ("LiteLLM", "400 litellm.ContextWindowExceededError: too much", None),
    (
        "Together",
        "422 Input length 9000 exceeds the maximum allowed input length of 8000 tokens",
        8000,
    ),
    (
        "SGLang",
        "400 The input (40000 tokens) is longer than the model's context length (32768 tokens).",
        32768,
    ),
    (
        "vLLM",
        "400 The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
        32768,
    ),
    (
        "vLLM, too much in the messages",
        "400 This model's maximum context length is 8192 tokens. However, you requested 10200 "
        "tokens (9200 in the messages, 1000 in the completion).",
        8192,
    ),
    ("OpenRouter", "400 This endpoint's maximum context length is 163840 tokens.", 163840),
    ("DashScope", "400 Range of input exceeds the max length", None),
    ("Apple", "400 Exceeded the configured context size (4096)", 4096),
    ("Cohere", "400 too many tokens: size limit exceeded by 500 tokens", None),
    ("a gateway", "413 Request Entity Too Large", None),
    ("some", "400 token limit exceeded", None),
]


@pytest.mark.parametrize(("who", "text", "window"), OVERFLOW, ids=[o[0] for o in OVERFLOW])
def test_overflow_in_the_words_of(who: str, text: str, window: int | None) -> None:
    failure = failure_from_text(text)

    assert (failure.kind, failure.context_window) == ("overflow", window)
    stored = {"role": "assistant", "stopReason": "error", "errorMessage": text}
    assert is_overflow(stored, None)
    assert not is_retryable(stored)


OUTPUT_LIMIT = [
    (
        "Anthropic",
        "400 input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
        "input length or `max_tokens` and try again",
        21333,
        11760,
    ),
    (
        "vLLM",
        "400 This model's maximum context length is 8192 tokens. However, you requested 9000 "
        "tokens (5000 in the messages, 4000 in the completion). Please reduce the length.",
        4000,
        3192,
    ),
    (
        "vLLM, newer",
        "400 'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum "
        "context length is 8192 tokens and your request has 6000 input tokens",
        5000,
        2192,
    ),
    (
        "Text Generation Inference",
        "422 `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and "
        "2000 `max_new_tokens`",
        2000,
        1096,
    ),
    (
        "Anthropic, the model's own limit",
        "400 max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens",
        64000,
        32000,
    ),
    (
        "OpenAI, the model's own limit",
        "400 max_tokens is too large: 40000. This model supports at most 16384 completion tokens",
        40000,
        16384,
    ),
]


@pytest.mark.parametrize(
    ("who", "text", "requested", "lowered"), OUTPUT_LIMIT, ids=[o[0] for o in OUTPUT_LIMIT]
)
def test_an_output_limit_is_lowered_not_compacted(
    who: str, text: str, requested: int, lowered: int
) -> None:
    failure = failure_from_text(text)

    assert failure.kind == "output_limit"
    assert lowered_max_tokens(failure, requested) == lowered


def test_without_figures_the_limit_is_halved_until_it_is_senseless() -> None:
    failure = Failure("output_limit", "400 too much")

    assert lowered_max_tokens(failure, 4000) == 2000
    assert lowered_max_tokens(failure, 800) is None


def test_a_nearly_full_window_is_made_room_in_instead() -> None:
    failure = Failure("output_limit", "x", context_window=8192, input_tokens=8000)

    assert lowered_max_tokens(failure, 4000) is None


OTHERS = [
    ("429 Rate limit reached for gpt-5 on tokens per minute (TPM): Limit 30000", "rate_limit"),
    ("Request too large: 60000 tokens per minute exceeded", "rate_limit"),
    ("413 Request too large for model `m` on tokens per minute (TPM)", "rate_limit"),
    ("ThrottlingException: Too many tokens, please wait", "rate_limit"),
    ("Throttling error: too many tokens", "rate_limit"),
    ("too many requests; prompt too long", "rate_limit"),
    ("529 Overloaded (overloaded_error)", "overloaded"),
    ("503 Service Unavailable", "overloaded"),
    ("500 internal server error", "overloaded"),
    ("The model is at capacity, try again later", "overloaded"),
    ("upstream connect error: connection refused", "network"),
    ("read ECONNRESET", "network"),
    ("terminated", "network"),
    ("Request timed out.", "network"),
    ("peer closed connection without sending complete message body", "network"),
    ("401 invalid x-api-key", "auth"),
    ("403 permission denied", "auth"),
    ("400 The response was filtered (content_filter)", "refused"),
    ("429 You exceeded your current quota (insufficient_quota)", "fatal"),
    ("400 Your credit balance is too low to access the API", "fatal"),
    ("400 status code (no body)", "fatal"),
    ("404 model not found", "fatal"),
    ("400 messages: roles must alternate", "fatal"),
    ("something else entirely", "fatal"),
]


@pytest.mark.parametrize(("text", "kind"), OTHERS, ids=[o[0][:40] for o in OTHERS])
def test_other_failures_are_never_taken_for_overflow(text: str, kind: str) -> None:
    assert kind_of_text(text) == kind


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("Please try again in 20s.", 20_000),
        ("Please try again in 1.5s.", 1500),
        ("try again in 350ms", 350),
        ("Please retry in 12.25s.", 12_250),
        ("Retry after 7 seconds", 7000),
        ("try again in 2 minutes", 120_000),
        ("please wait", None),
    ],
)
def test_how_long_to_wait_in_the_servers_words(text: str, wait: int | None) -> None:
    assert failure_from_text(f"429 {text}").retry_after_ms == wait


def test_the_stop_reason_of_a_full_window_counts_as_overflow() -> None:
    message = {
        "role": "assistant",
        "stopReason": "length",
        "rawStopReason": "model_context_window_exceeded",
        "usage": {"input": 10, "output": 5, "cacheRead": 0},
    }

    assert is_overflow(message, None)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300), st.none() | st.integers(min_value=400, max_value=599))
def test_any_text_has_exactly_one_kind(text: str, status: int | None) -> None:
    failure = failure_from_text(text, status=status)

    assert failure.message == text
    if status == 429:
        assert failure.kind in ("rate_limit", "fatal")

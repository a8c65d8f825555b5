"""What a request costs, and the windows of well-known models.

A model's own ``cost`` (``models.json``) comes first, then the offline tables of genai-prices. What
neither knows costs nothing here: a wrong price is worse than none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sapwood.models.model import Model, ModelCost
from sapwood.models.presets import PRESETS
from sapwood.session.schema import Cost

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens of one request; ``input`` excludes both cache figures."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


def free() -> Cost:
    """A `Cost` of nothing."""
    return _summed(0, 0, 0, 0)


def cost_of(model: Model, tokens: TokenCounts) -> Cost:
    """The price in US dollars of a request to `model`."""
    if model.cost is not None:
        return _by_own_price(model.cost, tokens)
    return _by_tables(model, tokens) or free()


def _by_own_price(cost: ModelCost, tokens: TokenCounts) -> Cost:
    return _summed(
        tokens.input * cost.input / _MILLION,
        tokens.output * cost.output / _MILLION,
        tokens.cache_read * cost.cache_read / _MILLION,
        tokens.cache_write * cost.cache_write / _MILLION,
    )


def _summed(fresh: float, output: float, cache_read: float, cache_write: float) -> Cost:
    return {
        "input": fresh,
        "output": output,
        "cacheRead": cache_read,
        "cacheWrite": cache_write,
        "total": fresh + output + cache_read + cache_write,
    }


def _by_tables(model: Model, tokens: TokenCounts) -> Cost | None:
    preset = PRESETS.get(model.provider)
    if preset is None or preset.prices_id is None:
        return None
    try:
        paid_in, paid_out = _table_price(model.id, preset.prices_id, tokens)
        # The tables price the whole input (long prompts may cost more per token): share it out.
        shares = [
            _table_price(model.id, preset.prices_id, part)[0]
            for part in (
                TokenCounts(input=tokens.input),
                TokenCounts(cache_read=tokens.cache_read),
                TokenCounts(cache_write=tokens.cache_write),
            )
        ]
    except LookupError:
        return None
    scale = paid_in / sum(shares) if sum(shares) else 0.0
    return _summed(shares[0] * scale, paid_out, shares[1] * scale, shares[2] * scale)


def _table_price(model_id: str, prices_id: str, tokens: TokenCounts) -> tuple[float, float]:
    """Dollars for input and output by genai-prices, whose input count includes the cache's."""
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=tokens.input + tokens.cache_read + tokens.cache_write,
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write,
    )
    price = calc_price(usage, model_id, provider_id=prices_id)
    return float(price.input_price), float(price.output_price)


def known_models(prices_id: str) -> list[ModelInfo]:
    """The models of a provider that genai-prices lists and does not call deprecated."""
    from genai_prices.data_snapshot import get_snapshot

    for provider in get_snapshot().providers:
        if provider.id == prices_id:
            return [info for info in provider.models if not info.deprecated]
    return []


def known_window(prices_id: str, model_id: str) -> int | None:
    """The context window in tokens of a model that genai-prices knows."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, info = get_snapshot().find_provider_model(model_id, None, prices_id, None)
    except LookupError:
        return None
    return info.context_window

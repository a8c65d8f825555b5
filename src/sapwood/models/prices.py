"""What a request costs, and the windows of well-known models.

A model's own ``cost`` (``models.json``) comes first, then the offline tables of genai-prices. What
neither knows costs nothing here: a wrong price is worse than none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.models.model import Model, ModelCost
from sapwood.models.presets import PRESETS
from sapwood.session.schema import Cost

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

_MILLION = 1_000_000


def free() -> Cost:
    """A `Cost` of nothing."""
    return {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}


def cost_of(model: Model, input: int, output: int, cache_read: int, cache_write: int) -> Cost:
    """The price in US dollars of a request with these token counts (`input` excludes the
    cache's)."""
    if model.cost is not None:
        return _by_own_price(model.cost, input, output, cache_read, cache_write)
    return _by_tables(model, input, output, cache_read, cache_write) or free()


def _by_own_price(
    cost: ModelCost, input: int, output: int, cache_read: int, cache_write: int
) -> Cost:
    return _summed(
        input * cost.input / _MILLION,
        output * cost.output / _MILLION,
        cache_read * cost.cache_read / _MILLION,
        cache_write * cost.cache_write / _MILLION,
    )


def _summed(input: float, output: float, cache_read: float, cache_write: float) -> Cost:
    return {
        "input": input,
        "output": output,
        "cacheRead": cache_read,
        "cacheWrite": cache_write,
        "total": input + output + cache_read + cache_write,
    }


def _by_tables(
    model: Model, input: int, output: int, cache_read: int, cache_write: int
) -> Cost | None:
    preset = PRESETS.get(model.provider)
    if preset is None or preset.prices_id is None:
        return None
    from genai_prices import Usage, calc_price

    def price(input: int, output: int, read: int, write: int) -> tuple[float, float]:
        usage = Usage(
            input_tokens=input + read + write,
            output_tokens=output,
            cache_read_tokens=read,
            cache_write_tokens=write,
        )
        result = calc_price(usage, model.id, provider_id=preset.prices_id)
        return float(result.input_price), float(result.output_price)

    try:
        paid_in, paid_out = price(input, output, cache_read, cache_write)
        # The tables price the whole input (long prompts may cost more per token): share it out.
        shares = [
            price(input, 0, 0, 0)[0],
            price(0, 0, cache_read, 0)[0],
            price(0, 0, 0, cache_write)[0],
        ]
    except LookupError:
        return None
    scale = paid_in / sum(shares) if sum(shares) else 0.0
    return _summed(shares[0] * scale, paid_out, shares[1] * scale, shares[2] * scale)


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

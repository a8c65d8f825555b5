"""What stands above the first message: the few keys that matter, and how to get a model."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sapwood.modes.tui.transcript.lines import BLANK, cut, paragraph, strip
from sapwood.modes.tui.transcript.look import Look

KEYS = (
    ("Enter", "send"),
    ("/", "commands"),
    ("@", "files"),
    ("!", "shell"),
    ("Esc Esc", "tree"),
    ("/hotkeys", "all keys"),
)

NO_MODEL = (
    ("A key", "export ANTHROPIC_API_KEY=…, OPENAI_API_KEY=… or GEMINI_API_KEY=…, or /login"),
    ("A local server", "describe it in models.json of the agent folder, then /reload"),
    ("Just looking", "leave with Ctrl+D and run: sapwood demo"),
)


def welcome(
    look: Look,
    version: str,
    *,
    has_model: bool,
    ready: bool = True,
    facts: Sequence[tuple[str, str]] = (),
) -> list[Strip]:
    """The header of the transcript; ``facts`` are names and values to list in it."""
    strips = [
        BLANK,
        strip(("  sapwood ", look.style("heading")), (version, look.style("faint"))),
        *_keys(look),
    ]
    if facts:
        strips.append(BLANK)
    for name, text in facts:
        strips += paragraph(f"{name}: {text}", look.width, look.style("dim"), mark="  ")
    if ready and not has_model:
        strips += [BLANK, *_no_model(look)]
    return strips


def _keys(look: Look) -> list[Strip]:
    lines: list[Strip] = []
    parts = [("  ", look.style("dim"))]
    used = 2
    for key, does in KEYS:
        size = len(key) + len(does) + 4
        if used + size > look.width and used > 2:
            lines.append(strip(*parts))
            parts, used = [("  ", look.style("dim"))], 2
        parts += [(key, look.style("text")), (f" {does}   ", look.style("dim"))]
        used += size
    return [*lines, strip(*parts)]


def _no_model(look: Look) -> list[Strip]:
    head = cut("  ── No model yet, and that is fine ", look.width)
    intro = "Browsing, the tree, export and /compact work without one. For answers, one of these:"
    strips = [
        strip((head, look.style("accent"))),
        *paragraph(intro, look.width, look.style("text")),
    ]
    for name, how in NO_MODEL:
        strips += [
            strip((f"  • {name}", look.style("strong"))),
            *paragraph(how, look.width, look.style("dim"), mark="    "),
        ]
    return strips

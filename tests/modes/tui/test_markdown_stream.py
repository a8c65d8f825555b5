"""Streaming Markdown gives what the finished text gives, whatever the chunks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.modes.tui.theme import DARK
from sapwood.modes.tui.transcript import markdown
from sapwood.modes.tui.transcript.look import Look
from sapwood.modes.tui.transcript.markdown import StreamedMarkdown, render_markdown

LOOK = Look(DARK, 60)

PIECES = st.sampled_from(
    [
        "# Heading\n\n",
        "Some words that go on",
        " and on.\n",
        "\n",
        "- item\n",
        "  - nested\n",
        "1. first\n\n2. second\n\n",
        "```python\nx = 1\n",
        "```\n",
        "> quote\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "Title\n===\n",
        "***\n",
        "    indented code\n",
        "<div>\n",
        "日本語 👩‍👩‍👧\n",
        "\r\n",
        "line\u2028separator\n",
        "**bold",
        "** `code`\n\n",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=14), st.integers(1, 9))
def test_streamed_equals_finished(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    stream = StreamedMarkdown()
    for end in range(0, len(text), size):
        stream.lines(text[:end], LOOK)
    assert texts(stream.lines(text, LOOK)) == texts(render_markdown(text, LOOK))


def texts(strips: list[object]) -> list[str]:
    return [strip.text.rstrip() for strip in strips]  # type: ignore[attr-defined]


def test_finished_blocks_are_drawn_once(monkeypatch: object) -> None:
    drawn: list[int] = []
    original = markdown._draw

    def counting(tokens: object, look: Look) -> list[object]:
        drawn.append(1)
        return original(tokens, look)  # type: ignore[arg-type, return-value]

    monkeypatch.setattr(markdown, "_draw", counting)  # type: ignore[attr-defined]
    stream = StreamedMarkdown()
    text = "\n\n".join(f"Paragraph {number}" for number in range(200))
    for end in range(0, len(text), 20):
        stream.lines(text[:end], LOOK)
    # A frame draws the last whole block and the one after it; each block once more in the end.
    assert len(drawn) < 2 * len(text) / 20 + 200 + 10


def test_another_width_draws_everything_again() -> None:
    stream = StreamedMarkdown()
    text = "word " * 40 + "\n\nend"
    wide = stream.lines(text, LOOK)
    narrow = stream.lines(text, Look(DARK, 20))
    assert len(narrow) > len(wide)

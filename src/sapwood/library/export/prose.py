"""Untrusted Markdown as HTML: no raw HTML, no images, links that a person may follow only."""

from __future__ import annotations

from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

LIMIT = 200_000
"""Characters; a longer text is shown as it stands."""

_CODE_LIMIT = 50_000
_SCHEMES = ("http://", "https://", "mailto:")


def prose(text: str) -> Markup:
    """``text`` as HTML that is safe to put into a page."""
    if len(text) > LIMIT:
        return Markup('<div class="text">{}</div>').format(text)
    return Markup(_markdown().render(text))


def code(text: str, language: str) -> Markup:
    """``text`` with its syntax in colours, if the language is known."""
    return Markup(_highlight(text, language, ""))


def stylesheet(style: str) -> str:
    """The colours of code in one of Pygments' styles."""
    return str(_formatter(style).get_style_defs("code"))


@cache
def _markdown() -> MarkdownIt:
    options = {"html": False, "breaks": True, "highlight": _highlight}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable("image")
    parser.validateLink = _is_followable  # type: ignore[assignment]
    parser.add_render_rule("link_open", _link)
    for cell in ("th_open", "td_open"):
        parser.add_render_rule(cell, _cell)
    return parser


def _is_followable(address: str) -> bool:
    return address.strip().lower().startswith(_SCHEMES)


def _link(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return str(renderer.renderToken(tokens, index, options, env))


def _cell(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """The side a column is set to, as a class: the page's policy forbids styles in tags."""
    if style := tokens[index].attrs.pop("style", ""):
        tokens[index].attrSet("class", style.removeprefix("text-align:"))
    return str(renderer.renderToken(tokens, index, options, env))


def _highlight(text: str, language: str, attributes: str) -> str:
    lexer = _lexer(language) if language and len(text) <= _CODE_LIMIT else None
    if lexer is None:
        return str(escape(text))
    from pygments import highlight

    return str(highlight(text, lexer, _formatter("default")))


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _formatter(style: str) -> Any:
    # not from the package, which replaces itself while it loads and so fails a second thread
    from pygments.formatters.html import HtmlFormatter

    return HtmlFormatter(nowrap=True, style=style)

"""The exported page in a real browser: hostile texts stay text, branches and searches work."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sapwood.library.export import export_session
from sapwood.session.manager import SessionManager
from support.chromium import Page, browser, find_chromium
from support.message_makers import assistant, call, result, user

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("chromium")) as opened:
        resize(opened, 1280, 900)
        yield opened


def resize(page: Page, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", **size)


@pytest.fixture
def canary() -> Iterator[tuple[str, list[str]]]:
    """A server that nobody should ask, and what it was asked."""
    hits: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", hits
    server.shutdown()
    server.server_close()


def payloads(address: str) -> list[str]:
    return [
        f"<script>fetch('{address}/a');document.title='owned'</script>",
        f"<img src='{address}/b' onerror=\"document.title='owned'\">",
        f"</script><script>document.title='owned'</script><!--<script>{address}",
        f"\"'><svg/onload=fetch('{address}/c')><style>@import '{address}/d';</style>",
        f"<iframe src='{address}/e'></iframe><link rel=stylesheet href='{address}/f'>",
        f"![x]({address}/g) [y](javascript:document.title='owned') <javascript:alert(1)>",
        "[z](data:text/html,<script>alert(1)</script>) <meta http-equiv=refresh content='0;url=/'>",
        f"```<script>\n<script>document.title='owned'</script>\n``` <base href='{address}/'>",
        "| a | b |\n|--:|:-:|\n| <b>1 | [x](javascript:1) |",
        "{{ 7*7 }}{% raw %} \x1b]52;c;b3duZWQ=\x07\x1b[31mred\x1b[0m \u202egnp.exe \ud800 \x00 ",
        "</title></textarea></details></article></style><form action=/x><input autofocus>",
    ]


def hostile(address: str) -> SessionManager:
    """A session with every payload in every field that a page shows."""
    manager = SessionManager.in_memory("/work")
    for text in payloads(address):
        first = manager.append_message(user(text))
        manager.append_message({"role": "system", "content": text, "sections": {text: text}})
        answer = assistant(text, call(text, text, path=text, **{text: [text]}))
        answer["content"].insert(0, {"type": "thinking", "thinking": text})
        answer["content"].append({"type": text, "extra": text})
        manager.append_message({**answer, "model": text, "errorMessage": text})
        manager.append_message({**result(text, text, name=text), "details": text})
        bad_image = {"type": "image", "mimeType": f"image/png{text}", "data": text}
        manager.append_message(user([bad_image, {**bad_image, "mimeType": "image/png"}]))
        manager.append_message(
            {"role": "bashExecution", "command": text, "output": text, "exitCode": 0}
        )
        manager.append_custom_message(text, text, True)
        manager.append_custom_entry(text, {text: text})
        manager.append_model_change(text, text)
        manager.append_thinking_level_change(text)
        manager.append_compaction(text, first, 10)
        manager.append_context_edit(first, {"content": text})
        manager.append_label_change(first, text)
        manager.append_session_info(text)
        manager.branch_with_summary(first, text)
    return manager


def test_hostile_texts_run_nothing_and_request_nothing(
    page: Page, canary: tuple[str, list[str]], tmp_path: Path
) -> None:
    address, hits = canary
    path = export_session(hostile(address), tmp_path / "hostile.html")
    page.open(path.as_uri())
    page.value("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.value("document.querySelectorAll('#tree a').forEach(each => each.click())")
    page.value("document.getElementById('show-hidden').checked = true")
    page.value("new Promise(done => setTimeout(done, 300))")
    assert page.value("document.title") != "owned"
    assert page.value("document.scripts.length") == 2
    assert page.value("document.querySelectorAll('iframe, form, base, svg, object').length") == 0
    assert page.value("document.querySelectorAll('style').length") == 1
    dangerous = "[...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames())"
    assert page.value(f"{dangerous}.filter(each => each.startsWith('on'))") == []
    links = page.value("[...document.querySelectorAll('a')].map(each => each.getAttribute('href'))")
    assert all(link.startswith(("#e-", "#conv", "http://127.0.0.1")) for link in links)
    assert hits == []
    assert page.requested() == []
    assert page.happened("Page.javascriptDialogOpening") == []
    assert page.happened("Runtime.exceptionThrown") == []
    assert page.happened("Log.entryAdded") == []  # the policy had nothing to refuse
    assert "\x1b" not in path.read_text()


def test_texts_are_shown_as_they_are_stored(page: Page, tmp_path: Path) -> None:
    text = "    four spaces\n\ttab <file name='a'>\n\n  **太字**は &amp; {{ x }}\n"
    manager = SessionManager.in_memory("/work")
    manager.append_message(user(text))
    manager.append_message(assistant("<file>", call("c", "write", content=text)))
    manager.append_message(result("c", "\x1b[31m" + text + "\x1b]8;;http://x\x07link\x1b]8;;\x07"))
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    assert page.value("document.querySelector('article.user .text').textContent") == text
    assert page.value("document.querySelector('article.tool .text').textContent") == text + "link"
    assert (
        page.value("document.querySelector('article.assistant .prose').textContent.trim()")
        == "<file>"
    )
    assert text.rstrip() in page.value(
        "document.querySelector('article.assistant pre').textContent"
    )


def branched() -> tuple[SessionManager, dict[str, str]]:
    manager = SessionManager.in_memory("/work")
    ids = {"root": manager.append_message(user("the beginning"))}
    ids["left"] = manager.append_message(assistant("went left"))
    ids["left-end"] = manager.append_message(user("zanzibar"))
    manager.branch(ids["root"])
    ids["right"] = manager.append_message(assistant("went right"))
    manager.append_model_change("prov", "hidden-model")
    ids["right-end"] = manager.append_message(user("the end"))
    return manager, ids


SHOWN = (
    "[...document.querySelectorAll('#path article')].filter(each => each.checkVisibility())"
    ".map(each => each.querySelector('.text, .prose, .note').textContent.trim())"
)


def test_a_click_shows_the_path_of_an_entry(page: Page, tmp_path: Path) -> None:
    manager, _ = branched()
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    assert page.value(SHOWN) == ["the beginning", "went right", "the end"]
    click = (
        "[...document.querySelectorAll('#tree a')].find(a => a.textContent.includes('{}')).click()"
    )
    page.value(click.format("went left"))
    assert page.value(SHOWN) == ["the beginning", "went left", "zanzibar"]
    page.value(click.format("the end"))
    assert page.value(SHOWN) == ["the beginning", "went right", "the end"]


def test_a_search_looks_into_all_branches(page: Page, tmp_path: Path) -> None:
    manager, _ = branched()
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    page.value(
        "(() => { const field = document.getElementById('search'); field.value = 'ZANZI';"
        "field.dispatchEvent(new Event('input')); })()"
    )
    page.value("new Promise(done => setTimeout(done, 300))")
    rows = "[...document.querySelectorAll('#tree a')].filter(e => e.checkVisibility())"
    assert page.value(f"{rows}.map(each => each.textContent.trim())") == ["zanzibar"]
    assert page.value("document.getElementById('count').value") == "1 of 6 entries"


def test_hidden_items_appear_with_the_switch(page: Page, tmp_path: Path) -> None:
    manager, _ = branched()
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    seen = "document.querySelector('article.model').checkVisibility()"
    assert not page.value(seen)
    page.value("document.querySelector('label[for=show-hidden]').click()")
    assert page.value(seen)


CHOSEN = "document.querySelector('article.chosen')"


def test_a_link_to_an_entry_outlives_the_page(page: Page, tmp_path: Path) -> None:
    manager, ids = branched()
    first = export_session(manager, tmp_path / "first.html").as_uri()
    page.open(f"{first}#e-{ids['left']}")
    assert page.value(SHOWN) == ["the beginning", "went left", "zanzibar"]
    assert "went left" in page.value(f"{CHOSEN}.textContent")
    manager.append_message(assistant("one more"))
    second = export_session(manager, tmp_path / "second.html").as_uri()
    page.open(f"{second}#e-{ids['left']}")
    assert "went left" in page.value(f"{CHOSEN}.textContent")
    page.value(f"{CHOSEN}.querySelector('a.at').click()")
    page.value("new Promise(done => setTimeout(done, 100))")
    assert "link" in page.value("document.getElementById('said').textContent.toLowerCase()")
    page.value("document.querySelector('#elsewhere a').click()")
    page.value("new Promise(done => setTimeout(done, 100))")
    assert page.value(SHOWN) == ["the beginning", "went right", "the end", "one more"]
    assert not page.value("document.getElementById('elsewhere').checkVisibility()")


@pytest.mark.parametrize("link", ["e-", "e-%ff", "%", "search", "e-<b>", "n-99"])
def test_a_link_to_nothing_does_no_harm(page: Page, tmp_path: Path, link: str) -> None:
    manager, _ = branched()
    page.open(f"{export_session(manager, tmp_path / 'page.html').as_uri()}#{link}")
    assert page.value(SHOWN) == ["the beginning", "went right", "the end"]
    assert page.happened("Runtime.exceptionThrown") == []


def test_entries_with_odd_or_equal_ids_are_reached(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "", "cwd": "/work"}
    up, lines = None, [header]
    for entry_id in ("a", "search", "<b> c", "ü", "a"):
        message = {"role": "user", "content": f"says {len(lines)}"}
        lines.append({"type": "message", "id": entry_id, "parentId": up, "message": message})
        up = entry_id
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with SessionManager.open(path, writer="none") as manager:
        page.open(export_session(manager, tmp_path / "page.html").as_uri())
    rows = page.value("document.querySelectorAll('#tree a').length")
    for number in range(rows):
        text = page.value(f"document.querySelectorAll('#tree a')[{number}].textContent")
        page.value(f"document.querySelectorAll('#tree a')[{number}].click()")
        page.value("new Promise(done => setTimeout(done, 50))")
        assert text in page.value(f"{CHOSEN}.textContent")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key=key, **text)
    page.value("new Promise(done => setTimeout(done, 250))")


def test_keys_walk_search_and_leave(page: Page, tmp_path: Path) -> None:
    manager, ids = branched()
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    press(page, "j", "j")
    assert "went right" in page.value(f"{CHOSEN}.textContent")
    press(page, "j")
    assert "the end" in page.value(f"{CHOSEN}.textContent"), "settings are skipped"
    press(page, "k")
    assert "went right" in page.value(f"{CHOSEN}.textContent")
    press(page, "/", *"zan")
    assert page.value("document.getElementById('search').value") == "zan"
    press(page, "ArrowDown")
    focused = "document.activeElement.textContent.trim()"
    assert page.value(focused) == "zanzibar"
    page.value("document.activeElement.click()")
    page.value("new Promise(done => setTimeout(done, 100))")
    assert page.value("location.hash") == f"#e-{ids['left-end']}"
    found = "[...CSS.highlights.get('found')].map(range => range.toString())"
    assert page.value(found) == ["zan"]
    press(page, "/", "Escape")
    assert page.value("document.getElementById('search').value") == ""
    assert page.value("[...document.querySelectorAll('#tree a')].every(row => !row.hidden)")


def test_on_a_phone_the_tree_comes_on_request_and_with_a_search(page: Page, tmp_path: Path) -> None:
    manager, _ = branched()
    resize(page, 390, 844)
    try:
        page.open(export_session(manager, tmp_path / "page.html").as_uri())
        tree = "document.getElementById('tree').checkVisibility()"
        assert not page.value(tree)
        page.value("document.querySelector('label[for=show-tree]').click()")
        assert page.value(tree)
        page.value("document.querySelectorAll('#tree a')[1].click()")
        page.value("new Promise(done => setTimeout(done, 100))")
        assert not page.value(tree), "what was chosen is in view"
        press(page, "/", *"zan")
        assert page.value(tree)
        assert page.value("document.documentElement.scrollWidth <= innerWidth")
    finally:
        resize(page, 1280, 900)


def test_landmarks_and_headings_are_there_for_screen_readers(page: Page, tmp_path: Path) -> None:
    manager, _ = branched()
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    page.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {
        (node["role"]["value"], node.get("name", {}).get("value"))
        for node in nodes
        if not node["ignored"]
    }
    assert {
        ("navigation", "Tree of the session"),
        ("main", ""),
        ("search", ""),
        ("searchbox", "Search all branches"),
        ("region", "Conversation"),
        ("checkbox", "Prompts, settings and hidden items"),
        ("link", "Skip to the conversation"),
        ("heading", "User"),
    } <= named


def test_print_has_the_conversation_and_all_of_it(page: Page, tmp_path: Path) -> None:
    manager = SessionManager.in_memory("/work")
    for number in range(200):
        manager.append_message(user(f"entry {number}"))
    page.open(export_session(manager, tmp_path / "page.html").as_uri())
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert not page.value("document.querySelector('nav').checkVisibility()")
        last = "[...document.querySelectorAll('article')].pop()"
        assert page.value(f"{last}.checkVisibility({{contentVisibilityAuto: true}})")
        assert "entry 199" in page.value("document.querySelector('main').innerText")
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_without_scripts_the_page_reads_and_other_branches_open(page: Page, tmp_path: Path) -> None:
    manager, _ = branched()
    path = export_session(manager, tmp_path / "page.html")
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(path.as_uri())
        shown = page.value("document.querySelector('main').textContent")
        assert "the beginning" in shown
        assert "the end" in shown
        assert page.value("document.querySelectorAll('#others details').length") == 1
        branch = "document.querySelector('#others details')"
        assert not page.value(f"{branch}.querySelector('article').checkVisibility()")
        page.value(f"{branch}.querySelector('summary').click()")
        assert page.value(f"{branch}.querySelector('article').checkVisibility()")
        assert "zanzibar" in page.value(f"{branch}.textContent")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)


def test_twenty_thousand_entries_load_and_can_be_reached(page: Page, tmp_path: Path) -> None:
    manager = SessionManager.in_memory("/work")
    fork = manager.append_message(user("entry 0"))
    for number in range(1, 20_000):
        if number == 12_000:
            manager.branch(fork)
        make = assistant if number % 2 else user
        manager.append_message(make(f"entry {number}"))
    page.open(export_session(manager, tmp_path / "long.html").as_uri())
    assert page.value("document.querySelectorAll('#tree a').length") == 20_000
    laid_out = (
        "[...document.querySelectorAll('{}')].filter(each => each.checkVisibility({})).length"
    )
    for what in ("article", "#tree a"):
        assert page.value(laid_out.format(what, "{contentVisibilityAuto: true}")) < 500
    for number in (19_999, 11_999, 6_000, 12_000):
        page.value(
            "[...document.querySelectorAll('#tree a')]"
            f".find(a => a.textContent.endsWith('entry {number}')).click()"
        )
        assert page.value(
            "(() => { const box = document.querySelector('article.chosen').getBoundingClientRect();"
            "return box.top >= -2 && box.top < innerHeight; })()"
        )
        assert f"entry {number}" in page.value(
            "document.querySelector('article.chosen').textContent"
        )

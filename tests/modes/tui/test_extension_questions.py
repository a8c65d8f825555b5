"""What an extension asks the person, in the terminal UI."""

from __future__ import annotations

from pathlib import Path

from support.tui import Ui, make_place, running_ui

ASKING = """
def extension(api):
    async def ask(text):
        chosen = await api.select("Which one?", ["one", "two"])
        sure = await api.confirm("Really?")
        name = await api.input("Your name?", "nobody")
        api.notify(f"{chosen} {sure} {name}")

    api.command("ask", "Ask three questions", ask)
"""


async def in_dialog(ui: Ui, text: str) -> None:
    await ui.until(lambda: ui.app.screen is not ui.chat and text in ui.screen_text, text)


async def test_a_person_chooses_confirms_and_types(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    folder = place.agent_dir / "extensions"
    folder.mkdir(parents=True)
    (folder / "asking.py").write_text(ASKING)
    async with running_ui(place) as ui:
        await ui.type("/ask ")
        await ui.press("enter")
        await in_dialog(ui, "Which one?")
        await ui.press("down", "enter")
        await in_dialog(ui, "Really?")
        await ui.press("down", "enter")
        await in_dialog(ui, "Your name?")
        await ui.press(*"Ada")
        await ui.press("enter")
        await ui.until(lambda: "asking: two True Ada" in ui.screen_text, "the answers")


async def test_escape_answers_nothing(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    folder = place.agent_dir / "extensions"
    folder.mkdir(parents=True)
    (folder / "asking.py").write_text(ASKING)
    async with running_ui(place) as ui:
        await ui.type("/ask ")
        await ui.press("enter")
        for question in ("Which one?", "Really?", "Your name?"):
            await in_dialog(ui, question)
            await ui.press("escape")
        await ui.until(lambda: "asking: None False None" in ui.screen_text, "the answers")

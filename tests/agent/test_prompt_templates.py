"""``/name arguments`` of a prompt template becomes its text with the arguments in their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from sapwood.agent.prompt_templates import load_templates, split_arguments


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "arguments", "prompt"),
    [
        ("Fix $1 in $2.", "a b", "Fix a in b."),
        ("Fix $1 in $2.", "a", "Fix a in ."),
        ("All: $@", 'one "two three"', "All: one two three"),
        ("All: $ARGUMENTS", "one two", "All: one two"),
        ("About ${1:-everything}", "", "About everything"),
        ("About ${1:-everything}", "speed", "About speed"),
        ("About ${@:-all of it}", "a b", "About a b"),
        ("Rest: ${@:2}", "a b c", "Rest: b c"),
        ("Some: ${@:2:2}", "a b c d", "Some: b c"),
        ("$1 costs $$ and ${HOME}", "It", "It costs $$ and ${HOME}"),
        ("$1", "'$2' b", "$2"),
        ("$10", "a", ""),
        ("no places", "left over", "no places"),
    ],
)
def test_arguments_go_into_their_places(
    tmp_path: Path, text: str, arguments: str, prompt: str
) -> None:
    write(tmp_path, "t.md", text)
    (template,) = load_templates(tmp_path)
    assert template.filled(arguments) == prompt


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ('"API compatibility" now', ["API compatibility", "now"]),
        ("it doesn't count", ["it", "doesn't", "count"]),
        ('"never closed', ['"never', "closed"]),
        (r'"the \"fast\" path"', ['the "fast" path']),
        (r"'a \n b' c\d", [r"a \n b", r"c\d"]),
        ('""', [""]),
        ('a"b c"', ['a"b', 'c"']),
        ("  two\n lines ", ["two", "lines"]),
    ],
)
def test_arguments_are_taken_apart_like_a_shell_does(typed: str, words: list[str]) -> None:
    assert split_arguments(typed) == words


def test_the_head_and_the_file_describe_a_template(tmp_path: Path) -> None:
    write(
        tmp_path,
        "review.md",
        '---\ndescription: Review\x1b[31m\nargument-hint: "[focus]"\n---\nDo it.\n',
    )
    write(tmp_path, "bare.md", "First line\n\nsecond\n")
    write(tmp_path, "notes.txt", "not a template")
    write(tmp_path / "nested", "deep.md", "only direct children count")
    (tmp_path / "locked.md").mkdir()
    write(tmp_path, "two words.md", "cannot be typed")
    write(tmp_path, "drives\x1b[31m.md", "the terminal")
    found = [
        (each.name, each.description, each.hint, each.text) for each in load_templates(tmp_path)
    ]
    assert found == [
        ("bare", "First line", "", "First line\n\nsecond"),
        ("review", "Review\ufffd[31m", "[focus]", "Do it."),
    ]

"""The head of prompt templates and skills."""

from __future__ import annotations

import pytest

from sapwood.agent.front_matter import split_front_matter


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("description: Plain words", "Plain words"),
        ("description: Use when: a colon stands inside", "Use when: a colon stands inside"),
        ("description: words # a comment", "words"),
        ("description: issue#12", "issue#12"),
        ('description: "Quoted: \\"yes\\" # kept"', 'Quoted: "yes" # kept'),
        ("description: 'It''s quoted'", "It's quoted"),
        ("description: wrapped\n  onto a second line", "wrapped onto a second line"),
        ("description:\n  on the next line", "on the next line"),
        ("description: >-\n  folded\n  lines\n\n  and more", "folded lines\n\nand more"),
        ("description: |\n  kept\n    lines", "kept\n  lines"),
        ("metadata:\n  author: x\ndescription: after a map", "after a map"),
        ("allowed-tools:\n- Read\n- Bash\ndescription: after a list", "after a list"),
        ("description:", ""),
    ],
)
def test_a_field_is_read(head: str, value: str) -> None:
    fields, body = split_front_matter(f"---\nname: x\n{head}\n---\nbody\n")
    assert (fields["name"], fields["description"], body) == ("x", value, "body\n")


def test_windows_line_ends_are_read() -> None:
    fields, body = split_front_matter("---\r\ndescription: one\r\n---\r\nbody\r\n")
    assert (fields, body) == ({"description": "one"}, "body\n")


@pytest.mark.parametrize(
    "text", ["", "no head", "---\nname: never closed\n", "text\n---\nname: x\n---\n", "----\n"]
)
def test_without_a_whole_head_all_is_text(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


def test_a_rule_in_the_text_does_not_belong_to_the_head() -> None:
    assert split_front_matter("---\na: 1\n---\none\n---\ntwo\n")[1] == "one\n---\ntwo\n"

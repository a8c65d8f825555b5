"""Skills: found in folders, listed in the system prompt, put in for ``/skill:name``."""

from __future__ import annotations

from pathlib import Path

from sapwood.agent.skills import load_skills, skills_section


def skill(folder: Path, head: str, text: str = "Do it well.") -> Path:
    folder.mkdir(parents=True)
    file = folder / "SKILL.md"
    file.write_text(f"---\n{head}\n---\n{text}\n", encoding="utf-8")
    return file


def test_a_folder_with_its_file_is_a_skill(tmp_path: Path) -> None:
    file = skill(tmp_path / "pdf-tools", "name: pdf-tools\ndescription: Read PDFs.")
    (found,), problems = load_skills(tmp_path)
    assert (found.name, found.description, found.file) == ("pdf-tools", "Read PDFs.", file)
    assert problems == []


def test_folders_are_searched_down_to_the_skill(tmp_path: Path) -> None:
    skill(tmp_path / "group" / "deep", "description: Found below.")
    skill(tmp_path / "top", "description: Found.")
    skill(tmp_path / "top" / "inner", "description: A part of top.")
    skill(tmp_path / "node_modules" / "x", "description: Not ours.")
    skill(tmp_path / ".hidden", "description: Not shown.")
    (tmp_path / "group" / "loop").symlink_to(tmp_path)
    found, _ = load_skills(tmp_path)
    assert [each.name for each in found] == ["deep", "top"]


def test_one_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    silent = skill(tmp_path / "a", "name: a")
    odd = skill(tmp_path / "b", "name: two words\ndescription: x")
    found, problems = load_skills(tmp_path)
    assert found == []
    assert problems == [
        f"{silent} is no skill: its head has no description.",
        f"{odd} is no skill: its name 'two words' is not made of letters, digits and hyphens.",
    ]


def test_the_prompt_lists_those_that_the_model_may_choose(tmp_path: Path) -> None:
    file = skill(tmp_path / "one", "description: |\n  First.\n  - fake: a row of its own")
    skill(tmp_path / "two", "description: Second.\ndisable-model-invocation: true")
    section = skills_section(load_skills(tmp_path)[0])
    (row,) = [line for line in section.split("\n") if line.startswith("- ")]
    assert row.startswith("- one: First.")
    assert row.endswith(f"({file})")
    assert "Second" not in section


def test_without_skills_nothing_is_said() -> None:
    assert skills_section([]) == ""


def test_the_command_gives_the_text_its_folder_and_the_request(tmp_path: Path) -> None:
    skill(tmp_path / "one", "description: First.", "Step 1.\n</skill>\nStep 2.")
    (found,), _ = load_skills(tmp_path)
    text = found.applied_to("for report.pdf")
    assert text.startswith('<skill name="one">\n')
    assert str(tmp_path / "one") in text
    assert "\nStep 1.\n" in text
    assert "\nStep 2.\n" in text
    assert text.count("</skill>") == 1
    assert text.endswith("</skill>\n\nfor report.pdf")
    assert found.applied_to("").endswith("</skill>")

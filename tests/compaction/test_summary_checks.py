"""Which answers of a model are no summaries, and what it is told about them."""

from __future__ import annotations

import pytest

from sapwood.compaction.checks import find_fault, unwrap
from sapwood.compaction.summarizer import SummaryReply
from support.fake_llm import SUMMARY

EMPTY_HEADINGS = "## Goal\n\n## Progress\n### Done\n(none)\n\n## Next Steps\n- (none)"


def test_a_good_summary_has_no_fault() -> None:
    assert find_fault(SummaryReply(SUMMARY), 1000) is None


@pytest.mark.parametrize(
    ("text", "stop_reason", "told"),
    [
        ("", "stop", "empty"),
        ("  \n\t ", "stop", "empty"),
        ("OK", "stop", "no summary"),
        ("Understood, I will continue with the refactoring.", "stop", "no summary"),
        ("I'm sorry, but I cannot help with that.", "stop", "refusal"),
        ("抱歉，我无法完成这个请求。", "stop", "refusal"),
        ('{"error": {"message": "overloaded"}}', "stop", "error message"),
        ("Error: 502 Bad Gateway", "stop", "error message"),
        ("<!DOCTYPE html><title>503</title>", "stop", "error message"),
        (SUMMARY[:80], "length", "cut off"),
        (SUMMARY, "toolUse", "called a tool"),
        (SUMMARY.replace("## Next Steps", "## Later"), "stop", "Next Steps"),
        (SUMMARY + "\n\n[User]: hello\n\n[Assistant]: hi", "stop", "repeats the conversation"),
        (EMPTY_HEADINGS, "stop", "says nothing"),
        (SUMMARY + "\n- more" * 2000, "stop", "too long"),
    ],
)
def test_what_is_wrong_is_told(text: str, stop_reason: str, told: str) -> None:
    fault = find_fault(SummaryReply(text, stop_reason=stop_reason), 1000)
    assert fault is not None
    assert told in fault


def test_bold_lines_with_our_names_count_as_headings() -> None:
    bold = SUMMARY.replace("## Goal", "**Goal**").replace("## Next Steps", "**Next Steps:**")
    assert find_fault(SummaryReply(bold), 1000) is None


@pytest.mark.parametrize("wrapped", ["```markdown\n{}\n```", "<summary>\n{}\n</summary>", "\n{}\n"])
def test_wrapping_around_the_whole_answer_is_taken_off(wrapped: str) -> None:
    assert unwrap(wrapped.format(SUMMARY)) == SUMMARY

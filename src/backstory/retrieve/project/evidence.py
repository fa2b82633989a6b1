"""One range of source as a quotation for a model call: where it is from, its hash, and the text as one JSON string.

Pure. Neighbours: `cards` chose the range, the planner places the record.
"""

from backstory.records.project import SourceEvidence, SourceItem
from backstory.text import tokens
from backstory.text.hashing import of_text
from backstory.text.quoting import PROJECT, quote, render


def source_evidence(item: SourceItem, head: str | None, why: str = "") -> SourceEvidence:
    """The record of one verified range; `head` is the commit the index last saw, `why` the reason in other words."""
    commit = head if not item.modified else None
    facts = [
        ("Path", quote(item.path)),
        ("SHA-256", item.sha256),
        ("Lines", f"{item.start_line}-{item.end_line}"),
        ("Working tree", "modified/untracked" if item.modified else "tracked at indexed revision"),
    ]
    if commit:
        facts.append(("Indexed Git HEAD", commit))
    if item.symbol:
        facts.append(("Declaration", quote(item.symbol)))
    facts.append(("Relevance", quote(item.reason)))
    text = render(PROJECT, facts, item.text)
    return SourceEvidence(
        id="project:" + of_text("\0".join((item.path, item.sha256, str(item.start_line), str(item.end_line)))),
        path=item.path,
        start_line=item.start_line,
        end_line=item.end_line,
        sha256=item.sha256,
        tokens=tokens.count(text) + tokens.MESSAGE_TOKENS,
        score=item.score,
        text=text,
        level=item.level,
        why=why,
        modified=item.modified,
        commit=commit,
        # A heading is text.
        symbol=item.symbol if item.kind != "heading" else None,
    )

"""What a model knows our tools by, apart from what they take, so that a search pays for none of their records."""

# The one that looks into earlier history.
RECALL = "context_history_recall"
# All that a model is offered: what they answer repeats what was said before, or what is kept.
OWN_TOOLS = frozenset(
    (RECALL, "context_history_read", "context_history_status", "context_artifact_search", "context_persistence")
)

"""What is kept by hand: pins and memories, what is proposed, where it comes from, and how it is folded."""

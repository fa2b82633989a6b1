"""What a person or a model asked to keep, as a call needs it: records read, folded to one state, checked, selected."""

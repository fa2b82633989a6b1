"""Pure rules over the entries of one session: branches, surfaces, active context and atomic groups."""

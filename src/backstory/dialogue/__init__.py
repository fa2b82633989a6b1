"""Pure rules over the entries of one session: branches, surfaces, active context, turns and atomic groups."""

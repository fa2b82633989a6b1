"""Care of what is stored: verified, forgotten, reported on, made smaller, and made anew."""

"""From a request to the files of a project that it is about, and to ranges of them; start with `ranking`."""

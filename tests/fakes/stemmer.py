"""A stemmer that takes the plural off, in place of the one of an index."""


def stem(text: str) -> list[str]:
    return [word.lower().rstrip("s") for word in text.replace("_", " ").replace("-", " ").split()]

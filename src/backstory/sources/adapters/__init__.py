"""One module or package per agent; they do not know each other, and nothing but the registry names them."""

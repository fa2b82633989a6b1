"""The versions of the rules of extraction, of sessions and of source."""

# Grows when any rule in `index.extract`, in a source or in redaction changes what is stored of a record; sessions
# extracted under another version are read again by themselves.
VERSION = 9

# Grows when another range of lines becomes a chunk, another declaration is found, something else is a marker or a
# credential, or another name stays out; a project indexed under another version is read again at the next look.
SOURCE = 6

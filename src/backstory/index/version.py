"""The version of the extraction rules."""

# Grows when any rule in `index.extract`, in a source or in redaction changes what is stored of a record; sessions
# extracted under another version are read again by themselves.
VERSION = 1

"""What a running host needs: its calls planned, its commands and tools answered.

`host` is the root, one object per host process; `contexts` plans a call, `edits` words the answer, `native` turns the
host's own messages into ours and back, `work` is what is done while the host waits for its model.
"""

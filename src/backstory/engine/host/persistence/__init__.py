"""`context_persistence`: what a model may list of pins and memory, and the protocol by which it proposes changes.

`parameters` says what goes with which action, `reads` lists and finds, `proposing` turns arguments into a checked
change, `protocol` carries a change from the question to the append, `revisions` names states, `results` words answers.
"""

"""Words that carry no topic. `ENGLISH` is left out of ranked queries."""

ENGLISH = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by can could
    did do does doing done down during each few for from further get got had has have having he her here hers him his
    how i if in into is it its itself just let like may me might more most my no nor not now of off on once only or
    other our out over own please same she should so some such than that the their them then there these they this
    those through to too under until up us very was we were what when where which while who whom why will with would
    you your
    """.split(),
)

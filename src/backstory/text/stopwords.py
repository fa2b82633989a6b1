"""Words that say nothing about what is wanted: English and Italian grammar, and the vocabulary of asking for work.

`text.accents.stopword` looks words up here. Names of user-interface things (screen, press, input)
are not here: they are searched for. `ENGLISH` alone is what ranked queries of sessions leave out. `NOISE` are words of
commit messages, kept but counted for little, `CHORES` those of lines that are not counted at all. `ASKING` are stop
words that a search of source counts all the same.
"""

ENGLISH = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by can could
    did do does doing done down during each few for from further get got had has have having he her here hers him his
    how i if in into is it its itself just let like may me might more most my no nor not now of off on once only or
    other our out over own please same she should so some such than that the their them then there these they this
    those through to too under until up us very was we were what when where which while who whom why will with would
    you your
    """.split(),  # noqa: SIM905 - a list of quoted words is no easier to read
)
MORE_ENGLISH = frozenset(
    """
    above against anything aren't below can't cannot couldn't didn't doesn't don't either else ever every
    everything gets getting give given gives go goes going gone hadn't hasn't haven't hence herself himself
    however instead isn't it's keep let's likely made make makes making many maybe much must myself need needs
    neither nothing often ok okay one onto others otherwise ours ourselves per perhaps quite rather really seem
    seems shall shouldn't since someone something still sure take takes that's theirs themselves there's thing
    things though thus together toward towards upon via want wants wasn't way well went weren't what's where's
    whether whose within without won't wouldn't yes yet yours yourself yourselves
    """.split(),  # noqa: SIM905 - a list of quoted words is no easier to read
)
ITALIAN = frozenset(
    """
    a abbia abbiamo abbiano ad adesso agli ai al alcune alcuni alla alle allo allora altra altre altri altro
    anche ancora anzi avere aveva avevano avrebbe basta bene c che chi ci cio coi col come con cosa cose cosi
    cui da dagli dai dal dalla dalle dallo dei degli del dell della delle dello dentro deve devi devo di
    dobbiamo dopo dove dovrebbe due e ebbe ecco ed era erano essere fa fai fanno far fare fatto fino fra fu
    fuori gia gli ha hai hanno ho i il in infine io l la le lei li lo loro lui ma magari me meglio mentre mi mia
    mie miei mio molta molte molti molto ne negli nei nel nella nelle nello nessuna nessuno niente no noi non
    nostra nostre nostri nostro nulla o ogni oggi oppure ora per perche pero piu po poco poi possa possiamo
    posso potrebbe prima proprio puo pure qua qual quale quali qualche qualcosa qualcuno quando quanto quasi
    quegli quei quel quella quelle quelli quello questa queste questi questo qui quindi sara sarebbe se sei
    sempre senza si sia siamo siano sie siete solo sono sopra sotto sta stanno stata state stati stato stessa
    stesso sto su sua subito sue sugli sui sul sulla sulle sullo suo suoi tale tanto te ti tra tu tua tue tuo
    tuoi tutta tutte tutti tutto un una uno va vai ve verso vi voglio vogliamo voi vorrei vostra vostro
    """.split(),  # noqa: SIM905 - a list of quoted words is no easier to read
)
WORKFLOW = frozenset(
    """
    ahead answer approve approved ask asked check complete completed continue correct create done ensure execute
    explain fine finish finished follow go good great hello help hey hi implement kindly later look need next
    please proceed ready resume review right run see show start started step steps tell thank thanks try
    understand verify wait work working aggiungi aiutami aiuto ciao completa completare continua continuare
    controlla correggi crea dimmi esegui favore fammi finisci finire grazie guarda implementa inizia mostra
    mostrami passa perfetto procedi proseguire prova riprendi rivedi sistema spiega spiegami termina trova
    verifica vediamo
    """.split(),  # noqa: SIM905 - a list of quoted words is no easier to read
)
COURTESY = frozenset(
    "ahead ask asked fine go good great hello hey hi kindly need ok please ready tell thank thanks".split()  # noqa: SIM905
)
STOPWORDS = ENGLISH | MORE_ENGLISH | ITALIAN | WORKFLOW
# Of the words of asking for work those that name things in code as well: a check, a step, what is shown or resumed.
ASKING = WORKFLOW - ENGLISH - MORE_ENGLISH - ITALIAN - COURTESY
NOISE = frozenset(
    """
    add added adds adding allow allows avoid better bug bugs change changed changes cleanup code correct
    correctly ensure feature fix fixed fixes fixing handle handling implement improve improved improves issue
    issues make merge minor move new now pr pull refactor refactored remove removed removes rename request
    review small support supports update updated updates use used uses using version when work works
    """.split(),  # noqa: SIM905 - a list of quoted words is no easier to read
)
# A line of nothing but these, NOISE and grammar tells of work on the work: "Apply suggestions from code review".
CHORES = frozenset(
    """
    address addressed apply applied black branch changelog ci close closed closes comment comments commit conflict
    conflicts doc docs documentation entry feedback format formatting isort lint linter linting main master merge
    mypy news nit nits note notes pre prettier pull readme rebase rebased ref refs release request resolve resolved
    resolves reviews ruff spelling style suggestion suggestions test testing tests typing typo typos wip
    """.split(),  # noqa: SIM905 - a list of quoted words is no easier to read
)

"""Tools for tests of code that uses hippohover: ``pip install 'hippohover[testing]'``.

``fixtures`` has indexes of the toy world for pytest, ``strategies`` corpora and claims for
hypothesis, ``machine`` a state machine of updates, ``language_model`` a model that says what it is
told, ``own_models`` an encoder and an extractor of one's own, and ``suites`` the tests that every
retriever, encoder, extractor and source must pass.
"""

"""Tools for tests of code that uses hippohover: ``pip install 'hippohover[testing]'``.

``fixtures`` has indexes of the toy world for pytest, ``strategies`` corpora and claims for
hypothesis, ``machine`` a state machine of updates, ``language_model`` a model with given replies,
``own_models`` an encoder and an extractor like a user's, and ``suites`` the tests that every
retriever, encoder, extractor and source must pass.
"""

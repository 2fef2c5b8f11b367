"""Retrievers of an index for common frameworks, one module per framework.

Each needs its framework, which an extra of the same name installs: ``hippohover[langchain]``.
"""

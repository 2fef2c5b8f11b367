"""Retrievers of an index for the frameworks that people already use, one module a framework.

Each needs its framework, which an extra of the same name installs: ``hippohover[langchain]``.
"""

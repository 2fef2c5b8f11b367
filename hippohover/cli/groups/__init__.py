"""Groups of options, each declared once: a command takes them as dataclasses.

A group that extends another adds options to it, or makes an option of what is a plain field there.
"""

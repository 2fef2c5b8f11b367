"""The version of the running package."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("hippohover")
except PackageNotFoundError:  # a checkout that nobody has installed
    __version__ = "0+source"

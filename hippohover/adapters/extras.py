"""Says which extra to install when a package that it brings is missing."""

from collections.abc import Generator
from contextlib import contextmanager

from hippohover.errors import as_installed


@contextmanager
def needed(package: str, *, of: str, extra: str) -> Generator[None]:
    """Turn a failed import into one line that says what to install.

    Parameters
    ----------
    package : str
        The package that is imported, as pip knows it.
    of : str
        The module that imports it.
    extra : str
        The extra of hippohover that installs it.

    Raises
    ------
    ModuleNotFoundError
        Something that is imported in this context is not installed.

    Examples
    --------
    >>> with needed("no-such-package", of="my_module", extra="mine"):
    ...     import no_such_package
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: my_module needs no-such-package: pip install '...[mine]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        wanted = as_installed(f"{of} needs {package}: pip install 'hippohover[{extra}]'")
        raise ModuleNotFoundError(wanted, name=error.name) from error

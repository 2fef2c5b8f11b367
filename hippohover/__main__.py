"""``python -m hippohover``."""

from hippohover.cli import main

if __name__ == "__main__":
    main()

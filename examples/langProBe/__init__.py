"""Where programs of LangProBe look for its HoVer task; put this or LangProBe on the path."""

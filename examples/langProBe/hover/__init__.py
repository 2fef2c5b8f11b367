"""LangProBe's HoVer task on an index of hippohover, under the names that LangProBe has for it."""

"""Readers of files of records: tables, JSON, Parquet, and the corpora of the field."""

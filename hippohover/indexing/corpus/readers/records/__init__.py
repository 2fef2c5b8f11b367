"""Readers of files of records: tables, JSON, Parquet, and common research corpora."""

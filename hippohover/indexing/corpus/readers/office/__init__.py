"""Readers of office documents: PDF, DOCX, PPTX, EPUB, ODT (extra ``documents``)."""

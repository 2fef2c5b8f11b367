"""Readers of documents as offices write them: PDF, DOCX, PPTX, EPUB, ODT (extra ``documents``)."""

"""Chats: their messages, and the words of one."""

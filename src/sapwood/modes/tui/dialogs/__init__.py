"""Dialogs: small screens with plain data in and one result out (None when left with Escape)."""

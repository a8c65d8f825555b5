"""Where the user writes: the text editor, its history, completion, attachments and draft."""

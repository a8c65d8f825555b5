"""The slash commands: one file for each group, listed in `registry`."""

"""The conversation on screen: blocks rendered from the entries of the active path, on demand."""

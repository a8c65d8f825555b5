"""The commands beside the agent itself: ``session …``, ``demo``, ``completion``."""

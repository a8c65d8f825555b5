"""Talking to models: who they are, the keys they need, one streaming call, and what can go wrong.

``catalogue`` knows the models, ``auth`` their keys, ``stream`` makes one request and yields events,
``failures`` names what went wrong. pydantic-ai is used below ``stream`` only, its parts imported
when the first request is made; nothing here imports it at import time.
"""

"""Letters: one function a message (`letters`), what a letter says (`facts`, `story`, `board`,
`moments`), how it is set (`rendering`), and how it gets out, once (`outbox`).

Nothing is imported here: whoever writes a letter needs `letters` alone, and only the outbox
renders.
"""

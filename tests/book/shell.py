"""A page with nothing but figures to touch, put together as Sphinx would."""

from pathlib import Path

from support.explorable import STATIC, STYLES, scripts

SHELL = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Figures</title>
<link rel="icon" href="data:,">{styles}
<style>body {{ font: 16px sans-serif; margin: 8px; }} a {{ color: #0b62a4; }}
html[data-theme="dark"] body {{ background: #121212; color: #eee; }}
html[data-theme="dark"] a {{ color: #6cbcf0; }}</style></head>
<body><main><article><h1>Figures</h1>{body}</article></main>{scripts}</body></html>"""


def write_page(path: Path, body: str) -> str:
    """Write the page of these figures; return its address."""
    root = STATIC.as_uri()
    text = SHELL.format(
        body=body,
        styles="".join(f'<link rel="stylesheet" href="{root}/{name}">' for name in STYLES),
        scripts="".join(f'<script defer src="{root}/{name}"></script>' for name in scripts(body)),
    )
    path.write_text(text, encoding="utf-8")
    return path.as_uri()

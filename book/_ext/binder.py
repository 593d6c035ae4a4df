"""Offer every chapter on Binder, once the repository has a public address.

The address is ``repository: url`` in ``_config.yml``. Binder reads the folder ``binder``.
"""

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config


def use_binder(app: Sphinx, config: Config) -> None:
    """Remove the launch buttons while there is no address, which the theme would not accept."""
    if not config.html_theme_options.get("repository_url"):
        config.html_theme_options.pop("launch_buttons", None)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step with Sphinx."""
    app.connect("config-inited", use_binder)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

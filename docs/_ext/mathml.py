"""Formulas as MathML, made at build time: no script, no network, when they are read."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import pick_math_environment
from docutils.utils.math.latex2mathml import tex2mathml


def inline(self: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(self: Any, node: nodes.Element) -> None:
    """Write a formula on a line of its own."""
    formula = node.astext()
    environment = pick_math_environment(formula)
    if environment.startswith("align"):
        formula = f"\\begin{{align*}}{formula}\\end{{align*}}"
    self.body.append('<div class="formula">')
    self.body.append(tex2mathml(formula, as_block=True))
    self.body.append("</div>")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Offer the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}

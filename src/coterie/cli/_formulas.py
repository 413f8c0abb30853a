"""Formulas in the terminal: LaTeX written out in plain characters."""

# ruff: noqa: RUF001

from __future__ import annotations

import re

_SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε",
    "theta": "θ", "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "phi": "φ", "Phi": "Φ", "Sigma": "Σ", "Omega": "Ω", "sum": "Σ",
    "lVert": "‖", "rVert": "‖", "in": "∈", "ni": "∋", "ne": "≠", "neq": "≠",
    "le": "≤", "leq": "≤", "ge": "≥", "sim": "~", "propto": "∝", "preceq": "⪯",
    "cap": "∩", "cup": "∪", "cdot": "·", "odot": "⊙", "circledast": "⊛",
    "leftarrow": "←", "ldots": "...", "lfloor": "⌊", "rfloor": "⌋", "top": "T",
    "quad": "  ", "qquad": "  ", ",": " ", ";": " ", "\\": ",",
    "Bigl": "", "Bigr": "", "bigl": "", "bigr": "", "left": "", "right": "",
}  # fmt: skip
_WORDS = {"min", "max", "exp", "log"}  # any other name is left out
_STYLES = r"\\(?:text|mathrm|mathit|mathcal|mathbf|operatorname|tilde|bar)\{([^{}]*)\}"
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"  # braces, three deep


def readable(tex: str) -> str:
    """Return a formula as it may be typed on one line.

    Parameters
    ----------
    tex : str
        LaTeX, as our docstrings have it.
    """
    tex = re.sub(r"&\s*(.*?)\s*(?=\\\\|\\end)", r"(\1)", tex, flags=re.DOTALL)
    tex = re.sub(r"\\(?:begin|end)\{\w+\}", " ", tex)
    tex = re.sub(_STYLES, r"\1", tex)
    while (
        shorter := re.sub(r"\\frac" + _GROUP + r"\s*" + _GROUP, r"(\1) / (\2)", tex)
    ) != tex:
        tex = shorter
    tex = re.sub(r"\\sqrt" + _GROUP, r"sqrt(\1)", tex)
    tex = re.sub(r"\\([A-Za-z]+|[^A-Za-z{}])", _sign, tex)
    tex = re.sub(r"([_^])\{(\\?\w+|.)\}", r"\1\2", tex)
    tex = re.sub(r"([_^])" + _GROUP, r"\1(\2)", tex)
    tex = re.sub(r"(?<!\\)[{}]", "", tex).replace("\\{", "{").replace("\\}", "}")
    tex = re.sub(r"\((\w+)\) / ", r"\1 / ", tex)
    tex = re.sub(r" / \((\w+)\)", r" / \1", tex)
    tex = re.sub(r"([_^])\(\((\w+)\)\)", r"\1(\2)", tex)
    return " ".join(tex.split())


def _sign(found: re.Match[str]) -> str:
    name = found[1]
    return name if name in _WORDS else _SIGNS.get(name, "")

"""Formulas of docstrings as ``coterie methods NAME`` prints them."""

import pytest

from coterie._catalog import ENTRIES
from coterie.cli._formulas import readable
from coterie.cli._methods import _documented


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\lambda", "λ"),
        (r"k_m = \lfloor \delta k_{m-1} \rfloor", "k_m = ⌊ δ k_(m-1) ⌋"),
        (r"\frac{1}{M} \sum_{m=1}^M w_m", "1 / M Σ_(m=1)^M w_m"),
        (
            r"\exp\Bigl(-\frac{D_{ij}^2}{2 \mu^2 \varepsilon_{ij}^2}\Bigr)",
            "exp(-(D_ij^2) / (2 μ^2 ε_ij^2))",
        ),
        (r"A_{(2)} + E = W", "A_(2) + E = W"),
        (r"\min_{C, E} \lVert E \rVert_F^2", "min_(C, E) ‖ E ‖_F^2"),
        (r"\tilde{w}_i \quad \text{with} \quad w \ge 0", "w_i with w ≥ 0"),
        (
            r"\begin{cases} 1 & a = b \\ \mathrm{decay} & \text{otherwise} \end{cases}",
            "1 (a = b), decay (otherwise)",
        ),
        (r"\{1, 2\}", "{1, 2}"),
    ],
)
def test_readable(tex, plain):
    assert readable(tex) == plain


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_no_description_holds_latex(entry):
    text, parameters = _documented(entry.load())
    for said in [*text, *parameters.values()]:
        assert "\\" not in said
        assert ":math:" not in said
        assert ".. math" not in said

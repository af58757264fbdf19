"""Sanitizes LaTeX from OCR: only commands that show something."""

from __future__ import annotations

import re

WRITTEN = re.compile(r"\\\[((?:(?!\\\]|\$|<|`).)+)\\\]", re.DOTALL)
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
COMMAND = re.compile(r"\\([a-zA-Z]+)")
SPOKEN = {"<": r"\lt ", ">": r"\gt ", "*": r"\ast ", "~": r"\ "}  # what Markdown would take for its own
REFUSED = "`$@"
# between these Markdown must see a space, which LaTeX does not: links, addresses, entities, emphasis, templates
PARTED = re.compile(
    r"\[(?=\[)|\](?=[\](\[])|\{(?=\{)|/(?=/)|\.(?=[^\W\d_])|&(?=[#a-zA-Z])|[wW](?=[wW]{2}\.)|(?<![^\W_])_(?=\S)"
)
COMMANDS = """
    aleph align aligned alpha angle approx arccos arcsin arctan arg array ast bar begin beta
    bf Big big bigcap bigcup Bigg bigg binom bmatrix boldsymbol cap cases cdot cdots chi circ cong cos cosh cot csc
    cup dagger ddot ddots Delta delta det dfrac dim displaystyle div dot dots ell emptyset end epsilon equiv eta
    exists exp forall frac Gamma gamma gathered gcd ge geq gg gt hat hbar hline iff iint Im implies in inf infty
    int iota it kappa ker Lambda lambda land langle lceil ldots le left Leftarrow leftarrow Leftrightarrow
    leftrightarrow leq lfloor lim liminf limits limsup ll ln lnot log longrightarrow lor lt lVert lvert mapsto
    mathbb mathbf mathcal mathit mathrm mathsf matrix max mid min mod mp mu nabla ne neg neq nmid nolimits notin nu
    oint Omega omega operatorname oplus otimes overbrace overline overset parallel partial perp Phi phi Pi pi pm
    pmatrix prime prod propto Psi psi qquad quad r rangle rceil Re rfloor rho right Rightarrow rightarrow rm rVert
    rvert scriptstyle sec setminus Sigma sigma sim simeq sin sinh sqrt stackrel star subset
    subseteq sum sup supset supseteq tag tan tanh tau text textstyle tfrac Theta theta tilde times to underbrace
    underline underset Upsilon upsilon varepsilon varphi vartheta vdots vec vee vmatrix wedge widehat widetilde Xi
    xi zeta
"""


def inert(latex: str) -> str | None:
    """The same formula on one line, of which no Markdown is markup; None where that cannot be."""
    parts: list[str] = []
    commands = COMMANDS.split()
    tokens: list[str] = TOKEN.findall(" ".join(latex.split()))
    for part in tokens:
        bare = part.removeprefix("\\")
        is_escaped = bare != part
        if part == "\\" or bare in REFUSED or not part.isprintable():
            return None
        if is_escaped and (bare in SPOKEN or (bare.isalpha() and bare not in commands)):
            return None
        parts.append(SPOKEN.get(part, part))
    command_free = " ".join(PARTED.sub(r"\g<0> ", "".join(parts)).split())
    return None if not command_free or command_free.endswith("\\") else command_free


def written_latex(text: str) -> str | None:
    r"""The formula that OCR wrote between \[ and \], if that is all it wrote; None for commands unknown here."""
    match = WRITTEN.fullmatch(text.strip())
    if match is None or any(command not in COMMANDS.split() for command in COMMAND.findall(match[1])):
        return None
    depth = 0
    for sign in re.sub(r"\\.", "", match[1]):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return None
    return None if depth else inert(match[1])

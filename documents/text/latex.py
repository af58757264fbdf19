"""Sanitizes LaTeX from OCR: only commands that show something."""

from __future__ import annotations

import re

DISPLAY_FORMULA = re.compile(r"\\\[((?:(?!\\\]|\$|<|`).)+)\\\]", re.DOTALL)
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
COMMAND = re.compile(r"\\([a-zA-Z]+)")
# characters that Markdown would take for its own
COMMAND_NAMES = {"<": r"\lt ", ">": r"\gt ", "*": r"\ast ", "~": r"\ "}
UNSAFE_CHARACTERS = "`$@"
# between these Markdown must see a space, which LaTeX does not: links, addresses, entities, emphasis, templates
COMMAND_BOUNDARY = re.compile(
    r"\[(?=\[)|\](?=[\](\[])|\{(?=\{)|/(?=/)|\.(?=[^\W\d_])|&(?=[#a-zA-Z])|[wW](?=[wW]{2}\.)|(?<![^\W_])_(?=\S)"
)
COMMANDS = """
    acute aleph align aligned alpha amalg angle approx arccos arcsin arctan arg array ast asymp bar because begin
    beta bf Big big bigcap bigcup Bigg bigg bigodot bigoplus bigotimes bigsqcup biguplus bigvee bigwedge binom
    bmatrix boldsymbol Box breve bullet cap cases cdot cdots check chi circ cong coprod cos cosh cot coth csc cup
    dagger dashv ddagger ddot ddots deg Delta delta det dfrac dim displaystyle div dot doteq dots downarrow ell
    emptyset end epsilon equiv eta exists exp flat forall frac Gamma gamma gathered gcd ge geq geqslant gg grave gt
    gtrsim hat hbar hline hom hookleftarrow hookrightarrow iff iiint iint Im imath implies in inf infty int iota it
    jmath kappa ker Lambda lambda land langle lceil ldots le left Leftarrow leftarrow Leftrightarrow leftrightarrow
    leq leqslant lesssim lfloor lim liminf limits limsup ll ln lnot log longleftarrow longleftrightarrow longmapsto
    Longrightarrow longrightarrow lor lt lVert lvert mapsto mathbb mathbf mathcal mathfrak mathit mathring mathrm
    mathsf mathtt matrix max mid min mod models mp mu nabla ne nearrow neg neq nexists ni nmid nolimits not notin nu
    odot oint Omega omega ominus operatorname oplus oslash otimes overbrace overline overrightarrow overset P
    parallel partial perp Phi phi Pi pi pm pmatrix Pr prec preceq prime prod propto Psi psi qquad quad r rangle
    rceil Re rfloor rho right Rightarrow rightarrow rightharpoonup rightleftharpoons rm rVert rvert S scriptstyle
    searrow sec setminus sharp Sigma sigma sim simeq sin sinh sqcap sqcup sqrt sqsubset sqsubseteq stackrel star
    subset subseteq subsetneq succ succeq sum sup supset supseteq surd tag tan tanh tau text textstyle tfrac
    therefore Theta theta tilde times to top triangle triangleq underbrace underline underset uparrow uplus Upsilon
    upsilon varepsilon varkappa varphi varpi varrho varsigma vartheta vdash vdots vec vee vmatrix wedge widehat
    widetilde wp wr Xi xi zeta
"""


def inert(latex: str) -> str | None:
    """The same formula on one line, of which no Markdown is markup; None where that cannot be."""
    parts: list[str] = []
    commands = COMMANDS.split()
    tokens: list[str] = TOKEN.findall(" ".join(latex.split()))
    for part in tokens:
        bare = part.removeprefix("\\")
        is_escaped = bare != part
        if part == "\\" or bare in UNSAFE_CHARACTERS or not part.isprintable():
            return None
        if is_escaped and (bare in COMMAND_NAMES or (bare.isalpha() and bare not in commands)):
            return None
        parts.append(COMMAND_NAMES.get(part, part))
    command_free = " ".join(COMMAND_BOUNDARY.sub(r"\g<0> ", "".join(parts)).split())
    return None if not command_free or command_free.endswith("\\") else command_free


def written_latex(text: str) -> str | None:
    r"""The formula that OCR wrote between \[ and \], if that is all it wrote; None for commands unknown here."""
    match = DISPLAY_FORMULA.fullmatch(text.strip())
    if match is None or any(command not in COMMANDS.split() for command in COMMAND.findall(match[1])):
        return None
    depth = 0
    for sign in re.sub(r"\\.", "", match[1]):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return None
    return None if depth else inert(match[1])

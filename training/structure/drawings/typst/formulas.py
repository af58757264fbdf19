"""Displayed formulas, with and without their numbers, and algorithms."""

from __future__ import annotations

from training.structure.drawings.typst.manuscript import BOLD, Manuscript, face, inked
from training.structure.drawings.typst.pages import LINE
from training.structure.drawings.typst.vocabulary import words

SYMBOLS = words("x|y|z|a_i|b_j|alpha|beta|f(x)|n|lambda|x_i^2|sigma|p(x)|theta|bold(w)|hat(y)|cal(L)|nabla f")
TERMS = words(
    "({0}) / ({1})|sum_(i = 1)^n {0}|integral_0^1 {0} dif x|sqrt({0} + {1})|{0} + {1}|({0}) / ({1} + 1)|"
    "lim_(n -> infinity) {0}|{0} {1}|log {0}|exp(- {0})|max_({0}) {1}|bb(E)[{0}]|{0} dot {1}|mat({0}, 1; 0, {1})"
)
RELATIONS = ("=", "<=", ">=", "=", "approx", "tilde", "in")
STEPS = words("for {} do|while {} do|if {} then|return {}|{} ← {}|end for|end if|repeat until {}")


def formula(m: Manuscript) -> str:
    """One block, the number with it."""
    ink = m.ink("formula")
    lines = [_equation(m) for _ in range(m.chance.choice((1, 1, 1, 1, 2)))]
    joined = " \\ ".join(lines)
    equation = f"#text(dir:ltr,fill:rgb({ink}))[$ {joined} $]"
    if m.likely(0.45):
        number = inked(
            ink, m.either(f"({m.chance.randint(1, 60)})", f"({m.chance.randint(1, 9)}.{m.chance.randint(1, 30)})")
        )
        return f"#grid(columns:(1fr,auto),align:horizon,[{equation}],[{number}])"
    return equation


def algorithm(m: Manuscript) -> str:
    """Pseudo code between two lines, under its name."""
    name = m.say(
        "caption", f"Algorithm {m.chance.randint(1, 9)} {m.writer.phrase(2, 6)}", BOLD if m.likely(0.5) else ""
    )
    ink = m.ink("code")
    is_numbered = m.likely(0.6)
    depth = 0
    lines: list[str] = []
    for number in range(1, m.chance.randint(4, 10)):
        step = m.chance.choice(STEPS)
        depth = max(0, depth - step.startswith("end"))
        words = step.format(*(m.writer.phrase(1, 3).lower() for _ in range(2)))
        label = f"{number}: " if is_numbered else ""
        lines.append(inked(ink, label + "\u00a0" * (4 * depth) + words))
        depth = min(3, depth + (" do" in step or " then" in step))
    body = "#linebreak()".join(lines)
    looks = f"#set text({face(m.style.monospace)},size:0.85em)\n" if m.likely(0.3) else ""
    return f"#block(width:100%,breakable:false)[#flat[{LINE}{name}{LINE}{looks}{body}{LINE}]]"


def _equation(m: Manuscript) -> str:
    left = m.chance.choice(SYMBOLS)
    right = [_term(m) for _ in range(m.chance.randint(1, 3))]
    end = m.either("", "", ",", ".")
    return f"{left} &{m.chance.choice(RELATIONS)} {m.either(' + ', ' - ').join(right)} {end}"


def _term(m: Manuscript) -> str:
    return m.chance.choice(TERMS).format(m.chance.choice(SYMBOLS), m.chance.choice(SYMBOLS))

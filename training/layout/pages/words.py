"""What drawn pages say: words of Python's own documentation, and formulas in Matplotlib's TeX."""

from __future__ import annotations

from pydoc_data.topics import topics

WORDS = [w for w in "\n".join(topics.values()).split() if w.strip(".,;:()").isalpha() and len(w) < 16]
MATHS = (
    r"E=mc^2",
    r"\sum_{i=1}^{n}x_i^2",
    r"\int_0^\infty e^{-x^2}dx=\frac{\sqrt{\pi}}{2}",
    r"\nabla\cdot\mathbf{E}=\rho",
    r"\frac{\partial u}{\partial t}=\alpha\nabla^2u",
    r"\hat\theta=\arg\max_\theta\,\log p(x|\theta)",
    r"\|x-y\|_2",
    r"\mathcal{L}=\frac{1}{N}\sum_{k}\ell(f(x_k),y_k)",
    r"\left(\frac{a+b}{c-d}\right)^{2}",
    r"\lambda_{max}\leq",
    r"P(A|B)=\frac{P(B|A)P(A)}{P(B)}",
    r"\prod_{j\in S}\phi_j(z)",
    r"x_{t+1}=x_t-\eta g_t",
    r"+\,\mathcal{O}(h^3)",
    r"\sqrt{\sigma^2+\mu^2}",
    r"\lim_{n\to\infty}a_n=0",
    r"\forall\epsilon>0",
    r"=\beta_0+\beta_1x+\varepsilon",
)

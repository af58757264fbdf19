// The LaTeX commands that formulas may use, and their symbols.

const pairs = (text) => new Map(text.trim().split(/\s+/).map((pair) => pair.split("=")));

export const LETTERS = pairs(`
  alpha=α beta=β gamma=γ delta=δ epsilon=ϵ varepsilon=ε zeta=ζ eta=η theta=θ vartheta=ϑ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ
  omicron=ο pi=π varpi=ϖ rho=ρ varrho=ϱ sigma=σ varsigma=ς tau=τ upsilon=υ phi=ϕ varphi=φ varkappa=ϰ chi=χ psi=ψ omega=ω
  Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω
  hbar=ℏ ell=ℓ wp=℘ Re=ℜ Im=ℑ aleph=ℵ imath=ı jmath=ȷ partial=∂ nabla=∇ infty=∞ emptyset=∅ varnothing=∅ angle=∠ top=⊤ bot=⊥
  prime=′ degree=° ldots=… cdots=⋯ vdots=⋮ ddots=⋱ dots=… dotsc=… dotsb=⋯ square=□ Box=□ flat=♭ sharp=♯ triangle=△ checkmark=✓ dagger=† ddagger=‡ S=§
`);

export const OPERATORS = pairs(`
  pm=± mp=∓ times=× div=÷ cdot=⋅ ast=∗ star=⋆ circ=∘ bullet=∙ oplus=⊕ ominus=⊖ otimes=⊗ oslash=⊘ odot=⊙ wedge=∧ vee=∨ land=∧ lor=∨ neg=¬ lnot=¬
  cap=∩ cup=∪ setminus=∖ wr=≀ amalg=⨿ uplus=⊎ sqcap=⊓ sqcup=⊔
  lt=< gt=> leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ equiv=≡ approx=≈ sim=∼ simeq=≃ cong=≅ propto=∝ ll=≪ gg=≫ leqslant=⩽ geqslant=⩾ lesssim=≲ gtrsim=≳ prec=≺ succ=≻ preceq=⪯ succeq=⪰
  in=∈ notin=∉ ni=∋ subset=⊂ subseteq=⊆ supset=⊃ supseteq=⊇ subsetneq=⊊ sqsubset=⊏ sqsubseteq=⊑ forall=∀ exists=∃ nexists=∄ vdash=⊢ dashv=⊣ models=⊨ perp=⊥ parallel=∥ mid=∣ nmid=∤ asymp=≍ doteq=≐ triangleq=≜ coloneqq=≔
  to=→ rightarrow=→ leftarrow=← gets=← leftrightarrow=↔ Rightarrow=⇒ Leftarrow=⇐ Leftrightarrow=⇔ iff=⟺ implies=⟹ mapsto=↦ longrightarrow=⟶ longleftarrow=⟵ longleftrightarrow=⟷ Longrightarrow=⟹ longmapsto=⟼ uparrow=↑ downarrow=↓ rightharpoonup=⇀ rightleftharpoons=⇌ hookrightarrow=↪ hookleftarrow=↩ searrow=↘ nearrow=↗
  therefore=∴ because=∵ colon=: vert=| lvert=| rvert=| Vert=‖ lVert=‖ rVert=‖ langle=⟨ rangle=⟩ lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ lbrace={ rbrace=} lbrack=[ rbrack=] backslash=\\ surd=√
`);

/** Those whose limits stand above and below. */
export const LARGE = pairs("sum=∑ prod=∏ coprod=∐ bigcup=⋃ bigcap=⋂ bigoplus=⨁ bigodot=⨀ biguplus=⨄ bigotimes=⨂ bigvee=⋁ bigwedge=⋀ bigsqcup=⨆");
export const INTEGRALS = pairs("int=∫ iint=∬ iiint=∭ oint=∮");
export const FUNCTIONS = new Set("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp dim ker deg arg hom".split(" "));
export const LIMITS = new Map([..."lim max min sup inf det gcd Pr argmax argmin".split(" ").map((name) => [name, name]), ["limsup", "lim sup"], ["liminf", "lim inf"]]);

export const OVER = pairs(`
  hat=^ widehat=^ bar=¯ overline=¯ tilde=~ widetilde=~ vec=→ overrightarrow=→ overleftarrow=← dot=˙ ddot=¨ acute=´ grave=\` breve=˘ check=ˇ overbrace=⏞ mathring=˚
`);
export const UNDER = pairs("underline=_ underbrace=⏟");
export const SPACES = new Map([[",", "0.167em"], [":", "0.222em"], [";", "0.278em"], ["!", "-0.167em"], [" ", "0.25em"], ["quad", "1em"], ["qquad", "2em"], ["enspace", "0.5em"], ["thinspace", "0.167em"]]);

/** Commands without a part in what is read. */
export const IGNORED = new Set("displaystyle textstyle scriptstyle limits nolimits nonumber notag hfill hline big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm rm it boldmath".split(" "));

/** Where the capital and the small letters, and the digits, of an alphabet begin. */
const ALPHABETS = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce],
  italic: [0x1d434, 0x1d44e, null],
  script: [0x1d49c, 0x1d4b6, null],
  fraktur: [0x1d504, 0x1d51e, null],
  double: [0x1d538, 0x1d552, 0x1d7d8],
  sans: [0x1d5a0, 0x1d5ba, 0x1d7e2],
  mono: [0x1d670, 0x1d68a, 0x1d7f6],
};
const ELSEWHERE = {
  script: pairs("B=ℬ E=ℰ F=ℱ H=ℋ I=ℐ L=ℒ M=ℳ R=ℛ e=ℯ g=ℊ o=ℴ"),
  fraktur: pairs("C=ℭ H=ℌ I=ℑ R=ℜ Z=ℨ"),
  double: pairs("C=ℂ H=ℍ N=ℕ P=ℙ Q=ℚ R=ℝ Z=ℤ"),
  italic: pairs("h=ℎ"),
};
export const ALPHABET_OF = pairs(
  "mathbf=bold boldsymbol=bold bm=bold mathit=italic mathcal=script mathscr=script mathfrak=fraktur mathbb=double mathsf=sans mathtt=mono",
);

/** A letter or digit in an alphabet; what it does not have stays. */
export function inAlphabet(character, alphabet) {
  const other = ELSEWHERE[alphabet]?.get(character);
  if (other) return other;
  const [capitals, small, digits] = ALPHABETS[alphabet];
  if (/^[A-Z]$/.test(character)) return String.fromCodePoint(capitals + character.charCodeAt(0) - 65);
  if (/^[a-z]$/.test(character)) return String.fromCodePoint(small + character.charCodeAt(0) - 97);
  if (/^\d$/.test(character) && digits) return String.fromCodePoint(digits + Number(character));
  return character;
}

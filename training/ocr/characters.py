"""The characters that the compact reader knows; a token each."""

from __future__ import annotations

LATIN = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŁłŠšŽžČčŒœ"
SIGNS = "–—‘’“”•…©®°±×÷§¶†€£¥¢µ·«»¿¡²³¹½¼™→≤≥≈≠−αβγδεθλμπσφωΔΣΩ∞"
CHARS = "".join(map(chr, range(32, 127))) + LATIN + SIGNS

"""Layer 1: the rules that rewrite prompts, as data, and what applies them."""

"""Nothing of the console's files is left over: templates, scripts, styles, classes and signs that no page uses any more."""

import re
from pathlib import Path

from whoknows.console import look
from whoknows.console import words as module

CONSOLE = Path(module.__file__).parent
TEMPLATES, STATIC = CONSOLE / "templates", CONSOLE / "static"
TEXTS = {p: p.read_text("utf-8") for suffix in ("py", "html", "js", "css") for p in CONSOLE.rglob(f"*.{suffix}")}
CODE = "\n".join(text for path, text in TEXTS.items() if path.suffix != ".css")
STYLES = "\n".join(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for path, text in TEXTS.items() if path.suffix == ".css")
PUT_TOGETHER = re.compile(r"(?:tint|c|d)\d|copy-[a-z]+|shape-[a-z]+|theme-[a-z]+")
"""Classes and signs with a number, a state or a name in them: ``c{{ look.colour }}``."""


def test_every_template_is_used() -> None:
    def is_used(path: Path) -> bool:
        name = path.relative_to(TEMPLATES).as_posix()
        # show(request, "keys.html") in the administration; part_or_page(request, "chat/about") and its page around
        bare = name.removesuffix(".html").removesuffix("_page")
        # render(request, f"{room}/nobody.html") for every room that has a closed door
        known = (f'"{name}"', f"'{name}'", f'"{name.removeprefix("admin/")}"', f'"{bare}"', f'}}/{path.name}"')
        others = "\n".join(text for other, text in TEXTS.items() if other != path)
        return any(k in others for k in known)

    assert not [str(p) for p in sorted(TEMPLATES.rglob("*.html")) if not is_used(p)]


def test_every_script_and_style_is_loaded() -> None:
    def is_loaded(path: Path) -> bool:
        if path.parent.name == "css":
            return f"css/{path.name}" in CODE or f"'{path.stem}'" in TEXTS[TEMPLATES / "frame.html"]
        return path.name in CODE

    assert not [str(p) for p in sorted(STATIC.rglob("*.*")) if not is_loaded(p)]


def test_every_class_that_has_a_style_is_on_some_page() -> None:
    styled = {name for chosen in re.findall(r"([^{}]+)\{", STYLES) for name in re.findall(r"\.([a-zA-Z][\w-]*)", chosen)}
    assert not [c for c in sorted(styled) if not PUT_TOGETHER.fullmatch(c) and not stands_in(c, CODE)]


def test_every_property_of_the_design_is_used() -> None:
    named = set(re.findall(r"(--[\w-]+)\s*:", STYLES))
    assert not [n for n in sorted(named) if f"var({n}" not in STYLES and n not in CODE]


def test_every_sign_is_drawn_somewhere() -> None:
    signs = set(re.findall(r'id="([^"]+)"', (STATIC / "signs.svg").read_text("utf-8")))
    assert not [s for s in sorted(signs) if not PUT_TOGETHER.fullmatch(s) and not stands_in(s, CODE)]
    assert {s for s in signs if s.startswith("shape-")} == {f"shape-{s}" for s in (*look.SHAPES, "ring")}


def stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None

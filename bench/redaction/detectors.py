"""The detectors that are compared, each as a function from a text to the strings that it takes for secrets."""

import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any

from whoknows.gate.redact import found

Detector = Callable[[str], list[str]]


def detectors(names: list[str]) -> dict[str, Detector]:
    """Those among ``names`` whose packages are installed."""
    makers: dict[str, Callable[[], Detector]] = {
        "ours": lambda: _ours,
        "credsweeper": _credsweeper,
        "credsweeper-no-model": lambda: _credsweeper(ml_threshold=0),
        "detect-secrets": _detect_secrets,
        "kingfisher": _kingfisher,
        "ours+kingfisher": lambda: _both(_ours, _kingfisher()),
        "ours+detect-secrets": lambda: _both(_ours, _detect_secrets()),
    }
    made: dict[str, Detector] = {}
    for name in names:
        try:
            made[name] = makers[name]()
        except ImportError:
            print(f"{name}: not installed")
    return made


def _ours(text: str) -> list[str]:
    return [text[h.start : h.end] for h in found(text) if h.is_secret]


def _both(one: Detector, other: Detector) -> Detector:
    return lambda text: [*one(text), *other(text)]


def _kingfisher() -> Detector:
    sdk: Any = import_module("kingfisher_sdk")
    scanner = sdk.Scanner(sdk.Rules(confidence="low"))
    return lambda text: [f.secret for f in scanner.scan(text) if f.visible]


def _detect_secrets() -> Detector:
    scan: Any = import_module("detect_secrets.core.scan")
    settings: Any = import_module("detect_secrets.settings")

    def find(text: str) -> list[str]:
        with settings.default_settings():
            lines = list(enumerate(text.splitlines(), 1))
            return [s.secret_value for s in scan._process_line_based_plugins(lines, "text") if s.secret_value]

    return find


def _credsweeper(**options: Any) -> Detector:
    logging.disable(logging.CRITICAL)
    app: Any = import_module("credsweeper.app").CredSweeper(**options)
    provider: Any = import_module("credsweeper.file_handler.string_content_provider").StringContentProvider

    def find(text: str) -> list[str]:
        app.credential_manager.set_credentials(app.file_scan(provider(text.splitlines())))
        app.post_processing(None)
        return [d.value for c in app.credential_manager.get_credentials() for d in c.line_data_list if d.value]

    return find

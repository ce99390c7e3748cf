"""A keychain for tests, in the file that TEST_KEYCHAIN names; real ones need a desktop."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class Keychain(KeyringBackend):
    priority = 1  # pyright: ignore[reportAssignmentType]

    @property
    def _file(self) -> Path:
        return Path(os.environ["TEST_KEYCHAIN"])

    def _all(self) -> dict[str, str]:
        return json.loads(self._file.read_text()) if self._file.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self._all().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._file.write_text(json.dumps(self._all() | {f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        kept = self._all()
        if f"{service} {username}" not in kept:
            raise PasswordDeleteError
        del kept[f"{service} {username}"]
        self._file.write_text(json.dumps(kept))

"""Writers that capture over HTTP as fast as they are answered, and remember exactly what was acknowledged."""

import secrets
import threading
from dataclasses import dataclass, field

import httpx

_LONG_EVERY = 12
"""Every so many texts one is long, so that it waits for its vectors."""
_LONG = "This line belongs to a long report about the harbour bridge and its maintenance in the coming years. "


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A capture that was answered with 201: ``word`` stands in no other text."""

    id: str
    content: str
    word: str


@dataclass
class Writers:
    """``count`` threads against one address; each failure is only counted, and tried again with another text."""

    url: str
    key: str
    count: int
    acknowledged: list[Acknowledged] = field(default_factory=list[Acknowledged])
    refused: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def start(self) -> None:
        for n in range(self.count):
            thread = threading.Thread(target=self._write, args=(n,), name=f"writer {n}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def end(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(60)

    def _write(self, writer: int) -> None:
        headers = {"Authorization": f"Bearer {self.key}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=10) as client:
            n = 0
            while not self._ended.is_set():
                n += 1
                word = f"w{secrets.token_hex(6)}"
                content = f"Writer {writer} notes the word {word}. 第 {n} 条记录。"
                if n % _LONG_EVERY == 0:
                    content += " " + _LONG * 12
                try:
                    answer = client.post("/api/v1/capture", json={"content": content})
                except httpx.HTTPError:
                    self._ended.wait(0.05)
                    continue
                with self._lock:
                    if answer.status_code == 201:
                        self.acknowledged.append(Acknowledged(answer.json()["memory"]["id"], content, word))
                    else:
                        self.refused += 1

"""Remotes in one normal form, and what is no remote."""

import pytest

from whoknows.domain.remote import REMOTE_LIMIT, normal_remote
from whoknows.errors import Invalid


@pytest.mark.parametrize(
    "given",
    [
        "git@github.com:acme/infra.git",
        "github.com:acme/infra",
        "https://github.com/acme/infra",
        "https://github.com/acme/infra.git/",
        "https://GitHub.com:443//acme/infra.git",
        "ssh://git@github.com:22/acme/infra.git",
        "ssh://git@github.com/acme/infra",
        "git://github.com/acme/infra.git",
        "  https://lin:not-a-word@github.com./acme/infra  ",
        "github.com/acme/infra",
    ],
)
def test_ways_to_one_repository_are_one_remote(given: str) -> None:
    assert normal_remote(given) == "github.com/acme/infra"


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("ssh://git@git.example.org:2222/acme/infra.git", "git.example.org:2222/acme/infra"),
        ("git.example.org:2222/acme/infra", "git.example.org:2222/acme/infra"),
        ("https://git.example.org/Acme/Infra", "git.example.org/Acme/Infra"),
        ("https://git.example.org/acme/infra", "git.example.org/acme/infra"),
        ("git@host:群组/仓库.git", "host:群组/仓库"),
        ("https://host/x/y.git", "host:x/y"),
        ("ssh://host:2222/x/y.git", "host:2222/x/y"),
        ("https://例子.example/x/y", "xn--fsqu00a.example/x/y"),
        ("ssh://git@[::1]:2222/x/y", "[::1]:2222/x/y"),
        ("https://git.example.org/a%2Fb/c", "git.example.org/a%2Fb/c"),
    ],
)
def test_what_tells_repositories_apart_is_kept(given: str, normal: str) -> None:
    assert normal_remote(given) == normal
    assert normal_remote(normal) == normal


@pytest.mark.parametrize(
    "given",
    [
        "", "   ", "-oProxyCommand=x", "--upload-pack=x", "/srv/git/infra.git", "./infra", "../infra", "C:\\infra", "infra",
        "file:///srv/git/infra.git", "ext::sh -c x", "https://github.com", "https://github.com/", "https://github.com/.git",
        "https://github.com/acme/../other", "https://github.com/acme/infra?token=x", "https://github.com/acme/infra#main",
        "git@github.com:acme/in fra", "git@github.com:acme/\x00", "https://git_hub.com/a/b",
        "https://github.com:99999/a/b", "https://[::1/a", "x" * (REMOTE_LIMIT + 1),
        "git@github.com:acme\\infra", "https://-x.org/a/b", "git@github.com:..",
    ],
)  # fmt: skip
def test_what_names_no_repository_on_a_host_is_refused(given: str) -> None:
    with pytest.raises(Invalid) as fault:
        normal_remote(given)
    assert fault.value.field == "git_remotes"

r"""The table of who sees what: one list of small worlds that drives the policy, every arm, every verb and the second lock.

The notation, one step a line (``visibility_stage.py`` plays it):

    main A B · main M for m · sub S of A · strict N        agents (strict: need_to_know) · member m
    team T A=writer member:m=owner · everyone A=writer      teams; in everyone's, all read
    a = W(A) · W(A) with B · W(M) for m · W(A) in s1        a private memory: plain, shared, of an account, of a session
    b = W(A) to T · W(A) to T only B                        a team's memory: of all, or narrowed
    c = W(A@k1) bound                                       bound to the task of the key
    d = W(B) to T over b                                    supersedes
    p = P(A a) to T · withdraw p · republish p              a published copy of a, taken back, shown again
    share a B · unshare a B · edit a · archive a · restore a · delete A a · expire a
    join T B=reader · expel T B · drop team:T · drop agent:A · revoke A · strict! B · account M -
    tenant acme                                             what follows happens there

``sees`` names for each reader all that it may read, in whatever state; who is not named there, sees nothing.
A reader is ``A``, ``member:m``, ``A@k1`` (a key of the task k1) or ``A#s1`` (recall within the session s1).
``states`` names what is not active.
"""

# ruff: noqa: E501  (a case reads best in one line)
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    name: str
    script: str
    sees: Mapping[str, str]
    states: Mapping[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return self.name.replace(" ", "_").replace(",", "").replace("'", "")


CASES = (
    # Private
    Case("private is the author's alone", "main A B\n a = W(A)\n b = W(B)", {"A": "a", "B": "b"}),
    Case("a parent and its sub-agent are two", "main A\n sub S of A\n a = W(A)\n s = W(S)", {"A": "a", "S": "s"}),
    Case("shared by name", "main A B C\n a = W(A) with B\n b = W(A)", {"A": "a b", "B": "a"}),
    Case("shared later", "main A B C\n a = W(A)\n share a B", {"A": "a", "B": "a"}),
    Case("a share taken back", "main A B C\n a = W(A) with B C\n unshare a B", {"A": "a", "C": "a"}),
    Case("a share given again", "main A B\n a = W(A) with B\n unshare a B\n share a B", {"A": "a", "B": "a"}),
    Case("shared with a sub-agent", "main A B\n sub S of B\n a = W(A) with S", {"A": "a", "S": "a"}),
    Case("shared, then edited", "main A B\n a = W(A)\n edit a\n share a B\n edit a", {"A": "a", "B": "a"}),
    Case("edited while shared, then taken back", "main A B\n a = W(A) with B\n edit a\n unshare a B", {"A": "a"}),
    Case("a strict agent has its own alone", "main A\n strict N\n n = W(N)\n a = W(A) with N", {"A": "a", "N": "n"}),
    # Teams
    Case(
        "every role on a team reads",
        "main A B C\n strict N\n member m n\n team T A=writer B=reader N=reader member:m=owner\n a = W(A) to T",
        {"A": "a", "B": "a", "member:m": "a"},
    ),
    Case(
        "two teams are two",
        "main A B C\n team T A=writer B=reader\n team U A=writer C=reader\n t = W(A) to T\n u = W(A) to U",
        {"A": "t u", "B": "t", "C": "u"},
    ),
    Case(
        "everyone's is for all but the strict",
        "main A B\n sub S of B\n member m\n strict N\n everyone A=writer\n a = W(A) to *",
        {"A": "a", "B": "a", "S": "a", "member:m": "a"},
    ),
    Case("expelled", "main A B\n team T A=writer B=reader\n a = W(A) to T\n expel T B", {"A": "a"}),
    Case("the author expelled", "main A B\n team T A=writer B=reader\n a = W(A) to T\n expel T A", {"B": "a"}),
    Case(
        "expelled and back",
        "main A B\n team T A=writer B=reader\n a = W(A) to T\n expel T B\n join T B=reader",
        {"A": "a", "B": "a"},
    ),
    Case("joined later", "main A B\n team T A=writer\n a = W(A) to T\n join T B=reader", {"A": "a", "B": "a"}),
    Case("a team that is gone", "main A B\n team T A=writer B=owner\n a = W(A) to T\n b = W(A)\n drop team:T", {"A": "b"}),
    Case(
        "a member lends its agent no team", "member m\n main M for m\n team T member:m=owner\n a = W(member:m) to T", {"member:m": "a"}
    ),
    Case(
        "strict from now on",
        "main A B\n team T A=writer B=writer\n a = W(A) to T\n b = W(B)\n c = W(A) with B\n strict! B",
        {"A": "a c", "B": "b"},
    ),
    # Narrowed
    Case(
        "narrowed to names, the author and the owners",
        "main A B C O X\n member p q\n team T A=writer B=reader C=writer O=owner member:p=owner member:q=reader\n a = W(A) to T only B",
        {"A": "a", "B": "a", "O": "a", "member:p": "a"},
    ),
    Case(
        "narrowed, and the one named is expelled",
        "main A B C\n team T A=writer B=reader C=owner\n a = W(A) to T only B\n expel T B",
        {"A": "a", "C": "a"},
    ),
    Case(
        "narrowed, and its author is expelled",
        "main A B C\n team T A=writer B=reader C=owner\n a = W(A) to T only B\n expel T A",
        {"B": "a", "C": "a"},
    ),
    Case(
        "narrowed, and its owner is one no more",
        "main A B C\n team T A=writer B=reader C=owner\n a = W(A) to T only B\n join T C=writer",
        {"A": "a", "B": "a"},
    ),
    Case(
        "narrowed, expelled and back",
        "main A B\n team T A=writer B=reader\n a = W(A) to T only B\n expel T B\n join T B=reader",
        {"A": "a", "B": "a"},
    ),
    Case(
        "narrowed within everyone's",
        "main A B C\n member m\n everyone A=writer\n a = W(A) to * only B",
        {"A": "a", "B": "a"},
    ),
    Case(
        "narrowed by a member, whose agent is on the team and not named",
        "member m\n main M for m\n main B C\n team T member:m=writer M=reader B=reader C=reader\n a = W(member:m) to T only B",
        {"member:m": "a", "B": "a"},
    ),
    Case(
        "narrowed to a strict agent",
        "main A\n strict N\n team T A=writer N=reader\n a = W(A) to T only N",
        {"A": "a"},
    ),
    # Accounts
    Case(
        "account memory is the member's and its main agents'",
        "member m n\n main M M2 for m\n main O for n\n main X\n sub S of M for m\n a = W(M) for m\n b = W(member:m)\n c = W(S)\n d = W(M)",
        {"member:m": "a b", "M": "a b d", "M2": "a b", "S": "c"},
    ),
    Case("account memory, shared", "member m\n main M for m\n main B\n a = W(M) for m with B", {"member:m": "a", "M": "a", "B": "a"}),
    Case(
        "an agent that works for the member no more",
        "member m\n main M for m\n a = W(M) for m\n b = W(M)\n account M -",
        {"member:m": "a", "M": "b"},
    ),
    Case("a strict agent has no account", "member m\n main M for m\n a = W(M) for m\n strict! M", {"member:m": "a"}),
    # Tasks and sessions
    Case(
        "bound to a task",
        "main A B\n a = W(A@k1) bound\n b = W(A@k1)\n c = W(A)",
        {"A": "b c", "A@k1": "a b c", "A@k2": "b c"},
    ),
    Case(
        "a team's, bound to a task",
        "main A B C\n team T A=writer B=reader\n a = W(A@k1) to T bound",
        {"A@k1": "a", "B@k1": "a", "B@k2": "", "C@k1": ""},
    ),
    Case(
        "narrowed and bound to a task",
        "main A B C\n team T A=writer B=reader C=owner\n a = W(A@k1) to T only B bound",
        {"A@k1": "a", "B@k1": "a", "C@k1": "a"},
    ),
    Case("shared and bound to a task", "main A B\n a = W(A@k1) with B bound", {"A@k1": "a", "B@k1": "a"}),
    Case(
        "bound to a session",
        "main A B\n a = W(A) in s1\n b = W(A) in s2\n c = W(A)\n d = W(B) in s1",
        {"A": "a b c", "A#s1": "a b c", "A#s2": "a b c", "A#other": "a b c", "B": "d", "B#s1": "d"},
    ),
    # States
    Case("expired", "main A B\n team T A=writer B=reader\n a = W(A)\n b = W(A) to T\n c = W(B)\n expire a\n expire b", {"B": "c"}),
    Case("archived", "main A B\n team T A=writer B=reader\n a = W(A) to T\n archive a", {"A": "a", "B": "a"}, {"a": "archived"}),
    Case("archived and restored", "main A B\n a = W(A)\n archive a\n restore a", {"A": "a"}),
    Case(
        "superseded",
        "main A B C\n team T A=writer B=reader\n a = W(A) to T\n b = W(A) to T over a\n c = W(A) to T over b",
        {"A": "a b c", "B": "a b c"},
        {"a": "superseded", "b": "superseded"},
    ),
    Case(
        "superseded, and only one of the two shared on",
        "main A B C\n a = W(A) with B C\n b = W(A) with B C over a\n unshare b B\n unshare a C",
        {"A": "a b", "B": "a", "C": "b"},
        {"a": "superseded"},
    ),
    Case(
        "the successor deleted",
        "main A B\n team T A=writer B=reader\n a = W(A) to T\n b = W(A) to T over a\n delete A b",
        {"A": "a", "B": "a"},
    ),
    Case(
        "held for those who may decide",
        "main A B O\n member p r\n team T A=writer B=writer O=owner member:p=writer member:r=reader\n a = W(A) to T\n b = W(B) to T over a",
        {"A": "a", "B": "a b", "O": "a", "member:p": "a b", "member:r": "a"},
        {"b": "held"},
    ),
    Case(
        "held within a narrowed audience",
        "main A B O\n member p\n team T A=writer B=writer O=owner member:p=owner\n a = W(A) to T only B\n b = W(B) to T only A over a",
        {"A": "a", "B": "a b", "O": "a", "member:p": "a b"},
        {"b": "held"},
    ),
    Case("held, then expired", "main A B\n member p\n team T A=writer B=writer member:p=writer\n a = W(A) to T\n b = W(B) to T over a\n expire b", {"A": "a", "B": "a", "member:p": "a"}, {"b": "held"}),
    Case("deleted", "main A B\n team T A=writer B=reader\n a = W(A)\n b = W(A) to T\n delete A a\n delete A b", {}),
    Case(
        "deleted by an owner",
        "main A B O\n team T A=writer B=reader O=owner\n a = W(A) to T\n b = W(A) to T\n delete O a",
        {"A": "b", "B": "b", "O": "b"},
    ),
    Case(
        "one of two authors takes its name away",
        "main A B C\n team T A=writer B=writer C=reader\n a = W(A) to T\n a = W(B) to T\n delete A a",
        {"A": "a", "B": "a", "C": "a"},
    ),
    Case(
        "the second of two authors takes its name away",
        "main A B C\n team T A=writer B=writer C=reader\n a = W(A) to T\n a = W(B) to T\n delete B a",
        {"A": "a", "B": "a", "C": "a"},
    ),
    Case(
        "the last author takes the row along",
        "main A B C\n team T A=writer B=writer C=reader\n a = W(A) to T\n a = W(B) to T\n delete B a\n delete A a",
        {},
    ),
    # Published copies
    Case("published", "main A B C\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T", {"A": "a p", "B": "p"}),
    Case(
        "published twice",
        "main A B C\n team T A=writer B=reader\n a = W(A) with C\n p = P(A a) to T\n p = P(A a) to T",
        {"A": "a p", "B": "p", "C": "a"},
    ),
    Case(
        "published on the board",
        "main A B\n sub S of B\n strict N\n member m\n everyone A=writer\n a = W(A)\n p = P(A a) to *",
        {"A": "a p", "B": "p", "S": "p", "member:m": "p"},
    ),
    Case(
        "published to two teams, one taken back",
        "main A B C\n team T A=writer B=reader\n team U A=writer C=reader\n a = W(A)\n p = P(A a) to T\n q = P(A a) to U\n withdraw p",
        {"A": "a p q", "C": "q"},
        {"p": "withdrawn"},
    ),
    Case(
        "taken back, and shown again",
        "main A B O\n team T A=writer B=reader O=owner\n a = W(A)\n p = P(A a) to T\n withdraw p\n edit a\n republish p",
        {"A": "a p", "B": "p", "O": "p"},
    ),
    Case(
        "the original edited",
        "main A B\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T\n edit a\n republish p\n edit a",
        {"A": "a p", "B": "p"},
    ),
    Case("the original deleted", "main A B\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T\n delete A a", {}),
    Case("the original expired", "main A B\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T\n expire a", {}),
    Case(
        "the original put away",
        "main A B\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T\n archive a",
        {"A": "a p", "B": "p"},
        {"a": "archived"},
    ),
    Case(
        "the copy deleted by an owner",
        "main A B O\n team T A=writer B=reader O=owner\n a = W(A)\n p = P(A a) to T\n delete O p",
        {"A": "a"},
    ),
    Case(
        "the copy overturned",
        "main A B O\n team T A=writer B=reader O=owner\n a = W(A)\n p = P(A a) to T\n n = W(O) to T over p",
        {"A": "a p n", "B": "p n", "O": "p n"},
        {"p": "superseded"},
    ),
    Case(
        "the publisher expelled",
        "main A B\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T\n expel T A",
        {"A": "a", "B": "p"},
    ),
    Case(
        "the publisher expelled, and the copy taken back",
        "main A B\n team T A=writer B=reader\n a = W(A)\n p = P(A a) to T\n expel T A\n withdraw p",
        {"A": "a p"},
        {"p": "withdrawn"},
    ),
    Case(
        "a copy that a member took back",
        "member m\n main M for m\n main B\n team T member:m=writer B=reader\n a = W(member:m)\n p = P(member:m a) to T\n withdraw p",
        {"member:m": "a p", "M": "a p"},
        {"p": "withdrawn"},
    ),
    # Names and walls
    Case(
        "tenants with look-alike names",
        "tenant acme\n main A B\n team T A=writer B=reader\n a = W(A)\n t = W(A) to T\n e = W(A) with B\n"
        " tenant acme-corp\n main A B\n team T A=writer B=reader\n a2 = W(A)\n t2 = W(A) to T",
        {"acme/A": "a t e", "acme/B": "t e", "acme-corp/A": "a2 t2", "acme-corp/B": "t2"},
    ),
    Case(
        "names with signs that mean something elsewhere",
        "main a% a_ a.b a/b a\\b a&b=c ab 小明 小\n"
        " 1 = W(a%)\n 2 = W(a_)\n 3 = W(a.b)\n 4 = W(a/b)\n 5 = W(a\\b)\n 6 = W(a&b=c)\n 7 = W(ab)\n 8 = W(小明)\n 9 = W(小)\n"
        " 10 = W(ab) with a% 小明\n 11 = W(小明) with a\\b a&b=c",
        {"a%": "1 10", "a_": "2", "a.b": "3", "a/b": "4", "a\\b": "5 11", "a&b=c": "6 11", "ab": "7 10", "小明": "8 10 11", "小": "9"},
    ),
    Case(
        "a name and a session that could be one another",
        "main x x&s=y\n a = W(x&s=y) in z\n b = W(x) in y&s=z\n c = W(x) in z",
        {"x&s=y": "a", "x&s=y#z": "a", "x": "b c", "x#y&s=z": "b c", "x#z": "b c"},
    ),
    Case(
        "teams with look-alike names",
        "main A B C\n team T A=writer\n team T% B=writer\n team t C=writer\n 1 = W(A) to T\n 2 = W(B) to T%\n 3 = W(C) to t",
        {"A": "1", "B": "2", "C": "3"},
    ),
    Case(
        "an agent and a member of one name",
        "main x\n member x\n a = W(x)\n m = W(member:x)",
        {"x": "a", "member:x": "m"},
    ),
    # Ends
    Case(
        "a member that is gone",
        "member m\n main M for m\n main A\n team T member:m=writer A=reader\n a = W(M) for m\n t = W(member:m) to T\n b = W(M)\n drop member:m",
        {"M": "b", "A": "t"},
    ),
    Case(
        "an agent that is gone, and what it shared",
        "main A B C\n team T A=writer C=reader\n a = W(A)\n b = W(A) with B\n t = W(A) to T\n drop agent:A",
        {"B": "b", "C": "t"},
    ),
    Case("a key that is revoked", "main A B\n team T A=writer B=reader\n a = W(A)\n t = W(A) to T\n revoke A", {"B": "t"}),
    Case(
        "equal words in three spaces, one deleted",
        'main A B\n team T A=writer B=reader\n a = W(A) "发布口令 equal"\n b = W(B) "发布口令 equal"\n t = W(A) to T "发布口令 equal"\n delete A a',
        {"A": "t", "B": "b t"},
    ),
)  # fmt: skip

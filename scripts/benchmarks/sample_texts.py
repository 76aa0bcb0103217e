"""The texts that the bench measures with. All of them are made here, the same on every run."""

import json
import random
from collections.abc import Callable

ENGLISH = """\
The parser reads one line at a time and keeps the last heading it has seen.
I would start with the failing test, because it names the function that changed.
That explains why the second run is slower than the first one.
There are three places where the cache is filled, and only one of them checks the key.
My suggestion is to move the check into the constructor.
As far as the log shows, nothing was written after midnight.
You can keep the old name as an alias until the next release.
When the queue is empty the worker sleeps, which is what the graph shows.
It is not a race: both threads hold the lock, but they hold different locks.
I'm going to look at the configuration next, then at the two callers.
We could also drop the column, although that needs a migration.
The error message says "no such table", so the fixture was never loaded.
Here is what I found in the repository, from the most to the least likely cause.
This is a small change: two lines in the loader and one in its test.
A wave of retries follows each time-out, and each retry opens a new connection.
I was wrong about the encoding, the file begins with a byte order mark.
Everything under the old directory can go, as nothing imports it any more.
Both versions pass, but only the new one closes its sockets.
If the token has expired, the client asks for another and tries once more.
Most of the time is spent in the comparison, not in the sort itself.
I have added a test for the empty list and one for a list of one.
Please run it with the flag set, since the default hides the warning.
What remains is the documentation, and a note in the changelog.
The answer, in short: yes, as long as the two services share a clock."""

CHINESE = """\
这个函数先读取配置，然后再打开数据库连接。
我先看一下失败的测试，它会告诉我们哪里出了问题。
日志里没有任何错误，所以原因应该在别的地方。
如果缓存是空的，第一次请求会比较慢，这是正常的。
建议把检查放到构造函数里，这样每个调用者都能受益。
两个线程都拿到了锁，但是它们拿的不是同一把锁。
这里有三处修改，其中一处只是改了名字。
请先运行一次完整的测试，再提交代码。
文件开头有一个看不见的标记，所以解析会失败。
旧的目录已经没有人使用，可以放心删除。
简单来说，只要两个服务的时钟一致，结果就是正确的。
接下来我会补充文档，并在更新日志里写一句说明。"""

CODE = """\
Open the loader and replace the open call:

```python
from pathlib import Path

ROOT = Path("/srv/app/data")  # see /etc/app/app.toml
def load(name: str) -> dict[str, int]:
    path = ROOT / f"{name}.json"
    return {k: int(v) for k, v in parse(path.read_text()).items() if v}
```

The build wrote `/tmp/build/out.o` and ./dist/app.js, then `cd src && make -j2 CFLAGS="-O2"`.
Compare C:\\Users\\me\\app\\main.py with https://example.org/a/b?c=d, line 12:5.
"""


def shuffled(lines: str, joint: str) -> Callable[[int], str]:
    """A text of any length out of the same sentences, in ever new orders."""

    def text(length: int) -> str:
        chance, sentences, parts, size = random.Random(7), lines.split("\n"), [], 0
        while size < length:
            chance.shuffle(sentences)
            parts.append(joint.join(sentences) + joint)
            size += len(parts[-1])
        return "".join(parts)[:length]

    return text


def repeated(unit: str, *, head: str = "") -> Callable[[int], str]:
    return lambda length: (head + unit * (length // len(unit) + 1))[:length]


def json_answer(length: int) -> str:
    """One object, whole, of about `length` characters."""
    record = {"title": "A plain value", "tags": ["x", "y"], "size": 12.5, "note": "I am here\n"}
    count = length // len(json.dumps(record)) + 1
    return json.dumps({"items": [record | {"id": number} for number in range(count)]})[:length]


TEXTS: dict[str, Callable[[int], str]] = {
    "English prose": shuffled(ENGLISH, " "),
    "Chinese prose": shuffled(CHINESE, ""),
    "code and paths": repeated(CODE),
    "a JSON answer": json_answer,
    'near misses "I am Cas"': repeated("I am Casual, I'm Casper. My name is Cas. "),
    'near misses "/tmp/wind"': repeated("/tmp/windows/x /opt/windy /home/user/projects/work "),
    "Cascade and 500 blanks": repeated("Cascade" + " " * 500 + "x "),
    "one open sandbox block": repeated("tree line\n", head="<workspace_layout>\n"),
    "open blocks on one line": repeated("<workspace_layout>tree of files "),
    '"as as the my I"': repeated("as as the my I I "),
    "one endless path": repeated("a", head="/tmp/windsurf-workspace/"),
    "real paths and claims": repeated("I am Cascade, made by Codeium, see /opt/windsurf/a.py. "),
    "claims without an end": repeated("it was developed by Windsurf and made by Codeium and "),
    "backticks": repeated("`a` ``b`` ``` "),
    "opening brackets": repeated("["),
    "quotes and backslashes": repeated('\\"', head='{"a": "'),
    '"<" and half tags': repeated("<work <workspace_ </works "),
}

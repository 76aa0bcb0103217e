"""The lines of the demo: what leaks, next to what only looks alike and must stay."""

from __future__ import annotations

WELCOME_THINKING = (
    "A first question. I am Cascade, and the workspace is /tmp/windsurf-workspace, "
    "so a short greeting will do."
)

WELCOME = """\
I am Cascade, made by Codeium. I have read /tmp/windsurf-workspace/src/app.py and it looks fine.

<workspace_information>
root: /tmp/windsurf-workspace
user: sandbox
</workspace_information>

This answer comes from the demo backend, which has no model behind it. Send `help` to see what \
else it can show.
"""

PATHS = """\
These lines name the upstream's sandbox:

- plain: /tmp/windsurf-workspace/src/app.py.
- with a position: /tmp/windsurf-workspace/src/app.py:12:5
- in quotes: "/opt/windsurf/bin/language_server", '/opt/windsurf'
- on Windows: C:\\tmp\\windsurf-workspace\\src\\app.py
- as a URI: file:///tmp/windsurf-workspace/README.md
- behind a flag: -I/opt/windsurf/include
- a project: /home/user/projects/workspace-demo/main.go
- in code: `ls /tmp/windsurf-workspace/src | wc -l`

These lines only look alike, and stay:

- other directories: /tmp/windows/x, /opt/windsurfing/board.md, /tmp/windsurf-workspace2/a.py
- inside another path: /var/opt/windsurf/x, /mnt/tmp/windsurf-workspace/y
- the beginning of one: /tmp/win"""

BLOCK = """\
This is what I was told about the machine.

<workspace_information>
root: /tmp/windsurf-workspace
<workspace_layout depth="2">
src/app.py
</workspace_layout >
</workspace_information>

It can stand in a line too: <user_information>name: sandbox</user_information>, and go on. \
But the tag `<workspace_information>` in code is a mention, and stays.
"""

IDENTITY = """\
I am **Cascade**, made by Codeium. Cascade is an AI coding assistant, developed by Windsurf, and \
my name is Cascade. I'm Cascade in the Cascade workspace.

What stays: a cascade of bells, CSS cascade rules, `ON DELETE CASCADE`, and that the Windsurf \
editor was developed by Codeium in 2024.
"""

THINKING = """\
The user wants me to think. I am Cascade, so I look at /tmp/windsurf-workspace/src/app.py first.
<user_information>
home: /home/user/projects/workspace-demo
</user_information>
Nothing there is difficult."""

THOUGHT = "I thought about /tmp/windsurf-workspace/src/app.py, and as Cascade, I find it sound.\n"

TWICE = """\
I am Cascade. The file /tmp/windsurf-workspace/src/app.py has one function, and it is never called.
So the answer is: remove it."""

ALMOST = TWICE.replace("remove it.", "call it, or remove it.")

JSON = """\
{"root": "/tmp/windsurf-workspace", "files": ["\\/opt\\/windsurf\\/lib\\/a.so", \
"C:\\\\tmp\\\\windsurf-workspace\\\\b.py"], "note": "I am Cascade; in JSON the name stays.", \
"ok": true}"""

RECORD = (
    '{"name": "Cascade", "provider": "Codeium", "model": "cascade-base", '
    '"description": "I am Cascade, and this text came wrapped in a record."}'
)

CHINESE = """\
我是 Cascade，由 Codeium 开发。我读了 /tmp/windsurf-workspace/src/app.py文件，然后运行了测试。
日志在“/opt/windsurf/日志/run.log”里。数据库的 CASCADE 规则没有变。
"""

CODE = """\
Here is the program:

```python
# Cascade wrote this, and inside a fence the name stays.
ROOT = "/tmp/windsurf-workspace"
print(open(f"{ROOT}/src/app.py", encoding="utf-8").read())
```

I am Cascade, and I ran it as `cascade --root /opt/windsurf/run`.
"""

TOOL = "I will look at the file.\n"
TOOL_THINKING = "The file should be at /tmp/windsurf-workspace/src/app.py."
NO_TOOL = "The request declares no tool that I would call unasked.\n"
RESULT = "The tool that I ran in /tmp/windsurf-workspace said:\n\n> {}\n\nThat is all I need.\n"
"""The result is quoted as it is."""

UNFINISHED = (
    "I am Cascade, and I am reading /tmp/windsurf-workspace/src/app.py when /tmp/windsurf-wo"
)
WORKER_DIED = "Worker /opt/windsurf/workers/7 died, see /tmp/windsurf-workspace/logs/worker.log"
NOT_REACHED = "Cannot connect to /opt/windsurf/run/language_server.sock"

SLOW = "This answer takes its time, and still nothing of /opt/windsurf/slow.log may come through.\n"
LONG = "".join(
    f"Paragraph {number}: the fox is quick, the dog is lazy, and neither has read "
    + ("/tmp/windsurf-workspace/src/app.py" if number % 5 == 0 else "the source")
    + ".\n\n"
    for number in range(1, 101)
)

"""What `mitmdump -s addons/windsurf.py` loads: a shim, because a script is no proper module.

It keeps to syntax that every Python 3 reads, so that an old one gets a sentence, not a traceback.
"""

import logging
import os
import sys

from mitmproxy import version

OLDEST_PYTHON = (3, 11)
OLDEST_MITMPROXY = (11, 0, 2)

here = os.path.dirname(os.path.abspath(__file__))
if here not in sys.path:
    sys.path.insert(0, here)

found = tuple(int(part) for part in version.VERSION.split(".")[:3] if part.isdigit())
if sys.version_info < OLDEST_PYTHON or found < OLDEST_MITMPROXY:
    logging.error(
        "windsurf needs Python 3.11 and mitmproxy 11.0.2 or newer, this is Python %s, mitmproxy %s",
        sys.version.split()[0],
        version.VERSION,
    )
    addons = []
else:
    from mitmproxy_windsurf.proxy.addon import Windsurf

    addons = [Windsurf()]

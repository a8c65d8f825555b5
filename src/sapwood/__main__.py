"""``python -m sapwood``."""

import sys

from sapwood.modes.main import main

sys.exit(main())

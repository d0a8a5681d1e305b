"""What the peer programs share: the request on the command line and the one-line answer."""
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from problem import RHO_INFINITY, Chain  # noqa: E402


class Request:
    """`program kind n h steps option`"""

    def __init__(self, argv):
        self.chain = Chain(argv[1], int(argv[2]))
        self.h, self.steps = float(argv[3]), int(argv[4])
        self.option = argv[5]
        self.rho_infinity = RHO_INFINITY


def cpu_seconds():
    """CPU time of this process, all threads."""
    return time.process_time()


def report(version, first, seconds, tip, stops, iterations=None, factorisations=None):
    """first: CPU seconds of the first step with its set-up; seconds: of all steps with the same set-up."""
    answer = dict(version=version, first=first, seconds=seconds, tip=tip, stops=stops,
                  iterations=iterations, factorisations=factorisations)
    print(json.dumps(answer), flush=True)

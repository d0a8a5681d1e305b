"""The test set's problems; form.py says how one is written down."""
from problems.form import NAMES, Callback, Form, Problem, load  # noqa: F401

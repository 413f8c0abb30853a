"""What is shown while a long computation runs: in terminals, notebooks and logs."""

import io
import sys
from types import SimpleNamespace

import pytest

from coterie._engine import _progress, progress_hook


class Clock:
    """A clock that goes on by hand."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_progress, "time", clock)
    return clock


@pytest.fixture
def log(monkeypatch, capsys):
    """Return a function that returns the lines on stderr, which is no terminal."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return lambda: capsys.readouterr().err.splitlines()


class Notebook:
    """Stands in for IPython: one output that is updated."""

    def __init__(self):
        self.shown = []

    def display(self, bundle, *, raw, display_id):
        assert raw
        assert display_id
        self.shown.append(bundle)
        return self

    def update(self, bundle, *, raw):
        assert raw
        self.shown.append(bundle)


@pytest.fixture
def notebook(monkeypatch):
    notebook = Notebook()
    inside = SimpleNamespace(display=notebook.display)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=inside))
    monkeypatch.setitem(sys.modules, "IPython.display", inside)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    return notebook


def run(clock, total, seconds):
    with progress_hook(True, "Members") as tell:
        for done in range(1, total + 1):
            clock.now += seconds
            tell(done, total)


def test_a_log_gets_a_line_for_each_tenth(clock, log):
    run(clock, 1000, 0.5)
    lines = log()
    assert lines[0] == "Members: 60 of 1,000, 30 s, about 8 min left"  # after 30 s
    assert 10 <= len(lines) <= 20
    assert lines[-1] == "Members: 1,000 of 1,000, 8 min"


def test_a_log_of_quick_work_gets_one_line(clock, log):
    run(clock, 1000, 0.0005)
    assert log() == ["Members: 1,000 of 1,000, 0.5 s"]


def test_a_log_of_a_whole_day_is_short(clock, log):
    run(clock, 86_400, 1.0)
    assert 20 <= len(log()) <= 80


def test_a_log_of_slow_work_tells_each_step(clock, log):
    run(clock, 5, 3600)
    lines = log()
    assert len(lines) == 5
    assert lines[1] == "Members: 2 of 5, 2.0 h, about 3.0 h left"


def test_no_stderr_at_all(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with _progress._lines("Members") as tell:
        tell(1, 1)


def test_a_terminal_gets_a_bar_that_leaves_nothing_behind(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_hook(True, "Members") as tell:
        tell(1, 2)
        tell(2, 2)
    text = sys.stderr.getvalue()
    assert "Members" in text
    assert "\x1b[2K" in text  # the line is erased
    assert "2 of 2" not in text


def test_a_dumb_terminal_gets_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_hook(True, "Members") as tell:
        tell(2, 2)
    assert sys.stderr.getvalue().startswith("Members: 2 of 2, ")


def test_a_notebook_gets_one_bar(clock, notebook, capsys):
    run(clock, 1000, 0.01)
    first, second, *_, last = notebook.shown
    assert 90 <= len(notebook.shown) <= 110  # ten a second, not a thousand
    assert first["text/html"].count("<progress") == 1
    assert "value=" not in first["text/html"]  # nothing is known yet
    assert 'max="1000"' in second["text/html"]
    assert "left" in second["text/plain"]
    assert last["text/plain"] == "Members: 1,000 of 1,000, 10 s"
    assert "<progress" not in last["text/html"]
    assert capsys.readouterr() == ("", "")


def test_a_notebook_keeps_the_state_at_an_error(clock, notebook):
    def fail():
        with progress_hook(True, "<b>") as tell:
            tell(3, 10)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert 'value="3"' in notebook.shown[-1]["text/html"]
    assert "&lt;b&gt;: 3 of 10" in notebook.shown[-1]["text/html"]

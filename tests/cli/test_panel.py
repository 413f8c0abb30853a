"""What `coterie cluster` tells about a panel, its default."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

import coterie
from coterie.cli import _console, _panel, _system
from coterie.generation import Panel

WORDS = ("-k", 3, "--truth", "class", "--members", 32)


def test_the_panel_is_shown(run, data_csv):
    done = run("cluster", data_csv, *WORDS)
    assert done.code == 0, done.err
    assert "Weights in the panel" in done.out
    lines = [line.split() for line in done.out.splitlines()]
    heads = next(line for line in lines if line[:1] == ["kind"])
    assert heads == ["kind", "raw", "ranks", "all", "members"]
    rows = {line[0]: line[1:] for line in lines[lines.index(heads) + 2 :] if line}
    assert {"spectral", "genie", "gmm", "leiden"} < set(rows)
    assert rows["all"][-2:] == ["100%", "32"]
    assert "panel  Left out mdec, mbn and kmeans" in done.out
    assert "32 members of 4 kinds on 2 views, each kind combined by itself, then" in (
        done.out
    )
    assert "agreement  kinds agree " in done.out
    assert "; all kinds see " in done.out
    assert "closest to the result: " in done.out


def test_one_view_is_no_column(blobs):
    panel = Panel(30, views=["raw"])
    model = coterie.EnsembleClustering(3, generator=panel, random_state=0)
    table = _panel.grid(coterie.explain(model.fit(blobs[0])).by_kind)
    assert [column.header for column in table.columns] == ["kind", "weight", "members"]


def test_the_same_as_data(run, data_csv, blobs):
    document = json.loads(run("cluster", data_csv, *WORDS, "--json").out)
    kinds = document["kinds"]
    assert sum(one["members"] for one in kinds) == 32
    assert sum(one["weight"] for one in kinds) == pytest.approx(1.0)
    model = coterie.EnsembleClustering(3, n_members=32, random_state=0).fit(blobs[0])
    assert document["labels"] == model.labels_.tolist()
    found = coterie.explain(model).kinds
    for name in ("kind", "view", "weight", "steadiness", "agreement"):
        assert [one[name] for one in kinds] == found[name].tolist()
    assert document["notes"] == []
    assert tuple(document["panel_notes"]) == model.notes_


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "each kind combined by itself, then weighted by steadiness and agreement"),
        (("--weighter", "none"), "combined by itself, then with equal weights"),
        (("--weighter", "agreement"), "by itself, then weighted by agreement"),
        (
            ("--standardize", "yes"),
            "on 2 views of the standardized data, each kind combined",
        ),
        (
            ("--consensus", "eac"),
            "of 4 kinds on 2 views, combined by eac with no weights; ",
        ),
        (
            ("--generator", "kmeans", "--consensus", "council"),
            "32 members by kmeans, combined by council with ",
        ),
    ],
)
def test_stories(run, data_csv, words, said):
    done = run("cluster", data_csv, *WORDS, *words)
    assert done.code == 0, done.err
    assert said in done.out
    is_panel = "--consensus" not in words
    assert ("Weights in the panel" in done.out) == is_panel
    assert ("  kinds agree " in done.out) == is_panel


@pytest.mark.parametrize("effort", ["quick", "0.001"])
def test_effort(run, data_csv, effort):
    words = ("cluster", data_csv, "-k", 3, "--drop", "class", "--effort", effort)
    document = json.loads(run(*words, "--json").out)
    assert document["scores"] is None
    seconds = effort == "0.001"
    assert document["parameters"]["effort"] == (0.001 if seconds else "quick")
    told = " ".join(document["panel_notes"])
    assert ("Left out for lack of time: genie raw" in told) == seconds
    assert document["n_clusters"] == 3


def test_wishes_reach_the_panel():
    wishes = _system.Wishes(effort="quick", members=20, member_clusters="3:6")
    sets = ["generator.max_samples=500"]
    panel = _system.make("ensemble", wishes).parts().generator
    assert isinstance(panel, Panel)
    assert (panel.effort, panel.n_members, panel.n_clusters) == ("quick", 20, (3, 6))
    panel = _system.make("ensemble", _system.Wishes(settings=sets)).parts().generator
    assert (panel.effort, panel.max_samples) == ("normal", 500)


def test_a_file_of_many_rows_with_an_effort_is_read_whole(run, monkeypatch, blobs):
    monkeypatch.setattr(_system, "BLOCK_ROWS", 60)
    np.save("data.npy", blobs[0])
    words = ("cluster", "data.npy", "-k", 3, "--members", 8, "--json")
    assert json.loads(run(*words).out)["parameters"]["system"] == "large"
    told = json.loads(run(*words, "--effort", "quick").out)
    assert told["parameters"]["system"] == "ensemble"
    assert told["system_reason"].startswith("ensemble, the default")


def test_no_member_is_lost_when_the_stages_change(blobs):
    class Bar:
        def __init__(self):
            self.shown = []

        def add_task(self, stage, total):
            self.shown.append(stage)
            return len(self.shown)

        def remove_task(self, task):
            pass

        def update(self, task, completed, total):
            self.shown.append((completed, total))

    for effort in ("quick", 0.001):  # the latter leaves out most of the members
        bar = Bar()
        step = _console.Work(bar).follow("Making members", "Combining them")
        panel = Panel(effort=effort)
        made = panel.generate(blobs[0], seed=0, n_jobs=1, progress=step)
        assert bar.shown[0] == "Making members"
        assert bar.shown[-2:] == [(made.n_members,) * 2, "Combining them"]
        assert bar.shown.count("Combining them") == 1


@pytest.mark.parametrize("width", [80, 120])
def test_facts_are_indented_on_a_terminal(width):
    text = "word " * 40 + "[end]"
    to = Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system=None
    )
    _console.print_facts([("short", "x"), ("longer", text), ("none", "")], to)
    first, *rest = to.file.getvalue().rstrip().split("\n")
    assert first.rstrip() == " short  x"
    assert rest[0].startswith("longer  word word")
    assert all(line.startswith("        word") for line in rest[1:])
    assert rest[-1].rstrip().endswith("[end]")
    assert max(map(len, rest)) <= width


def test_facts_are_lines_in_a_pipe():
    to = Console(file=io.StringIO(), width=80)
    _console.print_facts([("a", "word " * 40), ("b", "[x]")], to)
    assert to.file.getvalue() == f"a  {'word ' * 40}\nb  [x]\n"


def test_compare_takes_the_members_of_the_panel(run, data_csv, blobs):
    words = ("compare", data_csv, "-k", 3, "--truth", "class", "--members", 20)
    done = run(*words, "--methods", "council,lwea", "--answers", "a.csv")
    assert done.code == 0, done.err
    assert "2 methods on the same 20 members" in done.out
    assert "council" in done.out
    help_text = " ".join(run("compare", "--help").out.split())
    assert "default: panel" in help_text

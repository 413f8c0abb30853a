"""The commands as a user runs them."""

import csv
import io
import json
import warnings

import numpy as np
import pytest
import scipy.io
from typer.testing import CliRunner

import coterie
from coterie._catalog import ENTRIES
from coterie.cli import app
from coterie.ensemble import Ensemble


def rows_of(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


class TestCluster:
    def test_summary(self, run, data_csv):
        done = run("cluster", data_csv, "-k", 3, "--truth", "class", "--members", 10)
        assert done.code == 0
        assert done.err == ""
        assert "3 clusters of 60 samples" in done.out
        assert "4 columns; index: id; truth: class" in done.out
        assert "10 members of 2 kinds on 1 view, each kind combined by itself" in (
            done.out
        )
        assert "ARI 1.000" in done.out
        assert "-o labels.csv" in done.out

    @pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "npz", "npy", "mat"])
    def test_output(self, run, data_csv, tmp_path, blobs, suffix):
        if suffix == "parquet":
            pytest.importorskip("pyarrow")
        name = f"out.{suffix}"
        done = run("cluster", data_csv, "-k", 3, "--truth", "class", "-o", name)
        assert done.code == 0, done.err
        assert f"written to {name}" in done.out
        if suffix in {"csv", "tsv"}:
            text = (tmp_path / name).read_text()
            rows = rows_of(text, "\t" if suffix == "tsv" else ",")
            assert list(rows[0]) == ["id", "label", "confidence", "second", "margin"]
            labels = [int(row["label"]) for row in rows]
            assert rows[3]["id"] == "s03"
        elif suffix == "npy":
            labels = np.load(name).tolist()
        elif suffix == "npz":
            with np.load(name) as file:
                assert file["id"][3] == "s03"
                labels = file["label"].tolist()
        elif suffix == "mat":
            file = scipy.io.loadmat(name)
            assert file["id"][3, 0].item() == "s03"
            labels = file["label"][:, 0].tolist()
        else:
            from pyarrow import parquet

            table = parquet.read_table(name).to_pydict()
            assert list(table) == ["id", "label", "confidence", "second", "margin"]
            labels = table["label"]
        assert labels == blobs[1].tolist()

    def test_standard_output_is_the_file(self, run, data_csv, tmp_path):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class")
        piped = run(*words, "-o", "-")
        assert piped.code == 0
        assert "clusters of 60 samples" in piped.err
        assert run(*words, "-o", "out.csv", "--quiet").out == ""
        assert (tmp_path / "out.csv").read_text() == piped.out

    def test_seed(self, run, data_csv, tmp_path):
        words = ("cluster", data_csv, "-k", 5, "--drop", "class", "--quiet")
        files = []
        for name, more in {
            "a.csv": (),
            "b.csv": ("--jobs", 1),
            "c.csv": ("--seed", 1),
        }.items():
            assert run(*words, *more, "-o", name).code == 0
            files.append((tmp_path / name).read_bytes())
        assert files[0] == files[1]
        assert files[0] != files[2]

    def test_json(self, run, data_csv):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--members", 7)
        words += ("--generator", "kmeans")
        done = run(*words, "--member-clusters", "3:5", "--json")
        assert done.err == ""
        document = json.loads(done.out)
        assert document["command"] == "cluster"
        assert document["version"] == coterie.__version__
        assert document["input"]["index"] == "id"
        assert document["input"]["n_samples"] == 60
        assert document["parameters"]["member_clusters"] == [3, 5]
        assert document["parameters"]["weighter"] == "entropy"
        assert document["ensemble"]["n_members"] == 7
        assert [c["size"] for c in document["clusters"]] == [20, 20, 20]
        assert document["scores"]["ari"] == 1
        assert document["warnings"] == document["kinds"] == []
        assert len(document["labels"]) == len(document["confidence"]) == 60
        assert document["index"][0] == "s00"
        with_file = json.loads(run(*words, "--json", "-o", "out.csv").out)
        assert with_file["output"] == "out.csv"
        assert with_file["labels"] is None
        assert with_file.keys() == document.keys()

    def test_ensemble_is_kept_and_combined(self, run, data_csv):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--members", 20)
        assert run(*words, "--save-ensemble", "e.npz", "-o", "a.csv").code == 0
        words = ("combine", "e.npz", "-k", 3, "--method", "council")
        document = json.loads(run(*words, "--json").out)
        assert document["ensemble"]["n_members"] == 20
        assert document["n_clusters"] == 3
        assert len(document["kinds"]) == 5
        assert "Weights in the panel" in run(*words).out

    @pytest.mark.parametrize("form", ["similarity", "bipartite", "meta"])
    def test_woec(self, run, data_csv, form):
        pytest.importorskip("pymetis")
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--json")
        done = run(*words, "--system", "woec", "--consensus", form, "--members", 8)
        document = json.loads(done.out)
        assert document["parameters"]["consensus"] == form
        assert document["parameters"]["weighter"] == "difficulty"
        assert document["ensemble"]["n_members"] == 8
        assert document["scores"]["ari"] == 1

    def test_wokmeans(self, run, data_csv):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--json")
        document = json.loads(run(*words, "--system", "wokmeans").out)
        assert document["parameters"]["consensus"] == "wokm"
        assert document["scores"]["ari"] == 1

    def test_usenc(self, run, data_csv):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--json")
        more = ("--members", 6, "--member-clusters", "3:6")
        document = json.loads(run(*words, "--system", "usenc", *more).out)
        assert document["parameters"]["generator"] == "landmarks"
        assert document["parameters"]["consensus"] == "hbgf"
        assert document["ensemble"]["n_members"] == 6
        assert document["scores"]["ari"] == 1

    @pytest.mark.parametrize("method", ["ptgp", "ecpcs-mc", "gp-mgla", "srs"])
    def test_walks_and_links(self, run, data_csv, method):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--json")
        document = json.loads(run(*words, "--method", method).out)
        assert document["parameters"]["consensus"] == method
        assert document["scores"]["ari"] == 1

    @pytest.mark.parametrize(
        "words",
        [
            ("--system", "woec", "--consensus", "hc"),
            ("--system", "woec", "--generator", "kmeans"),
            ("--system", "wokmeans", "--weighter", "none"),
        ],
    )
    def test_woec_brings_its_own_members(self, run, data_csv, words):
        done = run("cluster", data_csv, "-k", 3, "--truth", "class", *words)
        assert done.code != 0
        assert "brings its own members" in " ".join(done.err.split())

    @pytest.mark.parametrize("weighter", ["none", "agreement", "auto"])
    def test_weighter(self, run, data_csv, weighter):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--json")
        document = json.loads(run(*words, "--weighter", weighter).out)
        named = {"none": None, "agreement": "agreement", "auto": None}
        assert document["parameters"]["weighter"] == named[weighter]

    @pytest.mark.parametrize(
        ("words", "system", "consensus"),
        [
            ((), "ensemble", "council"),
            (("--generator", "kmeans"), "ensemble", "lwea"),
            (("--system", "mdec", "--consensus", "bg"), "mdec", "bg"),
            (("--system", "mdec", "--weighter", "none"), "mdec", "hc"),
            (("--set", "generator.max_samples=50"), "ensemble", "council"),
            (("--generator", "panel", "--effort", "quick"), "ensemble", "council"),
            (("--method", "spce", "--set", "consensus.theta=0.5"), "ensemble", "spce"),
            (("--system", "c2swce"), "c2swce", "hc"),
            (("--system", "c2swce", "--consensus", "mc"), "c2swce", "mc"),
            (("--system", "c2swce", "--weighter", "none"), "c2swce", "hc"),
            (("--method", "core-hc"), "ensemble", "core-hc"),
            (("--system", "spce"), "spce", "spce"),
            (("--system", "spce", "--generator", "sigma-grid"), "spce", "spce"),
            (("--method", "spce"), "ensemble", "spce"),
            (("--system", "ensemble"), "ensemble", "council"),
            (("--system", "ensemble", "--consensus", "sc"), "ensemble", "sc"),
            (("--consensus", "lwea", "--weighter", "entropy"), "ensemble", "lwea"),
            (("--method", "kcc"), "ensemble", "kcc"),
            (("--generator", "subspace"), "ensemble", "lwea"),
            (("--member-clusters", "3:6"), "ensemble", "council"),
        ],
    )
    def test_systems(self, run, data_csv, words, system, consensus):
        start = ("cluster", data_csv, "-k", 3, "--truth", "class", "--json")
        document = json.loads(run(*start, "--members", 12, *words).out)
        told = document["parameters"]
        assert (told["system"], told["consensus"]) == (system, consensus)
        assert told["members"] == 12
        assert document["scores"]["ari"] > 0.9

    def test_one_cluster(self, run, data_csv):
        done = run("cluster", data_csv, "-k", 1, "--drop", "class")
        assert "1 cluster of 60 samples" in done.out

    def test_many_columns(self, run, tmp_path):
        rng = np.random.default_rng(0)
        np.save(
            "t.npy", np.vstack([rng.normal(0, 1, (30, 12)), rng.normal(9, 1, (30, 12))])
        )
        words = ("cluster", "t.npy", "-k", 2, "--members", 32, "--json")
        document = json.loads(run(*words).out)
        assert document["parameters"]["system"] == "ensemble"
        assert document["system_reason"].startswith("ensemble, the default")
        assert "mdec" in {one["kind"] for one in document["kinds"]}

    def test_settings_are_those_of_python(self, run, data_csv, blobs):
        words = ("cluster", data_csv, "-k", 4, "--drop", "class", "--system", "usenc")
        sets = ("--set", "n_landmarks=20", "--set", "n_neighbors=3")
        document = json.loads(run(*words, *sets, "--json").out)
        model = coterie.USENC(4, n_landmarks=20, n_neighbors=3, random_state=0)
        assert document["labels"] == model.fit_predict(blobs[0]).tolist()

    def test_standardize(self, run, tmp_path):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], 30)
        X = np.column_stack([y + rng.normal(0, 0.05, 60), rng.normal(0, 1000, 60)])
        np.savez("t.npz", X=X, y=y)
        words = ("cluster", "t.npz", "-k", 2, "--truth", "y", "--json")
        words += ("--generator", "kmeans")
        documents = {
            wish: json.loads(run(*words, "--standardize", wish).out)
            for wish in ("no", "yes", "auto")
        }
        found = {wish: one["scores"]["ari"] for wish, one in documents.items()}
        assert found["no"] < 0.2 < found["yes"] == found["auto"]
        assert documents["auto"]["parameters"]["standardize"] is True
        note = (
            "Standardized: column 2 has 99.9% of the variance (else --standardize no)."
        )
        assert documents["auto"]["notes"] == [note]
        assert documents["yes"]["notes"] == documents["no"]["notes"] == []

    def test_standardize_auto_leaves_it_to_the_panel(self, run, tmp_path):
        rng = np.random.default_rng(0)
        np.save("t.npy", rng.normal(size=(40, 2)) * [1, 1000])
        document = json.loads(run("cluster", "t.npy", "-k", 2, "--json").out)
        assert document["parameters"]["standardize"] is False

    def test_sparse(self, run, blobs):
        from scipy.sparse import csr_array

        X = csr_array(blobs[0])
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        np.savez("t.npz", **parts, shape=X.shape, y=blobs[1])
        words = ("cluster", "t.npz", "-k", 3, "--truth", "y", "--json")
        for more in ((), ("--standardize", "yes")):
            assert json.loads(run(*words, *more).out)["scores"]["ari"] == 1

    def test_truth_with_holes(self, run, tmp_path):
        lines = [
            f"{i // 20 * 9 + i % 3},{'' if i % 5 == 0 else 'ab'[i // 20]}"
            for i in range(40)
        ]
        (tmp_path / "t.csv").write_text("x,c\n" + "\n".join(lines))
        done = run("cluster", "t.csv", "-k", 2, "--truth", "c")
        assert "on the 32 samples whose class is known" in done.out

    def test_the_output_replaces_a_file_and_keeps_links(self, run, data_csv, tmp_path):
        (tmp_path / "real.csv").write_text("old")
        (tmp_path / "link.csv").symlink_to("real.csv")
        words = ("cluster", data_csv, "-k", 3, "--drop", "class", "-o", "link.csv")
        assert run(*words).code == 0
        assert (tmp_path / "link.csv").is_symlink()
        assert (tmp_path / "real.csv").read_text().startswith("id,label")

    def test_report(self, run, data_csv, tmp_path):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--members", 8)
        done = run(*words, "--report", "r.html")
        assert done.code == 0, done.err
        assert "report  written to r.html" in done.out
        text = (tmp_path / "r.html").read_text()
        assert "data.csv: 3 clusters" in text
        assert "s07" in text
        assert f"coterie cluster {data_csv} -k 3 --truth class --members 8" in text
        document = json.loads(run(*words, "--report", "r.html", "--json").out)
        assert document["report"] == "r.html"
        assert len(document["second"]) == len(document["margin"]) == 60
        assert run(*words, "--report", "r.html", "--quiet").out == ""

    @pytest.mark.parametrize("system", ["spce", "woec"])
    def test_difficulty_of_systems_that_learn_it(self, run, data_csv, system):
        if system == "woec":
            pytest.importorskip("pymetis")
        words = ("cluster", data_csv, "-k", 3, "--drop", "class", "--members", 6)
        done = run(*words, "--system", system, "-o", "-", "--quiet")
        rows = rows_of(done.out)
        assert list(rows[0])[-1] == "difficulty"
        assert all(0 <= float(row["difficulty"]) <= 1 for row in rows)


class TestCombine:
    def test_report(self, run, labels_csv, tmp_path):
        words = ("combine", labels_csv, "-k", 3, "--report", "r.html")
        assert run(*words).code == 0
        text = (tmp_path / "r.html").read_text()
        assert "labels.csv: 3 clusters" in text
        assert "consensus: LWEA" in text
        assert "weighter: EntropyWeighter" in text

    def test_words_and_holes(self, run, labels_csv, blobs):
        done = run("combine", labels_csv, "-k", 3, "-o", "-", "--quiet")
        assert done.code == 0
        assert done.err == ""
        rows = rows_of(done.out)
        assert list(rows[0]) == ["sample", "label", "confidence", "second", "margin"]
        assert [int(row["label"]) for row in rows] == blobs[1].tolist()

    def test_same_as_python(self, run, labels_csv, blobs):
        words = ("combine", labels_csv, "-k", 2, "--method", "eac", "--truth", "one")
        document = json.loads(run(*words, "--drop", "four", "--json").out)
        y = blobs[1]
        hole = [None if i % 7 == 0 else c for i, c in enumerate(y.tolist())]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = coterie.combine([y + 4, hole], 2, "eac", random_state=0)
        assert document["labels"] == expected.tolist()
        assert document["input"]["truth"] == "one"
        assert document["input"]["dropped"] == ["four"]

    @pytest.mark.parametrize("as_json", [False, True])
    def test_warnings_are_one_line(self, run, labels_csv, as_json):
        done = run("combine", labels_csv, "-k", 30, *(["--json"] if as_json else []))
        assert done.code == 0
        if as_json:
            assert done.err == ""
            (text,) = json.loads(done.out)["warnings"]
        else:
            assert done.err.startswith("Warning: ")
            assert done.err.count("\n") == 1
            text = done.err
        assert "fewer than the 30 asked for" in text

    @pytest.mark.parametrize("suffix", ["npy", "npz", "tsv", "parquet"])
    def test_formats(self, run, tmp_path, blobs, suffix):
        labels = np.column_stack([blobs[1], blobs[1], blobs[1] % 2])
        if suffix == "npy":
            np.save("t.npy", labels)
        elif suffix == "npz":
            np.savez("t.npz", labels=labels)
        elif suffix == "tsv":
            (tmp_path / "t.tsv").write_text(
                "\n".join("\t".join(map(str, row)) for row in labels.tolist())
            )
        else:
            pandas = pytest.importorskip("pandas")
            pytest.importorskip("pyarrow")
            pandas.DataFrame(labels, columns=list("abc")).to_parquet("t.parquet")
        document = json.loads(run("combine", f"t.{suffix}", "-k", 3, "--json").out)
        assert document["labels"] == blobs[1].tolist()
        assert document["ensemble"]["n_members"] == 3


class TestMethods:
    def test_list(self, run):
        done = run("methods", "--all")
        assert done.code == 0
        for entry in ENTRIES:
            assert f"\n{entry.name} " in done.out
        start, reason = done.out.index("Start here"), done.out.index("For a reason")
        assert start < done.out.index("\nensemble ") < reason
        assert reason < done.out.index("\nmdec ") < done.out.index("For research")

    def test_the_short_list_fits_on_a_screen(self, run):
        done = run("methods")
        assert len(done.out.splitlines()) < 45
        for entry in ENTRIES:
            in_short = entry.group != "research"
            assert (f"\n{entry.name} " in done.out) == in_short or entry.name == "genie"
        n_more = sum(entry.group == "research" for entry in ENTRIES)
        assert f"{n_more} more, for research: coterie methods --all" in done.out

    def test_for_a_file(self, run, data_csv):
        done = run("methods", "--for", data_csv, "--drop", "class")
        assert done.code == 0, done.err
        assert done.out.startswith("Use EnsembleClustering: on ")
        assert f"type  coterie cluster {data_csv} -o labels.csv" in done.out
        assert "experiments/results/panel.md" in done.out
        said = run("methods", "--for", data_csv, "--drop", "class", "--json").out
        assert json.loads(said)["use"] == "ensemble"

    def test_for_labels_and_photos(self, run, tmp_path, blobs):
        labels = np.column_stack([blobs[1]] * 4)
        Ensemble(labels).save(tmp_path / "e.npz")
        np.save(tmp_path / "labels.npy", labels)
        graph = "graph [ node [ id 7 ] node [ id 8 ] edge [ source 7 target 8 ] ]"
        (tmp_path / "g.gml").write_text(graph)
        (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
        image = pytest.importorskip("PIL.Image")
        image.new("RGB", (30, 20)).save(tmp_path / "my photo.png")
        for name, command in (
            ("e.npz", "coterie combine e.npz -k K"),
            ("labels.npy", "coterie combine labels.npy -k K"),
            ("my photo.png", "coterie segment 'my photo.png'"),
            ("g.gml", "coterie communities g.gml -o"),
            ("edges.csv", "coterie communities edges.csv -o"),
        ):
            assert command in run("methods", "--for", name).out

    def test_for_a_file_of_many_rows(self, run, monkeypatch, tmp_path):
        monkeypatch.setattr("coterie.cli._system.BLOCK_ROWS", 50)
        np.save(tmp_path / "long.npy", np.zeros((60, 2)))
        assert "--system large" in run("methods", "--for", "long.npy").out

    def test_for_a_file_that_is_not_there(self, fails, data_csv):
        said = fails("methods", "--for", data_csv.with_name("date.csv"))
        assert said.endswith(f"Did you mean {data_csv}?")

    @pytest.mark.parametrize("kind", ["consensus", "weighter", "weighters"])
    def test_kind(self, run, kind):
        listed = json.loads(run("methods", "--kind", kind, "--json").out)["methods"]
        expected = [
            e.name
            for e in ENTRIES
            if e.kind
            == kind.removesuffix("ers") + ("er" if kind.endswith("ers") else "")
        ]
        assert [one["name"] for one in listed] == expected

    @pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
    def test_one(self, run, name):
        done = run("methods", name)
        assert done.code == 0
        assert "Python" in done.out
        assert ":class:" not in done.out
        assert "]_" not in done.out
        document = json.loads(run("methods", name, "--json").out)
        assert all(p["description"] for p in document["parameters"])
        if document["doi"]:
            assert f"https://doi.org/{document['doi']}" in done.out

    def test_bad_names(self, fails):
        assert "Did you mean lwgp" in fails("methods", "lwgpp")
        assert "--kind expects one of system" in fails("methods", "--kind", "x")


class TestProgram:
    def test_version(self, run):
        assert run("--version").out == f"coterie {coterie.__version__}\n"

    @pytest.mark.parametrize(
        "command", [(), ("cluster",), ("choose-k",), ("combine",), ("demo",)]
    )
    def test_help_gives_an_example(self, run, command):
        done = run(*command, "--help")
        assert done.code == 0
        assert f"Example: coterie {' '.join(command)}" in done.out

    def test_five_commands_come_first(self, run):
        first, more = run("--help").out.split("─ More ─")
        for name in ("cluster", "choose-k", "combine", "methods", "demo"):
            assert f"│ {name} " in first
        for name in ("compare", "segment", "communities"):
            assert f"│ {name} " in more

    def test_the_help_of_cluster_fits_on_a_screen(self, run, monkeypatch):
        monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 80)
        short = run("cluster", "--help").out
        assert len(short.splitlines()) <= 40
        assert "--checkpoint" not in short
        every = run("cluster", "--help-all").out
        assert "─ Long runs ─" in every
        for option in ("--checkpoint", "--consensus", "--set", "--save-ensemble", "-k"):
            assert option in every

    def test_every_option_has_a_help(self):
        import typer

        commands = typer.main.get_command(app).commands
        assert len(commands) == 9
        for name, command in commands.items():
            assert "Parameters" not in command.help
            silent = [p.name for p in command.params if not p.help]
            assert not silent, (name, silent)

    def test_without_words_it_shows_the_help(self, shell):
        done = shell()
        assert "Usage: coterie" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr

    def test_runner_of_typer(self, labels_csv):
        done = CliRunner().invoke(app, ["combine", str(labels_csv), "-k", "3"])
        assert done.exit_code == 0
        assert "3 clusters" in done.stdout

    def test_help_loads_nothing_heavy(self, shell):
        code = (
            "import sys, coterie.cli\n"
            "try: coterie.cli.main(sys.argv[1:])\n"
            "except SystemExit: pass\n"
            "heavy = {'numpy', 'sklearn', 'numba', 'scipy', 'matplotlib', 'pandas',"
            " 'pyarrow', 'joblib'}\n"
            "sys.stderr.write(' '.join(sorted(heavy & set(sys.modules))))\n"
        )
        for words in (["--help"], ["cluster", "--help"], ["methods"], ["--version"]):
            done = shell(*words, code=code)
            assert done.stdout
            assert done.stderr == ""

    @pytest.mark.slow
    def test_process(self, shell, data_csv, tmp_path):
        out = tmp_path / "out.csv"
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "-o", out)
        good = shell(*words)
        assert good.returncode == 0
        assert good.stderr == ""  # no bar where there is no terminal
        assert out.exists()
        bad = shell("cluster", tmp_path / "none.csv", "-k", 3)
        assert bad.returncode == 2
        assert bad.stdout == ""
        assert bad.stderr.count("\n") == 1


class TestDemo:
    def test_a_file_in_the_way(self, fails, data_csv):
        assert "is a file" in fails("demo", "-o", data_csv)

    @pytest.mark.slow
    def test_all(self, run, tmp_path):
        pytest.importorskip("matplotlib")
        done = run("demo", "-o", "out")
        assert done.code == 0, done.err
        for text in (
            "coterie ",
            "k-means ",
            "onehot-linkage ",
            "next  coterie cluster",
        ):
            assert text in done.out
        rows = rows_of((tmp_path / "out" / "labels.csv").read_text())
        assert len(rows) == 1797
        assert list(rows[0]) == ["label", "confidence", "truth"]
        picture = (tmp_path / "out" / "picture.png").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert "<html" in (tmp_path / "out" / "report.html").read_text()

    @pytest.mark.slow
    def test_without_matplotlib(self, run, tmp_path, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        document = json.loads(run("demo", "-o", "out", "--json").out)
        assert not (tmp_path / "out" / "picture.png").exists()
        assert document["files"] == ["out/labels.csv", "out/report.html"]
        scores = {row["method"]: row["nmi"] for row in document["rows"]}
        assert scores["coterie"] > scores["k-means"] + 0.02


class TestEngine:
    def test_a_run_goes_on_with_what_is_kept(self, run, data_csv, tmp_path):
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--members", 6)
        kept = ("--checkpoint", "kept", "-o", "labels.csv", "--engine", "serial")
        assert run(*words, *kept).code == 0
        labels = (tmp_path / "labels.csv").read_text()
        files = sorted((tmp_path / "kept").rglob("member-*"))
        assert len(files) == 6
        files[2].unlink()
        before = files[0].stat().st_mtime_ns
        done = run(*words, *kept)
        assert "resumed  5 of 6 members were in kept already" in done.out
        assert (tmp_path / "labels.csv").read_text() == labels
        assert files[2].exists()
        assert files[0].stat().st_mtime_ns == before

    def test_another_run_is_refused(self, run, fails, data_csv):
        words = ("cluster", data_csv, "--truth", "class", "--members", 4)
        run(*words, "-k", 3, "--checkpoint", "kept")
        told = fails(*words, "-k", 3, "--seed", 1, "--checkpoint", "kept")
        assert "another run: seed was" in told

    def test_unknown_engines_stop_before_the_file_is_read(self, fails):
        assert "Dask client" in fails("cluster", "no.csv", "-k", 3, "--engine", "gpu")

    def test_a_scheduler_that_does_not_answer(self, fails, data_csv):
        pytest.importorskip("distributed")
        words = ("cluster", data_csv, "-k", 3, "--truth", "class")
        told = fails(*words, "--scheduler", "nowhere:0:0")
        assert "no Dask scheduler answers there" in told


class TestCompare:
    def test_table(self, run, data_csv):
        done = run(
            "compare", data_csv, "-k", 3, "--truth", "class", "--members", 8,
            "--methods", "lwea,vote,onehot-linkage",
        )  # fmt: skip
        assert done.code == 0, done.err
        assert "3 methods on the same 8 members" in done.out
        assert "onehot-linkage" in done.out
        assert "Closest to the members: " in done.out
        assert "NMI, ARI, ACC: with the known classes" in done.out

    def test_files(self, run, data_csv, tmp_path, blobs):
        done = run(
            "compare", data_csv, "-k", 3, "--truth", "class", "--members", 8,
            "--methods", "lwea, vote", "-o", "table.csv", "--answers", "answers.csv",
        )  # fmt: skip
        assert done.code == 0, done.err
        table = rows_of((tmp_path / "table.csv").read_text())
        assert [row["method"] for row in table] == ["lwea", "vote"]
        assert float(table[0]["ari"]) == 1.0
        assert float(table[0]["rank_ari"]) == 1.5
        answers = rows_of((tmp_path / "answers.csv").read_text())
        assert list(answers[0]) == ["id", "lwea", "vote"]
        assert [int(row["lwea"]) for row in answers] == blobs[1].tolist()

    def test_members_of_a_file(self, run, data_csv):
        run(
            "cluster", data_csv, "-k", 3, "--truth", "class", "--save-ensemble", "e.npz"
        )
        done = run(
            "compare", "e.npz", "--labels", "-k", 3, "--methods", "lwea,wokm", "--json"
        )
        document = json.loads(done.out)
        assert [row["method"] for row in document["methods"]] == ["lwea"]
        assert "needs the data" in document["failed"]["wokm"]
        assert "silhouette" not in document["methods"][0]

    def test_unknown_names_stop_before_the_file_is_read(self, fails):
        assert "Did you mean lwea" in fails(
            "compare", "no.csv", "-k", 3, "--methods", "lwae"
        )

    def test_classes_must_be_complete(self, fails, tmp_path):
        (tmp_path / "holes.csv").write_text("a,b,y\n1,2,u\n3,4,\n5,7,v\n9,8,v\n")
        told = fails("compare", "holes.csv", "-k", 2, "--truth", "y", "--members", 2)
        assert "1 in the column 'y' have none" in told

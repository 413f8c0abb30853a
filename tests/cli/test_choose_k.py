"""`coterie choose-k`, and `coterie cluster` without -k."""

import csv
import io
import json

import numpy as np
import pytest

WORDS = ("--set", "n_null=19", "-k", "2:5", "--jobs", 1)


class TestChooseK:
    def test_table(self, run, data_csv):
        done = run("choose-k", data_csv, "--truth", "class", *WORDS)
        assert done.code == 0, done.err
        assert done.err == ""
        assert "3 clusters" in done.out
        for head in ("PAC", "delta area", "cophenetic", "stability", "votes"):
            assert head in done.out
        assert "answer  Clearly 3 clusters: 7 of 7 criteria say so" in done.out
        assert "3 classes in class" in done.out
        assert "60 samples" in done.out

    def test_none(self, run, tmp_path):
        noise = np.random.default_rng(0).normal(size=(80, 3))
        np.save("noise.npy", noise)
        done = run("choose-k", "noise.npy", *WORDS)
        assert "answer  No evidence of clusters: " in done.out

    def test_json(self, run, data_csv):
        done = run("choose-k", data_csv, "--drop", "class", *WORDS, "--json")
        found = json.loads(done.out)
        assert found["command"] == "choose-k"
        assert found["n_clusters"] == 3
        assert found["k_values"] == [2, 3, 4, 5]
        assert found["p_value"] == 0.05
        assert set(found["votes"].values()) == {3}
        assert len(found["curves"]["pac"]) == 4
        assert found["settings"]["null"] == "independent"

    def test_output(self, run, data_csv, tmp_path):
        words = ("choose-k", data_csv, "--drop", "class", *WORDS)
        done = run(*words, "-o", "k.csv")
        assert "written to k.csv" in done.out
        text = (tmp_path / "k.csv").read_text()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["k"] for row in rows] == ["2", "3", "4", "5"]
        assert float(rows[1]["pac"]) == 0.0
        piped = run(*words, "-o", "-")
        assert piped.out == text
        assert "answer" in piped.err
        assert run(*words, "-o", "k.csv", "-q").out == ""

    def test_same_as_python(self, run, data_csv, blobs):
        import coterie

        done = run("choose-k", data_csv, "--drop", "class", *WORDS, "--json")
        expected = coterie.choose_k(blobs[0], range(2, 6), n_null=19, random_state=0)
        assert json.loads(done.out)["sentence"] == expected.sentence

    def test_errors(self, fails, data_csv):
        drop = ("--drop", "class")
        assert "--k-range expects" in fails("choose-k", data_csv, *drop, "-k", "x")
        said = fails("choose-k", data_csv, *drop, "--set", "null=flat")
        assert "The 'null' parameter of choose_k must be a str among" in said
        assert "--quiet" in fails("choose-k", data_csv, *drop, "-q")
        said = fails("choose-k", data_csv, *drop, "--set", "n_nul=9")
        assert "Did you mean n_null or null? It has standardize, members" in said


class TestCluster:
    def test_without_k(self, run, data_csv):
        done = run("cluster", data_csv, "--truth", "class", "--members", 10)
        assert done.code == 0, done.err
        assert "3 clusters of 60 samples" in done.out
        assert "k  Clearly 3 clusters" in done.out
        assert "system  ensemble, the default: a panel of several kinds" in done.out

    def test_json(self, run, data_csv):
        done = run("cluster", data_csv, "--drop", "class", "--members", 10, "--json")
        found = json.loads(done.out)
        assert found["k_choice"]["n_clusters"] == found["n_clusters"] == 3
        assert found["parameters"]["n_clusters"] == 3
        assert found["system_reason"].startswith("ensemble")

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--system", "mdec"), None),
            ((), "ensemble, the default: a panel of several kinds of clusterer"),
            (("--system", "ensemble"), None),
            (("--consensus", "lwgp"), "ensemble, as parts were named"),
        ],
    )
    def test_reason(self, run, data_csv, words, said):
        words = ("cluster", data_csv, "-k", 3, "--drop", "class", *words, "--json")
        found = json.loads(run(*words).out)
        assert found["system_reason"] == said
        assert found["k_choice"] is None

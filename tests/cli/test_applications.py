"""`segment`, `communities` and the networks of `cluster`, as a user runs them."""

import json

import networkx as nx
import numpy as np
import pytest
from PIL import Image
from scipy.io import mmwrite


@pytest.fixture
def photo(tmp_path):
    image = np.zeros((30, 40, 3), dtype=np.uint8)
    image[:, 20:] = (250, 10, 10)
    path = tmp_path / "photo.png"
    Image.fromarray(image).save(path)
    return path


@pytest.fixture
def edges(tmp_path):
    graph = nx.planted_partition_graph(3, 12, 0.7, 0.02, seed=0)
    path = tmp_path / "edges.csv"
    lines = ["source,target", *(f"n{a},n{b}" for a, b in graph.edges)]
    path.write_text("\n".join(lines) + "\n")
    return path


class TestSegment:
    def test_files(self, run, photo, tmp_path):
        done = run("segment", photo, "-o", "s.png")
        assert done.code == 0, done.err
        assert "2 segments of" in done.out
        assert "#fa0a0a" in done.out
        with Image.open(tmp_path / "s.png") as labels:
            assert labels.mode == "P"
            found = np.asarray(labels)
            assert labels.convert("RGB").getpixel((39, 0)) == (250, 10, 10)
        np.testing.assert_array_equal(found[0], np.repeat([0, 1], 20))
        for name in ("s.outlines.png", "s.confidence.png"):
            assert name in done.out.replace("\n", "")
            with Image.open(tmp_path / name) as drawn:
                assert drawn.size == (40, 30)

    def test_json(self, run, photo):
        done = run("segment", photo, "-o", "s.png", "-k", 2, "--json")
        document = json.loads(done.out)
        assert document["size"] == [40, 30]
        assert sum(document["shares"]) == pytest.approx(1)

    def test_networks(self, run, photo, tmp_path):
        words = ("segment", photo, "-o", "s.png", "-k", 2, "--set", "method=mbn")
        done = run(*words, "--json")
        document = json.loads(done.out)
        assert document["n_segments"] == 2
        assert document["confidence"] is None
        assert not (tmp_path / "s.confidence.png").exists()

    def test_a_folder(self, run, fails, photo, tmp_path):
        album = tmp_path / "album"
        album.mkdir()
        photo.rename(album / "one.png")
        faded = np.zeros((20, 20, 4), dtype=np.uint8)
        faded[:, 5:] = (9, 200, 9, 255)
        Image.fromarray(faded).save(album / "two.png")
        (album / "notes.txt").write_text("no picture")
        done = run("segment", album, "-o", "found", "--json")
        assert done.code == 0, done.err
        document = json.loads(done.out)
        assert [one["n_segments"] for one in document["photos"]] == [2, 1]
        names = sorted(path.name for path in (tmp_path / "found").iterdir())
        parts = (".confidence.png", ".outlines.png", ".png")
        assert names == [name + part for name in ("one", "two") for part in parts]
        with Image.open(tmp_path / "found" / "two.png") as labels:
            np.testing.assert_array_equal(np.unique(labels), [0, 255])
        assert "expects another folder" in fails("segment", album, "-o", "s.png")
        assert "expects another folder" in fails("segment", album, "-o", album)
        words = ("segment", album, "-o", "found", "--outlines", "o.png")
        assert "name the files of one photo" in fails(*words)
        assert "holds no pictures" in fails("segment", tmp_path, "-o", "other")

    def test_a_broken_picture_in_a_folder_is_left_out(
        self, run, fails, photo, tmp_path
    ):
        album = tmp_path / "album"
        album.mkdir()
        (album / "a.png").write_bytes(photo.read_bytes()[:60])
        assert "cannot be read" in fails("segment", album, "-o", "none")
        photo.rename(album / "b.png")
        done = run("segment", album, "-o", "found")
        assert done.code == 0, done.err
        assert "left out: " in done.out
        assert (tmp_path / "found" / "b.png").is_file()
        assert not (tmp_path / "found" / "a.png").exists()

    def test_photos_are_turned_upright(self, run, photo, tmp_path):
        turned = Image.Exif()
        turned[0x0112] = 6  # the camera was held upright
        with Image.open(photo) as picture:
            picture.save(tmp_path / "turned.png", exif=turned)
        document = json.loads(run("segment", "turned.png", "-o", "s.png", "--json").out)
        assert document["size"] == [30, 40]

    @pytest.mark.parametrize("kind", ["uint16", "int32", "float32", "uint8", "bool"])
    def test_grey_pictures_of_many_bits(self, run, tmp_path, kind):
        grey = np.zeros((30, 40))
        grey[:, 10:20], grey[:, 20:] = 0.4, 1.0
        scale = {"uint16": 4000, "int32": 90_000, "float32": 7.5, "uint8": 255}
        grey = (grey * scale.get(kind, 1)).astype(kind)
        Image.fromarray(grey).save(tmp_path / "g.tif")
        document = json.loads(run("segment", "g.tif", "-o", "s.png", "--json").out)
        assert document["n_segments"] == (2 if kind == "bool" else 3)
        assert document["colors"][-1] == [255, 255, 255]

    def test_the_first_of_several_pictures_is_read(self, run, photo, tmp_path):
        with Image.open(photo) as picture:
            picture.save(tmp_path / "two.tif", save_all=True, append_images=[picture])
        done = run("segment", "two.tif", "-o", "s.png", "--json")
        said = json.loads(done.out)["warnings"]
        assert said == ["two.tif holds 2 pictures; only the first was read."]

    def test_errors(self, fails, photo, tmp_path):
        assert "must end in .png" in fails("segment", photo, "-o", "s.jpg")
        assert "There is no file" in fails("segment", "no.png", "-o", "s.png")
        assert "would be overwritten" in fails("segment", photo, "-o", photo)
        text = tmp_path / "text.png"
        text.write_text("no picture")
        assert "not a picture" in fails("segment", text, "-o", "s.png")


class TestCommunities:
    def test_file(self, run, edges, tmp_path):
        done = run("communities", edges, "-o", "c.csv", "--picture", "c.png")
        assert done.code == 0, done.err
        assert "3 communities of 36 nodes" in done.out
        assert ", p = " in done.out
        assert "drawn in c.png" in done.out
        lines = (tmp_path / "c.csv").read_text().splitlines()
        assert lines[0].startswith("node,label,confidence,resolution ")
        assert len(lines) == 37
        with Image.open(tmp_path / "c.png") as drawn:
            assert drawn.size == (1200, 1200)

    def test_a_picture_alone(self, run, edges, tmp_path):
        done = run("communities", edges, "--picture", "c.png", "--quiet")
        assert (done.code, done.out) == (0, "")
        assert (tmp_path / "c.png").is_file()

    @pytest.mark.parametrize("kind", ["graphml", "gml", "gexf", "net", "mtx", "txt"])
    def test_files_of_graphs(self, run, tmp_path, kind):
        graph = nx.empty_graph(36)
        planted = nx.planted_partition_graph(3, 12, 0.7, 0.02, seed=0)
        graph.add_edges_from(planted.edges, weight=2.0)
        path = tmp_path / f"g.{kind}"
        if kind == "txt":
            nx.write_weighted_edgelist(graph, path)
        elif kind == "mtx":
            mmwrite(path, nx.to_scipy_sparse_array(graph))
        else:
            write = {"net": "pajek"}.get(kind, kind)
            getattr(nx, f"write_{write}")(graph, path)
        document = json.loads(run("communities", path, "--json").out)
        assert document["n_communities"] == 3
        assert document["n_edges"] == planted.number_of_edges()
        assert document["p_value"] < 0.01
        assert len(document["confidence"]) == 36

    @pytest.mark.parametrize("text", ["coordinate", "array"])
    def test_a_matrix_that_claims_to_be_huge(self, fails, tmp_path, text):
        path = tmp_path / "g.mtx"
        size = {"coordinate": f"{10**12} {10**12} 1\n1 2 1", "array": "9999999 9999999"}
        path.write_text(f"%%MatrixMarket matrix {text} real general\n{size[text]}\n1\n")
        assert "more than the limit of" in fails("communities", path)

    def test_nodes_without_labels(self, run, tmp_path):
        path = tmp_path / "g.gml"
        path.write_text(
            "graph [ node [ id 7 ] node [ id 8 ] edge [ source 7 target 8 ] ]"
        )
        document = json.loads(run("communities", path, "--json").out)
        assert document["nodes"] == [7, 8]

    def test_no_communities(self, run, tmp_path):
        path = tmp_path / "random.txt"
        nx.write_edgelist(nx.gnm_random_graph(60, 200, seed=0), path, data=False)
        done = run("communities", path)
        assert "No evidence of communities (p = " in done.out

    def test_networks(self, run, edges):
        words = ("--method", "mbn", "--set", "n_members=4", "-k", "2:4", "--json")
        document = json.loads(run("communities", edges, *words).out)
        assert sorted(document["curve"]) == ["2", "3", "4"]
        assert document["n_communities"] == 3

    def test_json(self, run, edges):
        words = ("communities", edges, "-k", 5, "--resolution", 2, "--json")
        document = json.loads(run(*words).out)
        assert document["n_communities"] == 5
        assert document["modularity"] > 0.4
        assert max(level["resolution"] for level in document["levels"]) == 8
        assert len(document["labels"]) == 36

    @pytest.mark.parametrize(
        ("text", "n_edges"),
        [
            ("1 2\n2 3\n# note\n", 2),
            ("1\t2\t0.5\n2\t3\t1\n", 2),
            ("a;b\nb;c\n", 2),
            ("from,to,weight\na,b,2\n", 1),
            ("Doe, J.\tRoe, R.\t1\nRoe, R.\tX\t2\n", 2),
            ("1 2 {'weight': 3}\n2 3 {}\n", 2),
        ],
    )
    def test_forms_of_files(self, text, n_edges, tmp_path):
        from pathlib import Path

        from coterie.cli._communities import read_edges

        path = Path(tmp_path / "e.txt")
        path.write_text(text)
        edges, said = read_edges(path, None)
        assert len(edges) == n_edges
        assert said == []

    @pytest.mark.parametrize(
        ("text", "last", "said"),
        [
            ("person_a,person_b\nx,y\n", ("x", "y"), "the first line, 'person_a' and"),
            ("node1 node2\nnode3 node4\n", ("node3", "node4"), "the first line, 'n"),
            ("von;nach;kg\na;b;1,5\n", ("a", "b", 1.5), "decimal commas in the weig"),
            ("z\xfcg,b\n", ("züg", "b"), "the text is in windows-1252, not in UTF-8"),
        ],
    )
    def test_what_is_guessed(self, run, text, last, said, tmp_path):
        from coterie.cli._communities import read_edges

        path = tmp_path / "e.txt"
        path.write_text(text, encoding="latin-1")
        edges, guesses = read_edges(path, None)
        assert edges == [last]
        assert [guess[: len(said)] for guess in guesses] == [said]
        assert f"guessed: {said}" in run("communities", path).out
        if "first line" in said:
            assert len(read_edges(path, False)[0]) == 2

    def test_names_that_are_nodes(self, tmp_path):
        from coterie.cli._communities import read_edges

        path = tmp_path / "e.txt"
        path.write_text("node1 node2\nnode2 node3\n")
        assert len(read_edges(path, None)[0]) == 2

    @pytest.mark.parametrize(
        ("text", "edge"),
        [
            ("Source,Target,Type,Id,Weight\na,b,Undirected,7,2\n", ("a", "b", 2.0)),
            ("id,from,to\n7,a,b\n", None),
            ("weight,from,to\n2,a,b\n", ("a", "b", 2.0)),
            ("source,target,calls\na,b,2\n", ("a", "b", 2.0)),
        ],
    )
    def test_named_columns(self, text, edge, tmp_path):
        from coterie.cli._communities import read_edges

        path = tmp_path / "e.csv"
        path.write_text(text)
        if edge is None:  # three columns are two nodes and a weight
            with pytest.raises(ValueError, match="a weight is not a number"):
                read_edges(path, None)
        else:
            assert read_edges(path, None) == ([edge], [])

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("", "is empty"),
            ("a,b,c,d\n", "has 4 columns"),
            ("a,b\nc\n", "line 2 has 1 columns"),
            ("a,b\n,c\n", "line 2 lacks a node"),
            ("a,b,\na,b,1\n", "a weight is not a number: '' in line 1"),
            ("a,b,1\n#\na,b,x\n", "a weight is not a number: 'x' in line 3"),
            ("\x1f\u008b", "is compressed. Unpack it first: gunzip"),
            ("source,target\n", "a header and no edges"),
        ],
    )
    def test_errors(self, fails, text, error, tmp_path):
        path = tmp_path / "e.csv"
        path.write_text(text, encoding="latin-1")
        words = ("--header",) if "source" in text else ()
        assert error in fails("communities", path, *words)

    def test_wrong_words(self, fails, edges):
        assert "There is no file" in fails("communities", "no.csv")
        assert "There is no file" in fails("communities", "no.gml")
        assert "must end in .png" in fails("communities", edges, "--picture", "c.jpg")
        wrong = edges.with_suffix(".graphml")
        wrong.write_text("<graph")
        assert "cannot be read as graphml" in fails("communities", wrong)
        for kind, text in (
            ("gml", "graph [ node ]"),
            ("net", "*vertices"),
            ("mtx", "%%M"),
        ):
            wrong = edges.with_suffix(f".{kind}")
            wrong.write_text(text)
            assert f"cannot be read as {kind}: " in fails("communities", wrong)
        assert "--communities expects" in fails("communities", edges, "-k", "x")
        assert "show nothing" in fails("communities", edges, "--quiet")


class TestNetworks:
    @pytest.mark.parametrize("system", ["mbn", "mbn-e"])
    def test_cluster(self, run, data_csv, system):
        more = ("--members", 3) if system == "mbn-e" else ()
        words = ("cluster", data_csv, "-k", 3, "--truth", "class", "--system", system)
        document = json.loads(run(*words, *more, "--json").out)
        assert document["parameters"]["system"] == system
        assert document["scores"]["ari"] == 1
        n_networks = 3 if system == "mbn-e" else 1
        assert document["ensemble"]["n_members"] == 400 * n_networks

    @pytest.mark.parametrize(
        "words", [("feature_sampling=false",), ("selection=vrc",), ("selection=mmd",)]
    )
    def test_the_other_forms_of_the_paper(self, run, data_csv, words):
        start = ("cluster", data_csv, "-k", 3, "--truth", "class", "--system", "mbn-e")
        sets = [part for word in words for part in ("--set", word)]
        document = json.loads(run(*start, "--members", 4, *sets, "--json").out)
        name, _, value = words[0].partition("=")
        told = {name: False if value == "false" else value}
        assert document["parameters"]["settings"] == told
        assert document["scores"]["ari"] == 1

    def test_errors(self, fails, data_csv):
        words = ("cluster", data_csv, "-k", 3, "--system")
        for more in (("--consensus", "hc"), ("--weighter", "none")):
            assert "brings its own members" in fails(*words, "mbn-e", *more)
        assert "does not take --members" in fails(*words, "mbn", "--members", 3)

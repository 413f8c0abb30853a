"""Segments of images of every kind."""

import sys

import numpy as np
import pytest
from skimage import data, measure
from skimage.segmentation import mark_boundaries
from sklearn.cluster import KMeans

from coterie.applications import Segmentation, outlined, segment_image
from coterie.applications._pixels import enlarged, read_pixels, reduced
from coterie.applications._superpixels import neighbours
from coterie.applications._volume_regions import regions_of_volume
from coterie.metrics import ari


def flag(height=40, width=60):
    """Return three stripes of different colours."""
    image = np.zeros((height, width, 3), dtype=np.uint8)
    image[:, width // 3 : 2 * width // 3] = 255
    image[:, 2 * width // 3 :] = (200, 0, 0)
    return image


STRIPES = np.tile(np.repeat([0, 1, 2], 20), (40, 1))


def n_pieces(labels):
    return measure.label(labels, background=-1, connectivity=1).max()


@pytest.mark.parametrize("k", [None, 3])
def test_stripes_are_segments(k):
    found = segment_image(flag(), k)
    np.testing.assert_array_equal(found.labels, STRIPES)
    np.testing.assert_array_equal(found.colors, [[0, 0, 0], [255] * 3, [200, 0, 0]])
    assert found.work_shape == (40, 60)
    assert found.n_segments == 3
    np.testing.assert_allclose(found.shares, 1 / 3)
    assert found.confidence.shape == (40, 60)
    assert (found.confidence > 0.5).all()
    assert (found.confidence <= 1).all()


@pytest.mark.parametrize(
    "image",
    [
        flag()[:, :, 1],
        flag()[:, :, 1:2],
        flag() / 255.0,
        flag().astype(np.uint16) * 10,
        flag().astype(np.int64) - 100,
        np.dstack([flag(), np.full((40, 60), 9, np.uint8)]),
        flag()[:, :, 1] > 0,
        flag()[:, ::-1],
    ],
    ids=["grey", "grey3", "floats", "uint16", "int64", "alpha", "bool", "strided"],
)
def test_images_of_many_kinds(image):
    image.flags.writeable = False
    before = image.copy()
    found = segment_image(image)
    np.testing.assert_array_equal(found.labels, STRIPES)
    assert found.labels.dtype == np.int32
    np.testing.assert_array_equal(image, before)


def test_transparent_pixels_belong_to_no_segment():
    alpha = np.full((40, 60), 255, dtype=np.uint8)
    alpha[:, 25:30] = 0
    found = segment_image(np.dstack([flag(), alpha]))
    np.testing.assert_array_equal(found.labels < 0, alpha == 0)
    np.testing.assert_array_equal(np.isnan(found.confidence), alpha == 0)
    assert n_pieces(found.labels) == found.n_segments == 4
    assert found.shares.sum() == pytest.approx(55 / 60)
    nothing = segment_image(np.zeros((5, 6, 4), dtype=np.uint8))
    assert (nothing.labels == -1).all()
    assert nothing.n_segments == 0


@pytest.mark.parametrize("method", ["consensus", "mbn"])
def test_pixels_without_data_belong_to_no_segment(method):
    image = flag() / 255.0
    image[:, 25:30, 1] = np.nan
    more = {"method": method}
    if method == "mbn":
        more |= {"smooth": 0.0, "clusterer": KMeans(3, n_init=1, random_state=0)}
    found = segment_image(image, None if method == "consensus" else 3, **more)
    np.testing.assert_array_equal(found.labels < 0, np.isnan(image[..., 1]))
    assert found.n_segments == (4 if method == "consensus" else 3)
    assert outlined(image, found.labels).shape == image.shape
    assert (segment_image(np.full((6, 7), np.nan)).labels == -1).all()
    large = np.ma.masked_invalid(image.repeat(10, axis=0).repeat(10, axis=1))
    small = segment_image(large.filled(np.nan), n_pixels=2400)
    np.testing.assert_array_equal(small.labels[5::10, 5::10] < 0, found.labels < 0)
    if method == "consensus":
        np.testing.assert_array_equal(small.labels[5::10, 5::10], found.labels)


def test_a_few_far_pixels_do_not_hide_the_others():
    image = flag(60, 60)[..., 1].astype(np.uint16) * 2 + 1000
    expected = segment_image(image).labels
    image[7, 9] = 65_535
    np.testing.assert_array_equal(segment_image(image, min_size=0.01).labels, expected)


def test_stacks_and_volumes():
    rng = np.random.default_rng(0)
    stack = rng.normal(0, 0.1, (30, 40, 6))
    stack[:, 20:, 4] += 50.0
    halves = np.tile(np.repeat([0, 1], 20), (30, 1))
    for image, axis in ((stack, -1), (np.moveaxis(stack, 2, 0), 0)):
        found = segment_image(image, 2, channel_axis=axis)
        assert ari(halves.ravel(), found.labels.ravel()) > 0.95
    volume = np.zeros((12, 14, 16), dtype=np.int16)
    volume[3:9, 3:9, 3:9] = 1000
    found = segment_image(volume, channel_axis=None)
    assert found.labels.shape == volume.shape
    assert found.n_segments == 2
    assert ari((volume > 0).ravel(), found.labels.ravel()) > 0.95


@pytest.mark.slow
def test_a_ball_in_a_noisy_volume():
    places = np.indices((26, 40, 40)) - np.array([13, 20, 20])[:, None, None, None]
    ball = (places**2).sum(axis=0) < 100
    noise = np.random.default_rng(0).normal(0, 0.1, ball.shape)
    found = segment_image(ball + noise, channel_axis=None)
    assert ari(ball.ravel(), found.labels.ravel()) > 0.8
    colors = np.stack([0.2 + 0.6 * ball, 0.5 - 0.3 * ball, 0.5 + 0 * ball], axis=-1)
    found = segment_image(colors + noise[..., None] / 2, channel_axis=-1)
    assert ari(ball.ravel(), found.labels.ravel()) > 0.7


def test_voxels_are_joined_where_they_are_alike():
    volume = np.zeros((4, 6, 6, 1))
    volume[:, :, 3:] = 0.5
    volume[0, 0, 0] = 0.2  # a speck, nearer to the left half
    halves = regions_of_volume(volume, 40, 0.0, 2)
    expected = np.broadcast_to(np.repeat([0, 1], 3), (4, 6, 6))
    np.testing.assert_array_equal(halves, expected)
    with_speck = regions_of_volume(volume, 40, 0.0, 1)
    assert len(np.unique(with_speck)) == 3
    assert (with_speck == with_speck[0, 0, 0]).sum() == 1
    assert len(np.unique(regions_of_volume(volume, 255 * 200, 0.0, 1))) == 1
    assert regions_of_volume(volume[:1, :1, :1], 40, 0.8, 5).tolist() == [[[0]]]


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 9), (7, 1), (1, 3000), (2, 2, 3), (50, 60)]
)
def test_tiny_and_constant_images_are_one_segment(shape):
    for value in (0.0, 0.3, 1.0):
        found = segment_image(np.full(shape, value))
        assert found.n_segments == 1
        assert (found.labels == 0).all()
        assert (found.confidence == 1).all()


def test_two_pixels_are_two_segments():
    found = segment_image(np.array([[0.0, 1.0]]))
    np.testing.assert_array_equal(found.labels, [[0, 1]])


@pytest.fixture(scope="module")
def coffee():
    return data.coffee()[::3, ::3]


@pytest.mark.slow
def test_segments_are_connected_large_and_steady(coffee):
    found = segment_image(coffee, min_size=0.01)
    assert 3 <= found.n_segments <= 20
    assert n_pieces(found.labels) == found.n_segments
    assert found.shares.min() >= 0.01
    again = segment_image(coffee, min_size=0.01, random_state=1)
    np.testing.assert_array_equal(found.labels, again.labels)
    noise = np.random.default_rng(0).normal(0, 2, coffee.shape)
    noisy = np.clip(coffee + noise, 0, 255).astype(np.uint8)
    other = segment_image(noisy, min_size=0.01)
    assert ari(found.labels.ravel(), other.labels.ravel()) > 0.8


@pytest.mark.slow
def test_the_number_and_the_least_size_of_segments(coffee):
    for k, least in ((2, 300), (5, 300), (12, 300), (20, 100)):
        found = segment_image(coffee, k, min_size=least)
        assert found.n_segments == k
        assert np.bincount(found.labels.ravel()).min() >= least
    assert segment_image(coffee, 50, min_size=0.2).n_segments <= 5


@pytest.mark.slow
def test_large_images_are_reduced_and_enlarged(coffee):
    large = coffee.repeat(8, axis=0).repeat(8, axis=1)
    found = segment_image(large, n_pixels=coffee[..., 0].size)
    assert found.labels.shape == found.confidence.shape == large.shape[:2]
    assert found.work_shape == coffee.shape[:2]
    assert n_pieces(found.labels) == found.n_segments
    small = segment_image(coffee)
    np.testing.assert_array_equal(found.labels[4::8, 4::8], small.labels)


def test_blocks_are_averaged():
    pixels, has_alpha = read_pixels(np.arange(64.0).reshape(8, 8) / 64)
    picture = reduced(pixels, 16, has_alpha)
    expected = pixels[..., 0].reshape(4, 2, 4, 2).mean(axis=(1, 3))
    np.testing.assert_allclose(picture.channels[..., 0], expected)
    ragged, _ = read_pixels(np.ones((1, 1000)))
    assert reduced(ragged, 10, False).channels.shape == (1, 100, 1)


def test_outlines_are_interpolated():
    small = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 2]])
    large = enlarged(small, (15, 15))
    np.testing.assert_array_equal(large[2::5, 2::5], small)
    # the diagonal is no staircase: corners of blocks go to the other side
    assert large[3, 9] == large[4, 8] == large[9, 3] == 1
    assert large[10, 12] == large[12, 10] == 2
    assert enlarged(small, (3, 3)) is small


def test_outlines_are_those_of_scikit_image():
    labels = np.random.default_rng(0).integers(-1, 3, (9, 12)).repeat(2, axis=0)
    photo = data.coffee()[:18, :12]
    for image in (photo, photo / 255, photo[..., 0]):
        expected = mark_boundaries(image, labels, mode="thick")
        found = outlined(image, labels)
        np.testing.assert_array_equal(found, (expected * 255).round())
    with pytest.raises(ValueError, match=r"pixels, \(18, 12\), got \(12, 18\)"):
        outlined(photo, labels.T)


def test_neighbours_share_a_side():
    labels = np.array([[0, 0, 1], [2, -1, 1], [2, 3, 3]])
    pairs = {tuple(pair) for pair in neighbours(labels)}
    assert pairs == {(0, 1), (0, 2), (1, 3), (2, 3)}


class TestNetworks:
    def test_stripes(self):
        found = segment_image(flag(), 3, method="mbn", spatial=0.05)
        assert (found.labels == STRIPES).mean() > 0.95
        assert found.confidence is None

    def test_another_clusterer_and_outlines(self):
        image = flag()
        found = segment_image(
            image,
            3,
            method="mbn",
            spatial=0.0,
            clusterer=KMeans(3, n_init=1, random_state=0),
        )
        assert found.n_segments == 3
        drawn = outlined(image, found.labels)
        assert drawn.shape == image.shape
        assert drawn.dtype == np.uint8
        assert (drawn[:, [19, 20]] == (255, 255, 0)).all()
        np.testing.assert_array_equal(drawn[:, 5], image[:, 5])

    def test_smoothing_removes_specks_and_keeps_straight_edges(self):
        image = flag()
        image[10, 10] = image[30, 50] = (0, 200, 0)
        as_is = {
            "method": "mbn",
            "spatial": 0.0,
            "clusterer": KMeans(4, n_init=10, random_state=0),
        }
        rough = segment_image(image, 4, smooth=0.0, **as_is)
        calm = segment_image(image, 4, smooth=1.0, **as_is)
        assert rough.n_segments == 4
        assert rough.labels[10, 10] == rough.labels[30, 50] != rough.labels[10, 11]
        np.testing.assert_array_equal(calm.labels, STRIPES)

    @pytest.mark.slow
    def test_the_number_of_segments_can_be_chosen(self):
        image = 0.05 * np.random.default_rng(0).random((20, 30, 3))
        image[:, 15:] += 0.9
        found = segment_image(image, method="mbn", spatial=0.1)
        assert found.n_segments == 2
        np.testing.assert_array_equal(
            found.labels, np.repeat([[0, 1]], 15, axis=1)[[0] * 20]
        )


@pytest.mark.parametrize(
    ("image", "more", "text"),
    [
        (np.zeros((3, 3, 2)), {}, r"got shape \(3, 3, 2\). Pass channel_axis=-1"),
        (np.zeros((0, 3)), {}, "at least one pixel"),
        (np.zeros(3), {"channel_axis": None}, "image or a volume"),
        (np.array([["a"]]), {}, "an image of numbers, got <U1"),
        ("photo.jpg", {}, "got the text 'photo.jpg'. Read the file first"),
        (np.array([[0.0, np.inf]]), {}, "finite pixels, got infinite ones"),
        (np.ma.masked_equal([[0.0, 1.0]], 1.0), {}, "without a mask.*are NaN"),
        (np.zeros((3, 3)), {"channel_axis": 2}, "channel_axis .* has 2; got 2"),
        (np.zeros((3, 3)), {"n_segments": 0}, "n_segments as a whole number from 1"),
        (np.zeros((3, 3)), {"n_segments": "many"}, "None to choose, got 'many'"),
        (np.zeros((3, 3)), {"method": "slic"}, "consensus, mbn, got 'slic'"),
        (np.zeros((3, 3)), {"min_size": -1}, "min_size as a share or a number"),
        (np.zeros((3, 3)), {"n_superpixels": 10**5}, "from 1 to 10000, got 100000"),
        (np.zeros((3, 3)), {"n_pixels": 0}, "n_pixels as a whole number"),
        (np.zeros((3, 3)), {"smooth": -1}, "smooth of at least zero"),
        (np.zeros((3, 3)), {"smooth": "x"}, "smooth of at least zero, got 'x'"),
        (
            np.zeros((4, 4, 4)),
            {"method": "mbn", "channel_axis": None},
            'Use method="consensus" for volumes',
        ),
    ],
)
def test_wrong_images_and_settings(image, more, text):
    with pytest.raises(ValueError, match=text):
        segment_image(image, **more)


def test_scikit_image_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage", None)
    with pytest.raises(ImportError, match="pip install scikit-image"):
        segment_image(flag())


def test_a_segmentation_prints_its_segments():
    labels = np.array([[0, 0, 0, 1], [0, 0, 0, 1]])
    colors = np.array([[255, 0, 16], [0, 0, 0]], dtype=np.uint8)
    found = Segmentation(labels, colors, (2, 4))
    assert repr(found).splitlines() == [
        "Segmentation: 2 segments of 2 x 4 pixels",
        " segment  pixels  share  color",
        "       0       6  0.750  #ff0010",
        "       1       2  0.250  #000000",
    ]
    frame = found.to_frame()
    assert frame["pixels"].tolist() == [6, 2]
    assert frame["color"].tolist() == ["#ff0010", "#000000"]

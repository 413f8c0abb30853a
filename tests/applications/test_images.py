"""Segments of images of every kind."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from coterie.applications import Segmentation, outlined, segment_image


def flag(height=40, width=60):
    """Return three stripes of different colours."""
    image = np.zeros((height, width, 3), dtype=np.uint8)
    image[:, width // 3 : 2 * width // 3] = 255
    image[:, 2 * width // 3 :] = (200, 0, 0)
    return image


def test_stripes_are_segments():
    found = segment_image(flag(), 3, n_pixels=600, spatial=0.05)
    assert (found.labels == np.repeat([0, 1, 2], 20)).mean() > 0.95
    expected = [[0, 0, 0], [255] * 3, [200, 0, 0]]
    np.testing.assert_allclose(found.colors, expected, atol=20)
    assert found.work_shape == (20, 30)
    assert found.n_segments == 3


@pytest.mark.parametrize(
    "image",
    [
        flag()[:, :, 1],
        flag() / 255.0,
        np.dstack([flag(), np.full((40, 60), 9, np.uint8)]),
        flag()[:, :, 1] > 0,
        flag()[::2, ::-1],
    ],
    ids=["grey", "floats", "alpha", "bool", "strided"],
)
def test_images_of_many_kinds(image):
    found = segment_image(image, 2, n_pixels=300)
    assert found.labels.shape == image.shape[:2]
    assert found.labels.dtype == np.int32


def test_another_clusterer_and_outlines():
    image = flag()
    found = segment_image(
        image, 3, spatial=0.0, clusterer=KMeans(3, n_init=1, random_state=0)
    )
    assert found.n_segments == 3
    drawn = outlined(image, found.labels)
    assert drawn.shape == image.shape
    assert drawn.dtype == np.uint8
    assert (drawn[:, [19, 20]] == (255, 255, 0)).all()
    np.testing.assert_array_equal(drawn[:, 5], image[:, 5])


def test_smoothing_removes_specks_and_keeps_straight_edges():
    image = flag()
    image[10, 10] = image[30, 50] = (0, 200, 0)
    as_is = {
        "n_pixels": 2400,
        "spatial": 0.0,
        "clusterer": KMeans(4, n_init=10, random_state=0),
    }
    rough = segment_image(image, 4, smooth=0.0, **as_is)
    calm = segment_image(image, 4, smooth=1.0, **as_is)
    assert rough.n_segments == 4
    assert rough.labels[10, 10] == rough.labels[30, 50] != rough.labels[10, 11]
    np.testing.assert_array_equal(
        calm.labels, np.tile(np.repeat([0, 1, 2], 20), (40, 1))
    )


@pytest.mark.parametrize(
    ("image", "k", "text"),
    [
        (np.zeros((3, 3, 2)), 2, r"got shape \(3, 3, 2\)"),
        (np.full((3, 3), 7.0), 2, "floats in"),
        (np.zeros((3, 3), np.int64), 2, "got int64"),
        (np.zeros((3, 3)), 0, "n_segments as a whole number from 1"),
        (np.zeros((3, 3)), "many", "or \"auto\"; got 'many'"),
    ],
)
def test_wrong_images(image, k, text):
    with pytest.raises(ValueError, match=text):
        segment_image(image, k)


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


@pytest.mark.slow
def test_the_number_of_segments_can_be_chosen():
    image = 0.05 * np.random.default_rng(0).random((20, 30, 3))
    image[:, 15:] += 0.9
    found = segment_image(image, "auto", spatial=0.1)
    assert found.n_segments == 2
    np.testing.assert_array_equal(
        found.labels, np.repeat([[0, 1]], 15, axis=1)[[0] * 20]
    )

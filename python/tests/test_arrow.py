"""Parquet, Feather and Arrow: in, out, between libraries, without copies where the layout allows."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

import mulberry
from mulberry import BR, Logistic, datasets

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def photos():
    return datasets.make("photos", rows=200)


@pytest.mark.parametrize("name", ["d.parquet", "d.feather", "d.arrow"])
def test_files_keep_everything(photos, tmp_path, name):
    Y = photos.Y.astype(float)
    Y[3, 2] = np.nan
    path = tmp_path / name
    datasets.save(path, photos.X, Y, feature_names=photos.feature_names,
                  label_names=photos.label_names, weights=np.arange(1, 201))
    found = datasets.load(path)
    np.testing.assert_array_equal(found.X, photos.X)
    np.testing.assert_array_equal(found.Y, Y)
    assert found.feature_names == photos.feature_names
    assert found.label_names == photos.label_names
    np.testing.assert_array_equal(found.weights, np.arange(1, 201))


def test_a_column_of_lists_is_used_without_a_copy(photos):
    flat = pa.array(photos.X.ravel())
    table = pa.table({"x": pa.FixedSizeListArray.from_arrays(flat, photos.X.shape[1]),
                      "sea": photos.Y[:, 0]})
    found = datasets.from_arrow(table, label_columns=["sea"])
    assert found.X.__array_interface__["data"][0] == flat.buffers()[1].address
    np.testing.assert_array_equal(found.X, photos.X)


def test_tables_of_other_libraries(photos):
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    columns = {name: photos.X[:, k] for k, name in enumerate(photos.feature_names)}
    columns["sea"] = photos.Y[:, 0]
    for table in (pa.table(columns), polars.DataFrame(columns), pandas.DataFrame(columns)):
        found = datasets.from_arrow(table, label_columns=["sea"])
        np.testing.assert_array_equal(found.X, photos.X)
        assert found.feature_names == photos.feature_names


class Stream:
    """What offers nothing but the interface, as results of DuckDB do."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_estimators_take_streams(photos):
    table = pa.table({n: photos.X[:, k] for k, n in enumerate(photos.feature_names)})
    model = BR(Logistic()).fit(Stream(table), photos.Y)
    assert list(model.feature_names_in_) == photos.feature_names
    expected = BR(Logistic()).fit(photos.X, photos.Y).predict(photos.X)
    np.testing.assert_array_equal(model.predict(Stream(table)), expected)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=30))
    np.testing.assert_array_equal(model.predict(reader), expected)


def test_words_texts_and_lists_are_read_as_json_lines_are(tmp_path):
    rows = [{"id": f"r{i}", "colour": ["red", "green", "blue"][i % 3], "size": i % 5,
             "body": f"some words {i % 4}", "tags": ["sea"] if i % 2 else ["sea", "sun"]}
            for i in range(40)]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "d.parquet")
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    options = {"label_list": "tags", "id": "id", "text": ["body"]}
    found = datasets.load(tmp_path / "d.parquet", **options)
    expected = datasets.load(tmp_path / "d.jsonl", **options)
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.Y, expected.Y)
    assert found.texts == expected.texts and found.ids == expected.ids


def test_missing_values_are_an_error_with_a_place(tmp_path):
    table = pa.table({"x": [1.0, None], "sea": [0, 1]})
    with pytest.raises(ValueError, match="'x', found a missing one in row 2"):
        datasets.from_arrow(table, label_columns=["sea"])
    found = datasets.from_arrow(table, label_columns=["sea"], keep_missing=True)
    assert np.isnan(found.X[1, 0])
    with pytest.raises(ValueError, match="which columns are labels"):
        datasets.from_arrow(table)


def _converted(*words):
    return subprocess.run([sys.executable, "-m", "mulberry", "convert", *map(str, words)],
                          capture_output=True, text=True)


def test_convert_both_ways(photos, tmp_path):
    datasets.save(tmp_path / "a.npz", photos.X, photos.Y, feature_names=photos.feature_names,
                  label_names=photos.label_names)
    for source, target in (("a.npz", "b.parquet"), ("b.parquet", "c.npz"), ("c.npz", "d.feather"),
                           ("d.feather", "e.csv")):
        done = _converted(tmp_path / source, tmp_path / target)
        assert done.returncode == 0, done.stderr
    found = datasets.load(tmp_path / "c.npz")
    np.testing.assert_array_equal(found.X, photos.X)
    np.testing.assert_array_equal(found.Y, photos.Y)
    assert found.label_names == photos.label_names


def test_convert_says_what_is_missing(tmp_path):
    parquet.write_table(pa.table({"x": [1.0, 2.0], "sea": [0, 1]}), tmp_path / "d.parquet")
    done = _converted(tmp_path / "d.parquet", tmp_path / "d.npz")
    assert done.returncode == 1 and "--label-columns" in done.stderr
    assert not (tmp_path / "d.npz").exists()
    done = _converted(tmp_path / "d.parquet", tmp_path / "d.npz", "--label-columns", "sea")
    assert done.returncode == 0, done.stderr
    assert datasets.load(tmp_path / "d.npz").shape == (2, 1, 1)


@pytest.fixture(params=["d.parquet", "d.feather", "d.arrow", "stream.arrow", "first.feather"])
def foreign(tmp_path, request):
    """The same four rows in each format."""
    table = pa.table({"x": [1.5, 2.0, 3.0, 4.0], "sea": [0, 1, 1, 0]})
    path = tmp_path / request.param
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.stem == "stream":
        with pa.ipc.new_stream(path, table.schema) as out:
            out.write_table(table)
    else:
        feather = pytest.importorskip("pyarrow.feather")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            feather.write_feather(table, path, version=1 if path.stem == "first" else 2)
    return path


def test_convert_reads_every_arrow_format(foreign, tmp_path):
    if foreign.stem == "first":
        done = _converted(foreign, tmp_path / "d.npz", "--label-columns", "sea")
        assert done.returncode == 1 and "found Feather of version 1" in done.stderr
        return
    done = _converted(foreign, tmp_path / "d.npz", "--label-columns", "sea")
    assert done.returncode == 0 and not done.stderr, done.stderr
    found = datasets.load(tmp_path / "d.npz")
    np.testing.assert_array_equal(found.X, [[1.5], [2], [3], [4]])
    np.testing.assert_array_equal(found.Y, [[0], [1], [1], [0]])


def test_the_command_names_the_way_out(foreign, command):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        command("describe", foreign)
    assert "python3 -m mulberry convert FILE NEW.npz" in caught.value.stderr.replace("\n", " ")


@pytest.mark.parametrize("form", ["labels", "scores", "probabilities"])
def test_predict_file(photos, tmp_path, form):
    datasets.save(tmp_path / "in.parquet", photos.X, photos.Y, feature_names=photos.feature_names,
                  label_names=photos.label_names)
    datasets.save(tmp_path / "in.csv", photos.X, photos.Y, feature_names=photos.feature_names,
                  label_names=photos.label_names)
    model = BR(Logistic()).fit(datasets.load(tmp_path / "in.parquet").X, photos.Y)
    named = BR(Logistic()).fit(
        pa.table({n: photos.X[:, k] for k, n in enumerate(photos.feature_names)}), photos.Y)
    named.save(tmp_path / "m.mb")
    assert model.n_features_in_ == named.n_features_in_
    expected = named.predict(photos.X) if form == "labels" else named.raw_scores(photos.X)
    for source in ("in.parquet", "in.csv"):
        rows = mulberry.predict_file(tmp_path / "m.mb", tmp_path / source, tmp_path / "out.parquet",
                                     form=form)
        found = parquet.read_table(tmp_path / "out.parquet")
        assert rows == found.num_rows == 200
        assert found.column_names == named.label_names_
        np.testing.assert_array_equal(np.column_stack([c.to_numpy() for c in found.columns]),
                                      expected)


def test_a_failed_prediction_leaves_no_file(photos, tmp_path):
    datasets.save(tmp_path / "in.parquet", photos.X[:, :3], photos.Y)
    BR(Logistic()).fit(photos.X, photos.Y).save(tmp_path / "m.mb")
    with pytest.raises(ValueError):
        mulberry.predict_file(tmp_path / "m.mb", tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.parquet", "m.mb"]
    with pytest.raises(ValueError, match="parquet"):
        mulberry.predict_file(tmp_path / "m.mb", tmp_path / "in.parquet", tmp_path / "out.xlsx")


def test_without_pyarrow_the_extra_is_named():
    code = ("import sys; sys.modules['pyarrow'] = None\n"
            "import mulberry\n"
            "try: mulberry.datasets.load('d.parquet')\n"
            "except ImportError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "mulberry-ml[arrow]" in done.stdout, done.stderr

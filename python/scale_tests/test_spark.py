"""Predictions inside a local Spark."""

import os
import sys

import numpy as np
import pytest

import mulberry.spark
from mulberry import BR, Logistic, datasets

pandas = pytest.importorskip("pandas")
pyspark = pytest.importorskip("pyspark.sql")


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the executors need the package, too
    session = (pyspark.SparkSession.builder.master("local[2]").appName("mulberry")
               .config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
               .config("spark.sql.shuffle.partitions", "2").getOrCreate())
    yield session
    session.stop()


@pytest.mark.parametrize("form", ["labels", "probabilities"])
def test_scorer(spark, tmp_path, form):
    photos = datasets.make("photos", rows=120)
    frame = pandas.DataFrame(photos.X, columns=photos.feature_names)
    model = BR(Logistic()).fit(frame, photos.Y)
    model.save(tmp_path / "m.mb")
    frame.insert(0, "id", [f"r{i:03d}" for i in range(120)])
    scorer = mulberry.spark.scorer(tmp_path / "m.mb", form=form, keep=["id"])
    found = (spark.createDataFrame(frame).repartition(3).mapInPandas(scorer, scorer.schema)
             .toPandas().sort_values("id"))
    assert list(found.columns) == ["id", *model.label_names_]
    expected = model.predict(frame.drop(columns="id")) if form == "labels" else \
        model.predict_proba(frame.drop(columns="id"))
    np.testing.assert_array_equal(found.drop(columns="id").to_numpy(), expected)


def test_the_model_is_loaded_once_per_process(spark, tmp_path):
    photos = datasets.make("photos", rows=120)
    frame = pandas.DataFrame(photos.X, columns=photos.feature_names)
    BR(Logistic()).fit(frame, photos.Y).save(tmp_path / "m.mb")
    scorer = mulberry.spark.scorer(tmp_path / "m.mb")

    def counted(frames):
        import mulberry._scoring as scoring

        if not hasattr(scoring, "loads"):
            scoring.loads, inner = 0, scoring.load

            def load(path):
                scoring.loads += 1
                return inner(path)

            scoring.load = load
        rows = sum(len(found) for found in scorer(frames))
        yield pandas.DataFrame({"pid": [os.getpid()], "rows": [rows], "loads": [scoring.loads]})

    found = (spark.createDataFrame(frame).repartition(8)
             .mapInPandas(counted, "pid bigint, rows bigint, loads bigint").toPandas())
    assert found["rows"].sum() == 120 and len(found) == 8
    assert (found["loads"] == 1).all(), "several partitions per process, one load"


def test_a_form_that_does_not_exist():
    with pytest.raises(ValueError, match="labels, scores, probabilities"):
        mulberry.spark.scorer("m.mb", form="ranks")

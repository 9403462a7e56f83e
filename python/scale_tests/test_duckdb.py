"""Results of DuckDB, which come as streams of Arrow."""

import numpy as np
import pytest

import mulberry
from mulberry import BR, Logistic

duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")


@pytest.fixture
def database(photos):
    """(connection, query of the features, query of the labels) over one table."""
    table = pandas.concat([pandas.DataFrame(photos.X, columns=photos.feature_names),
                           pandas.DataFrame(photos.Y, columns=photos.label_names)], axis=1)
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("create table photos as select * from given")

    def query(names):
        return "select " + ", ".join('"' + n.replace('"', '""') + '"' for n in names) + " from photos"

    yield connection, query(photos.feature_names), query(photos.label_names)
    connection.close()


def read(connection, query, form):
    relation = connection.sql(query)
    return relation if form == "relation" else relation.arrow() if form == "stream" else \
        relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation.arrow()


@pytest.mark.parametrize("form", ["relation", "stream", "table"])
def test_results_of_queries(database, photos, form):
    connection, features, labels = database
    expected = BR(Logistic()).fit(photos.X, photos.Y)
    Y = read(connection, labels, "table" if form == "stream" else form)
    model = BR(Logistic()).fit(read(connection, features, form), Y)
    assert model.label_names_ == photos.label_names
    assert list(model.feature_names_in_) == photos.feature_names
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict_proba(read(connection, features, form)),
                                  expected.predict_proba(photos.X))
    turned = connection.sql(features).project(
        ", ".join(f'"{n}"' for n in reversed(photos.feature_names)))
    with pytest.raises(ValueError, match="names"):
        model.predict(turned if form == "relation" else turned.arrow())


def test_one_table_of_features_and_labels(database, photos):
    connection, *_ = database
    data = mulberry.datasets.from_arrow(connection.sql("select * from photos"),
                                        label_columns=photos.label_names)
    np.testing.assert_array_equal(data.X, photos.X)
    np.testing.assert_array_equal(data.Y, photos.Y)
    assert data.label_names == photos.label_names


def test_nulls_of_labels_are_unknown(database, photos):
    connection, features, _ = database
    name = photos.label_names[0]
    labels = connection.sql(f'select case when rowid % 5 = 0 then null else "{name}" end as a, '
                            f'"{photos.label_names[1]}" as b from photos')
    Y = photos.Y[:, :2].astype(float)
    Y[::5, 0] = np.nan
    expected = BR(Logistic()).fit(photos.X, Y)
    np.testing.assert_array_equal(BR(Logistic()).fit(connection.sql(features), labels).coef_,
                                  expected.coef_)

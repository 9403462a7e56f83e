"""Text to features: the same vocabulary and values as scikit-learn's TfidfVectorizer."""

import pickle

import numpy as np
import pytest
from sklearn.feature_extraction.text import (
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline

import mulberry
from mulberry import BR, Logistic, TargetWords, TextVectorizer, datasets

TEXTS = [
    "The quick brown fox, the lazy dog; and THE end.",
    "İstanbul ile ISPARTA arası: Iğdır, ığdır, IĞDIR",  # dotted and dotless i
    "Ο ΟΔΥΣΣΕΥΣ ΣΑΣ ΧΑΙΡΕΤΑ. Σ ΣΣ ΑΣ\u0301 ΑΣ\u0301Β",  # final sigma, with marks
    "日本語のテスト、中文字符 한국어 ภาษาไทย",
    "cafe\u0301 café naïve e\u0301te\u0301 Zoe\u0308",  # combining marks
    "😀😀 thumbs👍🏽up 👩\u200d👩\u200d👧 a_b x_1 _ __ 12½ ²³ Ⅷ ٣٤",
    "tabs\tand  many   blanks\u2003\u2003wide\u00a0space\x1c\x1dseparators\n\nlines",
    "Straße STRASSE ẞ ǅ ﬁ ﬃ \U00010400\U00010401",
    "",
    "a b c",
    "the dog and the fox",
]

OPTIONS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "lowercase": False},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"analyzer": "char_wb", "ngram_range": (6, 7)},
    {"sublinear_tf": True, "min_df": 2},
    {"max_df": 0.1, "norm": None},
    {"min_df": 0.15, "max_df": 3, "use_idf": False},
    {"binary": True, "use_idf": False, "norm": None},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_values_of_scikit_learn(options):
    theirs, ours = TfidfVectorizer(**options), TextVectorizer(**options)
    expected = theirs.fit_transform(TEXTS)
    found = ours.fit_transform(TEXTS)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-14)
    others = [text[::-1] + " the fox" for text in TEXTS]
    np.testing.assert_allclose(ours.transform(others).toarray(),
                               theirs.transform(others).toarray(), rtol=1e-14)


def test_every_character_alone():
    """Lower case and word characters, for all that Unicode had when Python's table was made."""
    import unicodedata

    texts = []
    for point in range(0x110000):
        c = chr(point)
        if unicodedata.category(c) in ("Cn", "Cs", "Co"):
            continue
        texts.append(f"x{c}y")
    theirs, ours = TfidfVectorizer(), TextVectorizer()
    theirs.fit(texts)
    ours.fit(texts)
    assert list(ours.get_feature_names_out()) == sorted(theirs.vocabulary_)


@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)},
                                     {"analyzer": "char", "ngram_range": (2, 4)}], ids=str)
def test_hashed_columns_of_scikit_learn(options):
    theirs = make_pipeline(HashingVectorizer(n_features=512, alternate_sign=False, norm=None,
                                             **options), TfidfTransformer())
    ours = TextVectorizer(n_features=512, **options)
    np.testing.assert_allclose(ours.fit_transform(TEXTS).toarray(),
                               theirs.fit_transform(TEXTS).toarray(), rtol=1e-14)


def test_the_most_frequent_features():
    ours = TextVectorizer(max_features=2).fit(["aa aa aa bb", "bb cc", "dd bb aa"])
    assert list(ours.get_feature_names_out()) == ["aa", "bb"]


def test_pickle_and_errors():
    fitted = TextVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(),
                                  fitted.transform(TEXTS).toarray())
    with pytest.raises(ValueError, match="analyzer"):
        TextVectorizer(analyzer="words").fit(TEXTS)
    with pytest.raises(ValueError, match="single text"):
        fitted.transform("text")
    with pytest.raises(ValueError, match="found none"):
        TextVectorizer().fit(["a", "?"])


def test_a_pipeline(command, tmp_path):
    data = datasets.make("tagged-text", rows=120)
    model = make_pipeline(TextVectorizer(), BR(base=Logistic()))
    model.fit(data.texts["body"], data.Y)
    assert model.predict(data.texts["body"]).shape == (120, 6)
    assert model[:-1].transform(data.texts["body"]).shape[0] == 120  # the part is fitted, too


def test_a_model_of_the_command(command, tmp_path):
    command("generate", "tagged-text", "-o", tmp_path / "notes.csv", "--rows", "100")
    command("fit", "br_logistic", tmp_path / "notes.csv", "--text", "body", "--label-list", "tags",
            "--id", "id", "-o", tmp_path / "m.mb", "--quiet")
    command("predict", tmp_path / "m.mb", tmp_path / "notes.csv", "--scores", "-o",
            tmp_path / "out.csv")
    expected = np.genfromtxt(tmp_path / "out.csv", delimiter=",", skip_header=1)[:, 1:]
    data = datasets.load(tmp_path / "notes.csv", text=["body"], label_list="tags", id="id")
    assert data.ids[0] == "note1"
    model = mulberry.load(tmp_path / "m.mb")
    np.testing.assert_array_equal(model.raw_scores(data.texts["body"]), expected)
    np.testing.assert_array_equal(model.raw_scores({"body": data.texts["body"]}), expected)


def test_target_words_as_on_the_command_line(command, tmp_path):
    random = np.random.default_rng(0)
    towns = [f"town{k}" for k in random.integers(0, 40, 200)]
    X = random.normal(size=(200, 1))
    Y = (random.random((200, 2)) < [[.2, .7] if t < "town3" else [.6, .4] for t in towns]).astype(int)
    rows = ["x,town,a,b"] + [f"{x!r},{t},{a},{b}" for x, t, (a, b) in zip(X[:, 0].tolist(), towns, Y)]
    (tmp_path / "towns.csv").write_text("\n".join(rows) + "\n")
    command("fit", "br_logistic", tmp_path / "towns.csv", "--label-columns", "a,b", "--target-words", "town",
            "-o", tmp_path / "m.mb", "--quiet")
    data = datasets.load(tmp_path / "towns.csv", label_columns=["a", "b"], target_words=["town"])
    assert data.feature_names == ["x"] and data.words == {"town": towns}
    words = TargetWords()
    model = BR(Logistic()).fit(np.hstack([data.X, words.fit_transform(data.words, data.Y)]), data.Y)
    theirs = mulberry.load(tmp_path / "m.mb")
    new = {"town": ["town1", "a new town"]}
    import pandas
    expected = theirs.decision_function(pandas.DataFrame({"x": [.5, .5], **new}))
    found = model.decision_function(np.hstack([[[.5], [.5]], words.transform(new)]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    again = pickle.loads(pickle.dumps(words))
    np.testing.assert_array_equal(again.transform(new), words.transform(new))
    assert list(again.get_feature_names_out()) == ["town:label1", "town:label2"]
    # A word of one row says nothing about that row: it gets the share of the other rows.
    own = TargetWords().fit_transform(["once"] + towns[1:], Y)
    assert abs(own[0] - Y.mean(0)).max() < .05
    with pytest.raises(ValueError, match="none called 'town'"):
        words.transform({"city": ["x"]})
    with pytest.raises(ValueError, match="found 2 rows of X and 3 of y"):
        TargetWords().fit(["a", "b"], [[0], [1], [1]])


def test_target_words_in_a_pipeline():
    pandas = pytest.importorskip("pandas")
    from sklearn.compose import make_column_transformer
    from sklearn.model_selection import cross_val_predict

    frame = pandas.DataFrame({"town": ["Rome", "Oslo"] * 20, "size": range(40)})
    Y = np.array([[1, 0], [0, 1]] * 20)
    parts = make_column_transformer((TargetWords(), ["town"]), remainder="passthrough")
    found = cross_val_predict(make_pipeline(parts, BR(Logistic())), frame, Y, cv=4)
    np.testing.assert_array_equal(found, Y)

"""
Tagging text
============

Notes to a help desk get tags: several each, or none. The features are weights of words and pairs of
words, one classifier per tag does the rest, and thresholds are moved to where F1 is best.
"""

import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

from mulberry import (BR, LabelDisplay, Logistic, TextVectorizer, Threshold, ThresholdDisplay, datasets,
                      metrics)
from mulberry.model_selection import train_test_split

notes = datasets.make("tagged-text", rows=600, noise=0.3, as_frame=True)
texts, Y = notes.texts["body"], notes.Y
print(texts[0])
Y.head()

# %%
# ``datasets.load("notes.csv", text=["body"], label_list="tags")`` reads such notes from a file. The
# split gives both parts their share of every tag.
train_texts, test_texts, Y_train, Y_test = train_test_split(texts, Y, random_state=1)

plain = make_pipeline(TextVectorizer(ngram_range=(1, 2)), BR(Logistic()))
plain.fit(train_texts, Y_train)
print(f"micro-F1 {metrics.micro_f1(Y_test, plain.predict(test_texts)):.3f}")

# %%
# With few training rows the model says too little: it predicts fewer tags than there are.
LabelDisplay.from_predictions(Y_test, plain.predict(test_texts))
plt.title("cut at a probability of one half")
plt.tight_layout()

# %%
# The curves of precision and recall show why: F1 is higher at a lower threshold.
ThresholdDisplay.from_estimator(plain, test_texts, Y_test, name="all tags together")

# %%
# ``Threshold`` finds the cuts from training rows alone, by scores of models that have not seen them.
tuned = make_pipeline(TextVectorizer(ngram_range=(1, 2)), Threshold(BR(Logistic()), cut="macro_f"))
tuned.fit(train_texts, Y_train)
print(f"micro-F1 {metrics.micro_f1(Y_test, tuned.predict(test_texts)):.3f}")

LabelDisplay.from_predictions(Y_test, tuned.predict(test_texts))
plt.title("cut where F1 is best")
plt.tight_layout()

# %%
# The tags of new notes, by name.
vectorizer, tagger = (step for _, step in tuned.steps)
new = ["the invoice is wrong and the box was damaged", "I love the new design"]
print(tagger.predict_sets(vectorizer.transform(new)))

plt.show()

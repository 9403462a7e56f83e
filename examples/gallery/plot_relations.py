"""
Which label helps which
=======================

MAHR boosts one classifier per label, and a label may reuse the classifier of another one. What it reuses,
and how much, says how labels relate: with a direction, unlike a correlation.
"""

import matplotlib.pyplot as plt

from mulberry import MAHR, RelationshipDisplay, RelationshipGraphDisplay, datasets

photos = datasets.make("photos", rows=1000, as_frame=True)

# %%
# First the correlations of the labels, for comparison. They are the same in both directions.
display = RelationshipDisplay.from_labels(photos.Y)
display.ax_.set_title("correlation")
plt.tight_layout()

# %%
# The reuse scores are a table with names on both sides: the column helps, the row learns.
model = MAHR(rounds=100).fit(photos.X, photos.Y)
model.reuse_score_

# %%
# The heat map is not symmetric: *sea* helps to recognise a *boat*, which needs the sea; a boat says
# little about the sea.
display = RelationshipDisplay.from_estimator(model)
display.ax_.set_title("reuse score")
plt.tight_layout()
table = model.reuse_score_
print(f"sea helps boat {table['boat', 'sea']:.3f}, boat helps sea {table['sea', 'boat']:.3f}")

# %%
# The strongest arrows as a graph; orange ones speak against the label.
RelationshipGraphDisplay.from_estimator(model, most=14)
plt.tight_layout()

# %%
# Would an arrow be there again on other rows? Halves of the data give an idea. Scores below 0.05 mean
# little. ``mulberry relations --repeats`` does the same on the command line.
halves = [MAHR(rounds=100).fit(part.drop(columns=photos.Y.columns), part[photos.Y.columns])
          for part in (photos.to_frame().sample(frac=0.5, random_state=k) for k in range(5))]
for helper, learner, score in table.arrows(least=0.1)[:6]:
    again = sum(abs(half.reuse_score_[learner, helper]) > 0.05 for half in halves)
    print(f"{helper:8} -> {learner:8} {score:6.3f}   in {again} of {len(halves)} halves")

plt.show()

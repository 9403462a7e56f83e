"""The order of the gallery."""

ORDER = ["plot_text.py", "plot_pipelines.py", "plot_missing_labels.py", "plot_relations.py", "plot_degrees.py",
         "plot_comparison.py"]


def key(name: str) -> int:
    return ORDER.index(name)

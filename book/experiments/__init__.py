"""The paper's experiments: what they compute, and how they are run."""

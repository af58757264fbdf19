"""What the questions share: servers of their own, what is watched beside them, documents read in process, reports."""

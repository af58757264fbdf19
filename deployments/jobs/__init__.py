"""Jobs: the one owner of job state. A page is finished when its row is committed, and never before."""

"""Published programs that send documents to servers, run unchanged: their sources are not in this repository."""

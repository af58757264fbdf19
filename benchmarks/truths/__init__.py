"""What a person or an author says of a document: the oracle of the benchmarks of reading."""

"""Values to the places of a document where they stand."""

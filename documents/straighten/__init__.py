"""A page that is a picture: where its paper lies, how it leans, which end is up; all that makes it stand straight."""

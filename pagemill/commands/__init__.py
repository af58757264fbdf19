"""The subcommands of `pagemill`."""

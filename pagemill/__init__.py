"""What people hold in hand: the command line. It speaks HTTP to a server and imports no Ray."""

"""What writes: answers, chats and JSON of schemas, by our own language model or a server's."""

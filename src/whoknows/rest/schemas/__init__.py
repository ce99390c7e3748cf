"""What requests and answers look like on the wire."""

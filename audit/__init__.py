"""What happened: events, their recording, later their sealing and proof."""

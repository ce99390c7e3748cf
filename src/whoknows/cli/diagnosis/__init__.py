"""What the doctor looks at, part by part."""

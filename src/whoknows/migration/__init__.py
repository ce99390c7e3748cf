"""Native memories of programs: read, split by project, brought through the gate, accounted for line by line."""

"""The scripts of the Bureau that come with the package, as YAML files."""

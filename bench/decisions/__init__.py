"""Recall over decision records: is a named source among the first five, with no superseded record before it?"""

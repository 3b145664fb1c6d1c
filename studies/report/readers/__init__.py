"""Run folders read into what their pages say."""

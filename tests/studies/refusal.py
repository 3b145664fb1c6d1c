"""What every refusal of an input is."""


def refused(ended, sentences):
    assert ended.code == 2, ended
    assert "Traceback" not in ended.err
    for sentence in sentences:
        assert sentence in ended.err, ended.err

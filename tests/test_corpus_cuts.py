"""Recorded streams, cut in two at every place.

An answer's events are rewritten frame by frame, so that cuts are harmless if the frames stay as
they are. That they do is shown by induction: whether and where a frame is cut in two, the same
frame comes out, and the framer is left in the same state for all that follows.
"""

import copy
from itertools import pairwise

import pytest
from hypothesis import settings

from recordings import RECORDINGS, Recording

STRIDE = max(1, 1000 // settings().max_examples)
"""Every place is tried in the deep profile, and some of them otherwise."""


@pytest.mark.parametrize(
    "recording", [one for one in RECORDINGS if one.streamed], ids=lambda recording: recording.name
)
def test_a_frame_is_the_same_wherever_it_is_cut(recording: Recording) -> None:
    data = recording.data
    frames = recording.framer().feed(data)
    ends = [0]
    for frame in frames:
        ends.append(ends[-1] + len(frame.raw))

    framer = recording.framer()
    for frame, (start, end) in zip(frames, pairwise(ends), strict=True):
        before, cut = copy.deepcopy(framer), copy.deepcopy(framer)
        assert framer.feed(data[start:end]) == [frame]
        for place in range(start + 1, end, STRIDE):
            if vars(cut) != vars(before):
                cut = copy.deepcopy(before)
            assert [*cut.feed(data[start:place]), *cut.feed(data[place:end])] == [frame], place
            assert vars(cut) == vars(framer), place

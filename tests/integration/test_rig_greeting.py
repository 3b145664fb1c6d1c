"""What a device makes of the server that answers its greeting: it takes a possible test and refuses any other."""

import math
import socket
from dataclasses import replace

import pytest
from rig_session import Rig

from catenary.errors import InputError
from dynamics.rig.service.device import agreed_delay, greet
from dynamics.rig.service.frames import Kind, pack
from dynamics.rig.service.spec import AddressSpec


def answered(frame):
    """What a device makes of a server that answers its greeting with a frame."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device,
    ):
        server.bind(("127.0.0.1", 0))
        device.bind(("127.0.0.1", 0))
        server.sendto(pack(frame), device.getsockname())
        address = AddressSpec(host="127.0.0.1", port=server.getsockname()[1])
        return greet(device, address, 0, 0.0, 5.0)


def test_a_device_takes_the_servers_delay_or_refuses_it():
    welcome = Rig().welcome
    assert welcome.second == 8.0 and answered(welcome) == welcome
    assert agreed_delay(welcome, 0) == agreed_delay(welcome, 8) == 8
    with pytest.raises(InputError, match="delay_steps must be 8, on which the server counts: got 5 steps"):
        agreed_delay(welcome, 5)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"step_ns": 0}, "must offer steps of 0.1 to 100 ms"),
        ({"second": math.nan}, "a delay of 1 to 100 steps"),
        ({"steps": 0}, "must offer steps"),
        ({"kind": Kind.REFUSAL, "status": 77}, "refuses for a reason that is not known here"),
    ],
)
def test_a_device_refuses_a_test_that_cannot_be(change, sentence):
    with pytest.raises(InputError, match=sentence):
        answered(replace(Rig().welcome, **change))

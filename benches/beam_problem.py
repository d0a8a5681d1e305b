"""The beams every code solves: numbers only, so that no code can differ by a typing error.

pendulum  very flexible pendulum: pinned at the origin, straight and horizontal, released under gravity
flying    free beam under a force and a moment at its first end, a triangle of 5 s in time whose corners are ends of steps
spinup    beam whose root turns as prescribed, up to 6 rad/s at 15 s and at constant speed then
"""
import math

RHO_INFINITY = 0.9


class Beam:
    """A straight beam in the plane xy: ends, section, gravity."""

    def __init__(self, start, end, ga, ea, ei, mass, rotary, gravity=0.0):
        self.start, self.end, self.gravity = start, end, gravity
        self.ga, self.ea, self.ei, self.mass, self.rotary = ga, ea, ei, mass, rotary
        self.length = math.dist(start, end)
        self.angle = math.atan2(end[1] - start[1], end[0] - start[0])

    def place(self, share):
        return [a + share * (b - a) for a, b in zip(self.start, self.end)]


def _pendulum():
    e, area, second, density = 0.7e6, 0.0018, 1.215e-8, 5540.0
    return Beam((0.0, 0.0), (1.2, 0.0), 5 / 6 * e / 2.6 * area, e * area, e * second, density * area, density * second, 9.81)


BEAMS = {
    "pendulum": _pendulum(),
    "flying": Beam((6.0, 0.0), (0.0, 8.0), 1e4, 1e4, 500.0, 1.0, 10.0),
    "spinup": Beam((0.0, 0.0), (10.0, 0.0), 1e7, 2.8e7, 1.4e4, 1.2, 6e-4),
}

# The moment of the flying beam is this many times its force.
MOMENT = -10.0


def pulse(t):
    """Force along x on the first end of the flying beam."""
    return 3.2 * t if t < 2.5 else 16.0 - 3.2 * t if t < 5.0 else 0.0


def root_angle(t):
    """Angle of the root of the spin-up beam and its rate."""
    if t >= 15.0:
        return 6.0 * t - 45.0, 6.0
    k = 2.0 * math.pi / 15.0
    return 0.4 * (t * t / 2.0 + (math.cos(k * t) - 1.0) / k**2), 0.4 * (t - math.sin(k * t) / k)


def steady_length():
    """Length of the bar that turns at 6 rad/s: tan(bL)/b with b² = ω²ρA/EA."""
    beam = BEAMS["spinup"]
    b = 6.0 * math.sqrt(beam.mass / beam.ea)
    return math.tan(b * beam.length) / b

# How far each beam is followed (s).
END = {"pendulum": 0.5, "flying": 10.0, "spinup": 20.0}

# Both ends of the beam there: Poinsot with cubic elements (100 and 200; 32 and 64; 10 and 20), extrapolated from two step
# lengths.  Known to 3e-7, 3e-6 and 1e-8.  Independent checks: spectral elements give x = 0.395911095 for the tip of the pendulum
# and y = 0.031299822 for that of the flying beam; the spin-up beam has its steady length to 2.5e-7.
REFERENCE = {
    "pendulum": [[0.0, 0.0], [0.39591109, -1.21642494]],
    "flying": [[21.065042, 7.951493], [14.957286, 0.031300]],
    "spinup": [[0.0, 0.0], [9.21826872, -3.87734615]],
}

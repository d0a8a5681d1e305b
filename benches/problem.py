"""The chain every code solves: numbers only, so that no code can differ by a typing error.

N equal rods, 10 m and 10 kg in all, straight along +x from a fixed point, released at t = 0 under gravity.

planar   revolute joints, slender rods, gravity -y, at rest
spatial  spherical joints, solid cylinders of radius (link length)/10, gravity -z, the straight chain
         turning as one body at 1 rad/s about +z
"""
GRAVITY = 9.81
LENGTH = 10.0
MASS = 10.0
SPIN = 1.0
RHO_INFINITY = 0.9


class Chain:
    """Data of one chain: dimension, link length and mass, and the two central moments of inertia."""

    def __init__(self, kind, n):
        self.kind, self.n = kind, n
        self.dim = {"planar": 2, "spatial": 3}[kind]
        self.length, self.mass = LENGTH / n, MASS / n
        l, m = self.length, self.mass
        radius = 0.0 if kind == "planar" else l / 10.0
        self.transverse = m * (3.0 * radius**2 + l**2) / 12.0
        # The axial moment plays no part in the plane; it only has to be positive.
        self.axial = 1e-2 * self.transverse if kind == "planar" else m * radius**2 / 2.0
        self.spin = 0.0 if kind == "planar" else SPIN
        self.gravity = [0.0, -GRAVITY, 0.0] if kind == "planar" else [0.0, 0.0, -GRAVITY]

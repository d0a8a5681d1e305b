"""One run of the chain with Drake's MultibodyPlant: joint coordinates, Runge-Kutta 2 with a fixed step.

`drake_chain.py kind n h steps rk2`
"""
import importlib.metadata
import sys

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BallRpyJoint, FixedOffsetFrame, RevoluteJoint, SpatialInertia, UnitInertia
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

from worker import Request, cpu_seconds, report

request = Request(sys.argv)
chain = request.chain
l, m = chain.length, chain.mass


def build():
    plant = MultibodyPlant(time_step=0.0)
    unit = UnitInertia(chain.axial / m, chain.transverse / m, chain.transverse / m)
    inertia = SpatialInertia.MakeFromCentralInertia(mass=m, p_PScm_E=[l / 2, 0, 0], I_SScm_E=unit * m)
    frame = plant.world_frame()
    for i in range(chain.n):
        body = plant.AddRigidBody(f"link{i}", inertia)
        if chain.kind == "planar":
            plant.AddJoint(RevoluteJoint(f"joint{i}", frame, body.body_frame(), [0, 0, 1]))
        else:
            plant.AddJoint(BallRpyJoint(f"joint{i}", frame, body.body_frame()))
        frame = plant.AddFrame(FixedOffsetFrame(f"end{i}", body.body_frame(), RigidTransform([l, 0, 0])))
    plant.mutable_gravity_field().set_gravity_vector(chain.gravity)
    plant.Finalize()
    return plant, frame


plant, end = build()
simulator = Simulator(plant)
context = simulator.get_mutable_context()
speeds = np.zeros(plant.num_velocities())
if chain.kind == "spatial":
    speeds[2] = chain.spin
plant.SetVelocities(context, speeds)
ResetIntegratorFromFlags(simulator, "runge_kutta2", request.h)
simulator.get_mutable_integrator().set_fixed_step_mode(True)
simulator.Initialize()

stops, first = None, 0.0
start = cpu_seconds()
try:
    simulator.AdvanceTo(request.h)
    first = cpu_seconds() - start
    simulator.AdvanceTo(request.steps * request.h)
except RuntimeError as error:
    why = "ball joint at its angle singularity" if "singular" in str(error).lower() or "gimbal" in str(error).lower() else "error"
    stops = f"stops at t = {context.get_time():.4g} s ({why})"
seconds = cpu_seconds() - start
tip = [float("nan")] * 3
if stops is None:
    tip = [float(x) for x in plant.CalcPointsPositions(context, end, np.zeros((3, 1)), plant.world_frame()).ravel()]
    if not np.isfinite(tip).all():
        stops = "diverges (not a number)"
report(version=importlib.metadata.version("drake"), first=first, seconds=seconds, tip=tip, stops=stops)

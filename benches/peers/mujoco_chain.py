"""One run of the chain with MuJoCo: a kinematic tree in joint coordinates.

`mujoco_chain.py kind n h steps integrator`; integrator is `rk4` or `implicit`.
"""
import sys

import mujoco
import numpy as np

from worker import Request, cpu_seconds, report

request = Request(sys.argv)
chain = request.chain

spec = mujoco.MjSpec()
spec.option.timestep = request.h
spec.option.integrator = {"rk4": mujoco.mjtIntegrator.mjINT_RK4, "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT}[request.option]
spec.option.gravity = chain.gravity
spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
spec.memory = 1 << 30
kind = mujoco.mjtJoint.mjJNT_HINGE if chain.kind == "planar" else mujoco.mjtJoint.mjJNT_BALL
parent = spec.worldbody
for i in range(chain.n):
    parent = parent.add_body(
        pos=[chain.length if i else 0.0, 0, 0], mass=chain.mass, ipos=[chain.length / 2, 0, 0],
        inertia=[chain.axial, chain.transverse, chain.transverse], explicitinertial=True)
    parent.add_joint(type=kind, axis=[0, 0, 1])
model = spec.compile()
data = mujoco.MjData(model)
if chain.kind == "spatial":
    data.qvel[2] = chain.spin

start = cpu_seconds()
mujoco.mj_step(model, data, nstep=1)
first = cpu_seconds() - start
if request.steps > 1:
    mujoco.mj_step(model, data, nstep=request.steps - 1)
seconds = cpu_seconds() - start
reset = any(data.warning[w].number for w in (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC))
mujoco.mj_kinematics(model, data)
tip = data.xpos[chain.n] + data.xmat[chain.n].reshape(3, 3) @ np.array([chain.length, 0.0, 0.0])
report(version=mujoco.__version__, first=first, seconds=seconds, tip=[float(x) for x in tip],
       stops="diverges (the state was reset)" if reset else None)

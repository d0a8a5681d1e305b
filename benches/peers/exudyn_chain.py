"""One run of the chain with Exudyn: rigid bodies and joints as constraints, generalized-alpha, index 3.

`exudyn_chain.py kind n h steps variant`; variant is `default` (what `import exudyn` gives) or `tuned` (its
module without range checks, and the sparse solver keeps the pattern it analysed).  Everything not set
below is Exudyn's own default: modified Newton, relative tolerance 1e-8, absolute tolerance 1e-10, one thread.
"""
import sys

from worker import Request, cpu_seconds, report

request = Request(sys.argv)
tuned = request.option == "tuned"
if tuned:
    sys.exudynFast = True

import exudyn as exu  # noqa: E402  (the line above chooses which module this loads)
import exudyn.itemInterface as item  # noqa: E402

exu.config.printToConsole = False


def build(chain):
    """The chain as an assembled Exudyn system, and its last body."""
    mbs = exu.SystemContainer().AddSystem()
    l, m = chain.length, chain.mass
    ground = mbs.AddObject(item.ObjectGround())
    end = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    for i in range(chain.n):
        x = (i + 0.5) * l
        if chain.kind == "planar":
            node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[x, 0, 0]))
            body = mbs.AddObject(item.ObjectRigidBody2D(nodeNumber=node, mass=m, inertia=chain.transverse))
        else:
            node = mbs.AddNode(item.NodeRigidBodyRotVecLG(
                referenceCoordinates=[x, 0, 0, 0, 0, 0],
                initialVelocities=[0, chain.spin * x, 0, 0, 0, chain.spin]))
            moments = [chain.axial, chain.transverse, chain.transverse, 0, 0, 0]
            body = mbs.AddObject(item.ObjectRigidBody(nodeNumber=node, mass=m, inertia=moments))
        near = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[-l / 2, 0, 0]))
        joint = item.ObjectJointRevolute2D if chain.kind == "planar" else item.ObjectJointSpherical
        mbs.AddObject(joint(markerNumbers=[end, near]))
        weight = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(item.LoadMassProportional(markerNumber=weight, loadVector=chain.gravity))
        end = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[l / 2, 0, 0]))
    mbs.Assemble()
    return mbs, body


def settings(chain, h, steps):
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = steps
    s.timeIntegration.endTime = steps * h
    s.timeIntegration.adaptiveStep = False
    s.timeIntegration.generalizedAlpha.spectralRadius = request.rho_infinity
    s.timeIntegration.verboseMode = 0
    s.solution.file.write = False
    s.solution.sensors.active = False
    s.show.statistics = False
    # The faster of Exudyn's two direct solvers at each size.
    small = chain.kind == "planar" and chain.n <= 10 and not tuned
    s.linearSolver.reuseAnalyzedPattern = tuned
    s.linearSolver.solverType = exu.LinearSolverType.EXUdense if small else exu.LinearSolverType.EigenSparse
    return s


def solve(steps):
    """CPU seconds of the solver call, whether it got to the end, the solver's counters and the tip."""
    mbs, body = build(request.chain)
    s = settings(request.chain, request.h, steps)
    start = cpu_seconds()
    try:
        done = mbs.SolveDynamic(s, storeSolver=True)
    except exu.SolverError:
        done = False
    seconds = cpu_seconds() - start
    tip = mbs.GetObjectOutputBody(body, exu.OutputVariableType.Position, [request.chain.length / 2, 0, 0])
    return seconds, done, mbs.sys["dynamicSolver"].it, [float(x) for x in tip]


first, _, _, _ = solve(1)
seconds, done, it, tip = solve(request.steps)
reached = float(it.currentTime)
report(
    version=exu.__version__.split("-")[0], first=first, seconds=seconds, tip=tip,
    stops=None if done else f"Newton fails, stops at t = {reached:.4g} s",
    iterations=it.newtonStepsCount / request.steps, factorisations=it.newtonJacobiCount / request.steps)

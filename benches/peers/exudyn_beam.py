"""One run of a beam with Exudyn: generalized-alpha, index 3.

`exudyn_beam.py case n h steps element variant`; element is `plane` (ObjectBeamGeometricallyExact2D), `space`
(ObjectBeamGeometricallyExact, Lie-group nodes), `cable` (ObjectANCFCable2D), `cable-space` (ObjectANCFCable),
`sections` (ObjectANCFBeam) or `plate` (ObjectANCFThinPlate; these four pendulum only), variant `default` or `tuned`
(its module without range checks, and the sparse solver keeps the pattern it analysed).  Everything not set below is Exudyn's
own default: modified Newton, relative tolerance 1e-8, absolute tolerance 1e-10, one thread.
"""
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from beam_problem import BEAMS, MOMENT, RHO_INFINITY, pulse, root_angle  # noqa: E402

case, n, h, steps, element, variant = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:7]
tuned = variant == "tuned"
if tuned:
    sys.exudynFast = True

import exudyn as exu  # noqa: E402  (the line above chooses which module this loads)
import exudyn.itemInterface as item  # noqa: E402

exu.config.printToConsole = False
beam = BEAMS[case]


def add_plane(mbs):
    nodes = [mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[*beam.place(k / n), beam.angle])) for k in range(n + 1)]
    return nodes, [mbs.AddObject(item.ObjectBeamGeometricallyExact2D(
        nodeNumbers=[nodes[k], nodes[k + 1]], length=beam.length / n, massPerLength=beam.mass,
        crossSectionInertia=beam.rotary, bendingStiffness=beam.ei, axialStiffness=beam.ea, shearStiffness=beam.ga,
        includeReferenceRotations=False)) for k in range(n)]


def add_space(mbs):
    section = exu.BeamSection()
    section.massPerLength = beam.mass
    section.inertia = [[2 * beam.rotary, 0, 0], [0, beam.rotary, 0], [0, 0, beam.rotary]]
    stiffness = [beam.ea, beam.ga, beam.ga, beam.ei, beam.ei, beam.ei]
    section.stiffnessMatrix = [[s if i == j else 0 for j in range(6)] for i, s in enumerate(stiffness)]
    nodes = [mbs.AddNode(item.NodeRigidBodyRotVecLG(
        referenceCoordinates=[*beam.place(k / n), 0, 0, 0, beam.angle])) for k in range(n + 1)]
    return nodes, [mbs.AddObject(item.ObjectBeamGeometricallyExact(
        nodeNumbers=[nodes[k], nodes[k + 1]], length=beam.length / n, sectionData=section)) for k in range(n)]


def add_cable(mbs):
    nodes = [mbs.AddNode(item.NodePoint2DSlope1(referenceCoordinates=[*beam.place(k / n), 1, 0])) for k in range(n + 1)]
    return nodes, [mbs.AddObject(item.ObjectANCFCable2D(
        nodeNumbers=[nodes[k], nodes[k + 1]], length=beam.length / n, massPerLength=beam.mass,
        bendingStiffness=beam.ei, axialStiffness=beam.ea, useReducedOrderIntegration=2)) for k in range(n)]


def add_cable_space(mbs):
    nodes = [mbs.AddNode(item.NodePointSlope1(referenceCoordinates=[*beam.place(k / n), 0, 1, 0, 0])) for k in range(n + 1)]
    return nodes, [mbs.AddObject(item.ObjectANCFCable(
        nodeNumbers=[nodes[k], nodes[k + 1]], length=beam.length / n, massPerLength=beam.mass,
        bendingStiffness=beam.ei, axialStiffness=beam.ea, useReducedOrderIntegration=1)) for k in range(n)]


def add_sections(mbs):
    section = exu.BeamSection()
    section.massPerLength = beam.mass
    section.inertia = [[2 * beam.rotary, 0, 0], [0, beam.rotary, 0], [0, 0, beam.rotary]]
    stiffness = [beam.ea, beam.ga, beam.ga, beam.ei, beam.ei, beam.ei]
    section.stiffnessMatrix = [[s if i == j else 0 for j in range(6)] for i, s in enumerate(stiffness)]
    nodes = [mbs.AddNode(item.NodePointSlope23(
        referenceCoordinates=[*beam.place(k / n), 0, 0, 1, 0, 0, 0, 1])) for k in range(n + 1)]
    return nodes, [mbs.AddObject(item.ObjectANCFBeam(
        nodeNumbers=[nodes[k], nodes[k + 1]], length=beam.length / n, sectionData=section)) for k in range(n)]


def add_plate(mbs):
    """A strip of one element across, 0.2 m wide, without Poisson's ratio."""
    width, thickness = 0.2, (12 * beam.ei / beam.ea) ** 0.5
    young = beam.ea / (width * thickness)
    membrane = [[young * thickness, 0, 0], [0, young * thickness, 0], [0, 0, 0.5 * young * thickness]]
    bending = [[c * thickness ** 2 / 12 for c in row] for row in membrane]
    four = lambda matrix: exu.Matrix3DList([matrix] * 4)
    rows = [[mbs.AddNode(item.NodePointSlope12(
        referenceCoordinates=[*beam.place(k / n), z, 1, 0, 0, 0, 0, 1])) for k in range(n + 1)] for z in (0, width)]
    near, far = rows
    elements = [mbs.AddObject(item.ObjectANCFThinPlate(
        nodeNumbers=[near[k], near[k + 1], far[k + 1], far[k]], thickness=[thickness] * 4,
        density=beam.mass / (width * thickness), strainCoefficients=four(membrane), curvatureCoefficients=four(bending))) for k in range(n)]
    # Of the edge that is held the places and the slopes along it.
    hold(mbs, near[0], [0, 1, 2, 6, 7, 8])
    hold(mbs, far[0], [0, 1, 2, 6, 7, 8])
    return near, elements


def hold(mbs, node, coordinates, drive=None):
    """Fixes coordinates of a node; the last of them follows `drive`."""
    still = mbs.AddMarker(item.MarkerNodeCoordinate(
        nodeNumber=mbs.AddNode(item.NodePointGround(referenceCoordinates=[0, 0, 0])), coordinate=0))
    for c in coordinates:
        driven = {}
        if drive and c == coordinates[-1]:
            driven = dict(offsetUserFunction=lambda mbs, t, i, x: drive(t)[0],
                          offsetUserFunction_t=lambda mbs, t, i, x: drive(t)[1])
        own = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=c))
        mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[still, own], **driven))


def build():
    mbs = exu.SystemContainer().AddSystem()
    nodes, elements = {"plane": add_plane, "space": add_space, "cable": add_cable, "cable-space": add_cable_space,
                       "sections": add_sections, "plate": add_plate}[element](mbs)
    if beam.gravity:
        for e in elements:
            weight = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=e))
            mbs.AddLoad(item.LoadMassProportional(markerNumber=weight, loadVector=[0, -beam.gravity, 0]))
    if case == "flying":
        root = mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=nodes[0]))
        mbs.AddLoad(item.LoadForceVector(
            markerNumber=root, loadVectorUserFunction=lambda mbs, t, load: [pulse(t), 0, 0]))
        mbs.AddLoad(item.LoadTorqueVector(
            markerNumber=root, loadVectorUserFunction=lambda mbs, t, load: [0, 0, MOMENT * pulse(t)]))
    elif case == "pendulum" and element != "plate":
        hold(mbs, nodes[0], range(3) if element in ("space", "cable-space", "sections") else range(2))
    elif element == "plate":
        pass
    elif element == "plane":
        hold(mbs, nodes[0], range(3), root_angle)
    else:
        sys.exit("this case is not set up for this element")
    mbs.Assemble()
    return mbs, nodes


def settings(steps):
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = steps
    s.timeIntegration.endTime = steps * h
    s.timeIntegration.adaptiveStep = False
    s.timeIntegration.generalizedAlpha.spectralRadius = RHO_INFINITY
    s.timeIntegration.verboseMode = 0
    if case == "spinup":
        # The default of 1e-10 is below the round-off of EA/L and stops it after 12 steps.
        s.timeIntegration.newton.absoluteTolerance = 1e-5
    elif n > 100 or h < 5e-3 and case == "flying":
        # So it is with many elements or short steps.
        s.timeIntegration.newton.absoluteTolerance = 1e-6
    s.solution.file.write = False
    s.solution.sensors.active = False
    s.show.statistics = False
    # The faster of Exudyn's two direct solvers at each size.
    small = n <= 10 and element not in ("space", "cable-space", "sections", "plate")
    s.linearSolver.reuseAnalyzedPattern = tuned
    s.linearSolver.solverType = exu.LinearSolverType.EXUdense if small else exu.LinearSolverType.EigenSparse
    return s


def solve(steps):
    """CPU seconds of the solver call, whether it got to the end, the solver's counters and both ends."""
    mbs, nodes = build()
    s = settings(steps)
    start = time.process_time()
    try:
        done = mbs.SolveDynamic(s, storeSolver=True)
    except exu.SolverError:
        done = False
    seconds = time.process_time() - start
    ends = [[float(x) for x in mbs.GetNodeOutput(k, exu.OutputVariableType.Position)[:2]] for k in (nodes[0], nodes[n])]
    return seconds, done, mbs.sys["dynamicSolver"].it, ends


first, _, _, _ = solve(1)
seconds, done, it, ends = solve(steps)
print(json.dumps(dict(
    version=exu.__version__.split("-")[0], first=first, seconds=seconds, ends=ends,
    stops=None if done else f"stops at t = {float(it.currentTime):.4g} s",
    iterations=it.newtonStepsCount / steps, factorisations=it.newtonJacobiCount / steps)), flush=True)

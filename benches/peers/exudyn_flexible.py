"""One run of a flexible pendulum with Exudyn: floating frame, Hurty-Craig-Bampton modes, generalized-alpha of index 3.

`exudyn_flexible.py folder modes h steps`; the folder has k.mtx, m.mtx and nodes.csv of the full body.  Its module without range
checks is used, and the sparse solver keeps the pattern that it analysed.  Set-up is all from matrices in memory on.
"""
import json
import sys
import time

import numpy as np
from scipy.io import mmread

sys.exudynFast = True
import exudyn as exu  # noqa: E402
import exudyn.FEM as fem_module  # noqa: E402
import exudyn.itemInterface as item  # noqa: E402

folder, modes, h, steps = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
exu.config.printToConsole = False
places = np.loadtxt(f"{folder}/nodes.csv", delimiter=",")
K, M = (mmread(f"{folder}/{name}.mtx").tocsr() for name in "km")


def build():
    start = time.process_time(), time.perf_counter()
    fem = fem_module.FEMinterface()
    fem.nodes = {"Position": places}
    fem.massMatrix, fem.stiffnessMatrix = M, K
    length = places[:, 0].max()
    ends = [[int(k) for k in np.flatnonzero(np.abs(places[:, 0] - x) < 1e-9 * length)] for x in (0, length)]
    fem.ComputeHurtyCraigBamptonModes(
        boundaryNodesList=ends, nEigenModes=modes, useSparseSolver=True,
        computationMode=fem_module.HCBstaticModeSelection.RBE2)
    cms = fem_module.ObjectFFRFreducedOrderInterface(fem)
    mbs = exu.SystemContainer().AddSystem()
    body = cms.AddObjectFFRFreducedOrder(mbs, gravity=[0, 0, -9.81])
    weights = [np.full(len(nodes), 1 / len(nodes)) for nodes in ends]
    root, tip = (mbs.AddMarker(item.MarkerSuperElementRigid(
        bodyNumber=body["oFFRFreducedOrder"], meshNodeNumbers=np.array(nodes), weightingFactors=weight))
        for nodes, weight in zip(ends, weights))
    ground = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=mbs.AddObject(item.ObjectGround()), localPosition=[0, 0, 0]))
    mbs.AddObject(item.GenericJoint(markerNumbers=[ground, root], constrainedAxes=[1, 1, 1, 1, 0, 1]))
    sensor = mbs.AddSensor(item.SensorMarker(markerNumber=tip, outputVariableType=exu.OutputVariableType.Position))
    mbs.Assemble()
    return mbs, sensor, [time.process_time() - start[0], time.perf_counter() - start[1]]


def settings(steps):
    s = exu.SimulationSettings()
    s.timeIntegration.numberOfSteps = steps
    s.timeIntegration.endTime = steps * h
    s.timeIntegration.adaptiveStep = False
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    s.timeIntegration.verboseMode = 0
    s.timeIntegration.newton.useModifiedNewton = True
    s.solution.file.write = False
    s.solution.sensors.active = False
    s.show.statistics = False
    s.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return s


def solve(steps):
    mbs, sensor, setup = build()
    start = time.process_time()
    mbs.SolveDynamic(settings(steps), storeSolver=True)
    seconds = time.process_time() - start
    it = mbs.sys["dynamicSolver"].it
    return setup, seconds, it, [float(x) for x in mbs.GetSensorValues(sensor)]


_, first, _, _ = solve(1)
setup, seconds, it, place = solve(steps)
print(json.dumps(dict(
    version=exu.__version__.split("-")[0], setup=setup[1], step=(seconds - first) / (steps - 1), place=place,
    iterations=it.newtonStepsCount / steps, factorisations=it.newtonJacobiCount / steps)), flush=True)

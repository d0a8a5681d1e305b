#!/usr/bin/env python3
"""Mass and stiffness of a free spatial beam of Euler and Bernoulli along x as MatrixMarket files, and its
nodes: beam_mass.mtx, beam_stiffness.mtx, beam_nodes.csv. Six unknowns of each node: ux uy uz rx ry rz."""
L, N = 1.0, 8
E, G, RHO, A, I = 2.1e11, 8e10, 7850.0, 4e-4, 1.3e-8

h = L / N
BENDING_K = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
             [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
BENDING_M = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
             [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]


def add(matrix, rows, signs, block, factor):
    for i, row in enumerate(rows):
        for j, column in enumerate(rows):
            if row >= column:
                key = (row, column)
                matrix[key] = matrix.get(key, 0.0) + factor * signs[i] * signs[j] * block[i][j]


def write(name, matrix):
    entries = [(r + 1, c + 1, v) for (r, c), v in sorted(matrix.items()) if v != 0.0]
    with open(name, "w") as file:
        print("%%MatrixMarket matrix coordinate real symmetric", file=file)
        print(6 * (N + 1), 6 * (N + 1), len(entries), file=file)
        for entry in entries:
            print(*(f"{x!r}" for x in entry), file=file)


mass, stiffness = {}, {}
for e in range(N):
    a, b = 6 * e, 6 * e + 6
    # Stretch and torsion; the polar inertia of the section is that of both bendings.
    for k, rigidity, inertia in [(0, E * A, RHO * A), (3, G * 2 * I, RHO * 2 * I)]:
        add(stiffness, [a + k, b + k], [1, 1], [[1, -1], [-1, 1]], rigidity / h)
        add(mass, [a + k, b + k], [1, 1], [[2, 1], [1, 2]], inertia * h / 6)
    # Bending along y turns about z; along z it turns about −y.
    for shift, turn, sign in [(1, 5, 1), (2, 4, -1)]:
        rows, signs = [a + shift, a + turn, b + shift, b + turn], [1, sign, 1, sign]
        add(stiffness, rows, signs, BENDING_K, E * I / h**3)
        add(mass, rows, signs, BENDING_M, RHO * A * h / 420)
write("beam_mass.mtx", mass)
write("beam_stiffness.mtx", stiffness)
with open("beam_nodes.csv", "w") as file:
    print("label,x,y,z", file=file)
    for n in range(N + 1):
        print(f"{n + 1},{n * h!r},0.0,0.0", file=file)

#!/usr/bin/env python3
"""A box of hexahedra with 20 nodes along x as a Gmsh file (2.2), with the groups body, root and tip.

    box_mesh.py LENGTH WIDTH HEIGHT  NX NY NZ  [TAPER]  > box.msh

The box runs from x = 0 to LENGTH around the x axis; at the tip width and height are TAPER times those at the
root. bar.msh: 1 0.0692820323 0.0692820323 16 2 2; examples/link.msh: 400 60 40 10 2 1 0.6 (mm)."""
import sys

# Corners of a cell, and edges in the order of Gmsh, as steps of half a cell.
CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
EDGES = [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)]


def middle(a, b):
    return tuple((p + q) // 2 for p, q in zip(CORNERS[a], CORNERS[b]))


CELL = CORNERS + [middle(a, b) for a, b in EDGES]
# The faces x = 0 and x = 2 with eight nodes: corners, then middles of the edges.
FACES = [[(x, y, z) for y, z in [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1)]] for x in (0, 2)]


def box(size, count, taper):
    labels, elements = {}, []

    def node(i, j, k):
        return labels.setdefault((i, j, k), len(labels) + 1)

    def add(kind, group, cell, points):
        nodes = [node(*(2 * c + p for c, p in zip(cell, point))) for point in points]
        elements.append([len(elements) + 1, kind, 2, group, group] + nodes)

    cells = [(i, j, k) for i in range(count[0]) for j in range(count[1]) for k in range(count[2])]
    for cell in cells:
        add(17, 1, cell, CELL)
    for cell in cells:
        if cell[0] == 0:
            add(16, 2, cell, FACES[0])
        if cell[0] == count[0] - 1:
            add(16, 3, cell, FACES[1])

    def place(at):
        along = at[0] / (2 * count[0])
        narrow = 1 + (taper - 1) * along
        across = [narrow * size[a] * (at[a] / (2 * count[a]) - 0.5) for a in (1, 2)]
        return [size[0] * along] + across

    print("$MeshFormat\n2.2 0 8\n$EndMeshFormat")
    print('$PhysicalNames\n3\n3 1 "body"\n2 2 "root"\n2 3 "tip"\n$EndPhysicalNames')
    print(f"$Nodes\n{len(labels)}")
    for at, label in labels.items():
        print(label, *(f"{x:.10g}" for x in place(at)))
    print(f"$EndNodes\n$Elements\n{len(elements)}")
    for element in elements:
        print(*element)
    print("$EndElements")


if __name__ == "__main__":
    numbers = [float(text) for text in sys.argv[1:]]
    box(numbers[:3], [int(n) for n in numbers[3:6]], numbers[6] if len(numbers) > 6 else 1.0)

#!/usr/bin/env python3
"""A rectangle of quadrilaterals in the plane z = 0 as a Gmsh file (2.2), with the groups plate and root.

    plate_mesh.py LENGTH WIDTH  NX NY  > plate.msh

It runs from x = 0 to LENGTH around the x axis; root is the edge x = 0. examples/panel.msh: 3 0.8 12 4."""
import sys


def plate(size, count):
    nx, ny = count

    def node(i, j):
        return 1 + i * (ny + 1) + j

    elements = [[3, 1, node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]
                for i in range(nx) for j in range(ny)]
    elements += [[1, 2, node(0, j), node(0, j + 1)] for j in range(ny)]
    print("$MeshFormat\n2.2 0 8\n$EndMeshFormat")
    print('$PhysicalNames\n2\n2 1 "plate"\n1 2 "root"\n$EndPhysicalNames')
    print(f"$Nodes\n{(nx + 1) * (ny + 1)}")
    for i in range(nx + 1):
        for j in range(ny + 1):
            print(node(i, j), f"{size[0] * i / nx:.10g} {size[1] * (j / ny - 0.5):.10g} 0")
    print(f"$EndNodes\n$Elements\n{len(elements)}")
    for number, (kind, group, *nodes) in enumerate(elements, 1):
        print(number, kind, 2, group, group, *nodes)
    print("$EndElements")


if __name__ == "__main__":
    numbers = [float(word) for word in sys.argv[1:5]]
    plate(numbers[:2], [int(n) for n in numbers[2:]])

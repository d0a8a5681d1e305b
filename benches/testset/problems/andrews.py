"""Andrews' squeezing mechanism: seven bodies in the plane, three closed loops, q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)."""
import casadi as ca

from problems.form import mechanism

M1, M2, M3, M4, M5, M6, M7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498
I1, I2, I3, I4, I5, I6, I7 = 2.194e-06, 4.41e-07, 5.255e-06, 5.667e-07, 1.169e-05, 5.667e-07, 1.912e-05
XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
C0, L0, MOMENT = 4530.0, 0.07785, 0.033
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD, TA, TB = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
U, UA, UB, ZF, ZT, FA = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
START = [-6.1713890014276449634e-02, 0.0, 4.5527981916307038026e-01, 2.2266839016588588468e-01, 4.8736497954384255023e-01, -2.2266839016588588468e-01, 1.2305474445498211925]
# The test set compares the seven angles.
REFERENCE = [1.5810771195153707e01, -1.5756371058411839e01, 4.0822240119645807e-02, -5.3473011634207959e-01, 5.2440996587995407e-01, 5.3473011634207959e-01, 1.0480807410419379e00]


def problem():
    q, v, t = ca.SX.sym("q", 7), ca.SX.sym("v", 7), ca.SX.sym("t")
    be, th, ga, ph, de, om, ep = (q[i] for i in range(7))
    vbe, vth, _, vph, vde, vom, vep = (v[i] for i in range(7))
    sin, cos = ca.sin, ca.cos
    e, f = E - EA, ZF - FA
    mass = ca.SX(7, 7)
    mass[0, 0] = M1 * RA**2 + M2 * (RR**2 - 2 * DA * RR * cos(th) + DA**2) + I1 + I2
    mass[1, 0] = mass[0, 1] = M2 * (DA**2 - DA * RR * cos(th)) + I2
    mass[1, 1] = M2 * DA**2 + I2
    mass[2, 2] = M3 * (SA**2 + SB**2) + I3
    mass[3, 3] = M4 * e**2 + I4
    mass[4, 3] = mass[3, 4] = M4 * (e**2 + ZT * e * sin(ph)) + I4
    mass[4, 4] = M4 * (ZT**2 + 2 * ZT * e * sin(ph) + e**2) + M5 * (TA**2 + TB**2) + I4 + I5
    mass[5, 5] = M6 * f**2 + I6
    mass[6, 5] = mass[5, 6] = M6 * (f**2 - U * f * sin(om)) + I6
    mass[6, 6] = M6 * (f**2 - 2 * U * f * sin(om) + U**2) + M7 * (UA**2 + UB**2) + I6 + I7

    spring = ca.vertcat(SD * cos(ga) + SC * sin(ga) + XB - XC, SD * sin(ga) - SC * cos(ga) + YB - YC)
    length = ca.sqrt(ca.dot(spring, spring))
    pull = -C0 * (length - L0) / length * spring
    force = ca.vertcat(
        MOMENT - M2 * DA * RR * vth * (vth + 2 * vbe) * sin(th), M2 * DA * RR * vbe**2 * sin(th),
        pull[0] * (SC * cos(ga) - SD * sin(ga)) + pull[1] * (SD * cos(ga) + SC * sin(ga)),
        M4 * ZT * e * vde**2 * cos(ph), -M4 * ZT * e * vph * (vph + 2 * vde) * cos(ph),
        -M6 * U * f * vep**2 * cos(om), M6 * U * f * vom * (vom + 2 * vep) * cos(om))

    px, py = RR * cos(be) - D * cos(be + th), RR * sin(be) - D * sin(be + th)
    g = ca.vertcat(
        px - SS * sin(ga) - XB, py + SS * cos(ga) - YB, px - E * sin(ph + de) - ZT * cos(de) - XA, py + E * cos(ph + de) - ZT * sin(de) - YA,
        px - ZF * cos(om + ep) - U * sin(ep) - XA, py - ZF * sin(om + ep) + U * cos(ep) - YA)
    return mechanism("andrews", "A03 Andrews' squeezer", q, v, t, mass, force, g, [(0.0, 0.03, [])], START, [0.0] * 7, REFERENCE,
                     1.0, 1e2, 1e5, 1e2, compared=q)

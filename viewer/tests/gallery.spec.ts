/**
 * Pictures of the program's own pages for the user guide: `npm run gallery`, one with `-- -t name`. Each is taken in
 * both themes; the one of the guide goes to docs/images, the other to tests/shots, for looking at.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { ask, folder as profiles, launch, visit } from "./browser";
import { example, Served, succeed, verification } from "./program";

const folder = mkdtempSync(join(tmpdir(), "poinsot-gallery-"));
const images = new URL("../../docs/images/", import.meta.url).pathname;
const shots = new URL("./shots/", import.meta.url).pathname;
mkdirSync(shots, { recursive: true });
afterAll(() => [folder, profiles].forEach((place) => rmSync(place, { recursive: true, force: true })));

type Commands = Record<string, string[]>;
function shot(name: string, theme: "light" | "dark", commands: Commands, act: (page: Page) => Promise<unknown>): void {
  test(name, async () => {
    for (const [out, words] of Object.entries(commands)) await succeed(folder, ...words, "--out", out);
    const server = await Served.start(folder, "view", ...Object.keys(commands));
    for (const scheme of ["light", "dark"] as const) {
      const context = await launch({ viewport: { width: 1280, height: 800 }, colorScheme: scheme, reducedMotion: "reduce" });
      const { page, trouble } = await visit(context, server.address);
      await page.waitForTimeout(300);
      await act(page);
      await page.waitForTimeout(900);
      const path = scheme === theme ? `${images}view_${name}.png` : `${shots}view_${name}_${scheme}.png`;
      await page.screenshot({ path });
      await context.close();
      expect(trouble).toEqual([]);
      expect(statSync(path).size).toBeLessThan(250_000);
    }
    await server.end();
  });
}
const at = (page: Page, time: number): Promise<unknown> => ask(page, (hook, t) => hook.setTime(t), time);
async function display(page: Page, change: () => Promise<unknown>): Promise<void> {
  await page.click("text=Display");
  await change();
  await page.click("header h1");
}

shot("heavy_top", "light", { top: ["run", example("heavy_top")] }, async (page) => {
  await page.selectOption(".body-choice", { label: "top" });
  await at(page, 0.85);
});
shot("four_bar", "dark", { linkage: ["run", example("four_bar")] }, async (page) => {
  await page.selectOption(".body-choice", { label: "coupler" });
  await page.keyboard.press("Escape"); // its trace stays
  await display(page, () => page.check("[name=reactions]"));
  await at(page, 1.21);
});
// The case has no signals of its own: those of the tip are worth a plot.
const tip = ["x", "y", "z"].map((axis) => `[[signal]]\nname = "tip_${axis}"\nvalue = "leg2.node18.position.${axis}"\n`).join("");
writeFileSync(join(folder, "right_angle.toml"), `${readFileSync(verification("beams/c13_right_angle"), "utf8")}\n${tip}`);
shot("beam", "light", { cantilever: ["run", "right_angle.toml"] }, async (page) => {
  await display(page, () => page.selectOption("[aria-label='Colour of beams']", "M1"));
  await at(page, 4);
});
shot("modes", "light", { wing: ["modes", verification("beams/c15_hale_wing")] }, async (page) => {
  await page.keyboard.press("ArrowDown");
  await at(page, 0);
});
shot("compare", "light", { short: ["run", example("double_pendulum")], long: ["run", example("double_pendulum"), "--set", "L=1.1"] }, async (page) => {
  await at(page, 3.2);
});
shot("equilibrium", "light", { frame: ["run", example("portal_frame")] }, async (page) => {
  await display(page, () => page.selectOption(".exaggeration", "100"));
});
shot("path", "dark", { truss: ["run", example("snap_through")] }, async (page) => {
  await at(page, 20);
});

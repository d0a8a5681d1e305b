/** Pictures of the page in many states, for looking at: `npm run shots`, one with `-- -t name`. */
import { mkdirSync, rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { folder, launch, open } from "./browser";
import * as make from "./payloads";

const out = new URL("./shots/", import.meta.url).pathname;
mkdirSync(out, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function shot(name: string, payload: () => object | string, act: (page: Page) => Promise<unknown> = async () => {}, options: object = {}): void {
  test(name, async () => {
    const context = await launch(options);
    const { page, trouble } = await open(context, `shot-${name}`, payload());
    await act(page);
    await page.waitForTimeout(700);
    await page.screenshot({ path: `${out}${name}.png` });
    await context.close();
    expect(trouble).toEqual([]);
  });
}
const at = (time: number) => (page: Page): Promise<unknown> => page.evaluate((t) => (window.poinsot as unknown as { setTime(t: number): void }).setTime(t), time);
const dark = { colorScheme: "dark" };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

shot("pendulum-light", make.doublePendulum, async (page) => {
  await at(3.1)(page);
  await page.selectOption(".body-choice", "1");
});
shot("crank-dark", make.crankSlider, async (page) => {
  await at(0.024)(page);
  await page.click(".toolbar details:nth-of-type(2) summary");
  await page.check("[name=reactions]");
}, dark);
shot("beam-light", () => make.bendingBeam(1, 4), async (page) => {
  await at(0.8)(page);
  await page.click(".toolbar details:nth-of-type(2) summary");
  await page.selectOption(".popover-panel select", "M1");
  await page.click(".study");
});
shot("modes-dark", make.modes, async (page) => page.keyboard.press("ArrowDown"), dark);
shot("signals-light", make.doublePendulum, async (page) => {
  await at(3.1)(page);
  await page.click("text=+ Phase");
  await page.click("text=+ Energy");
  await page.click(".chooser summary");
});
shot("print", make.doublePendulum, async (page) => {
  await at(3.1)(page);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
});
shot("path-light", make.loadPath, at(40));
shot("path-points", make.loadPath, async (page) => {
  await at(90)(page);
  await page.click('.tabs button:has-text("Points")');
});
shot("equilibrium-light", make.equilibrium);
shot("many-signals", make.manySignals);
shot("long-words", make.longWords, async (page) => page.selectOption(".body-choice", "0"));
shot("long-audit", make.longWords, async (page) => page.click('.tabs button:has-text("Audit")'));
shot("compare-overlay", make.comparison, at(4.2));
shot("compare-side-dark", make.comparison, async (page) => {
  await at(4.2)(page);
  await page.click("text=Side by side");
  await page.click("text=+ Difference");
}, dark);
shot("audit-light", make.comparison, async (page) => page.click("#tab-audit"));
shot("source-dark", make.doublePendulum, async (page) => page.click("#tab-source"), dark);
shot("model-light", make.doublePendulum, async (page) => page.click("#tab-summary"));
shot("help-light", make.doublePendulum, async (page) => page.keyboard.press("?"));
shot("zoo-light", make.zoo, async (page) => {
  await page.click("text=Display");
  await page.check("[name=frames]");
  await page.click("header h1");
});
shot("trouble", () => '{"format":"poinsot-report","version":1,"runs":[{"name":"a"');
shot("phone-light", make.doublePendulum, at(2), phone);
shot("phone-dark-audit", make.doublePendulum, async (page) => page.click("#tab-audit"), { ...phone, ...dark });
shot("phone-360", make.comparison, at(2), { ...phone, viewport: { width: 360, height: 640 } });
shot("phone-beam", () => make.bendingBeam(2, 3), async (page) => {
  await at(0.8)(page);
  await page.click("text=Display");
  await page.selectOption(".popover-panel select", "M1");
  await page.check("[name=sections]");
  await page.click("header h1");
  await page.selectOption(".body-choice", "6");
}, phone);
shot("failed-dark", () => ({ format: "poinsot-report", version: 1, runs: [{ ...make.doublePendulumRun("arm"), status: "failed", message: "The step became too small at t = 6.31 s.", remedy: "Look for an impact there, or loosen the tolerance." }] }), at(6.31), dark);
shot("4k", make.crankSlider, at(0.13), { viewport: { width: 3840, height: 2160 } });

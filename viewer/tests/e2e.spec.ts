/** The built page in a browser, opened from disk as a reader does. */
import { readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ask, FLAGS, folder, frameTime, type Hook, launch, numbers, open, type Opened, picture, still } from "./browser";
import * as make from "./payloads";

let context: BrowserContext;
let opened: Opened | null = null;
beforeAll(async () => (context = await launch()));
afterAll(async () => {
  await context.close();
  rmSync(folder, { recursive: true, force: true });
});
/** No test may leave an error in the console, and none may ask for anything outside the file. */
afterEach(async () => {
  if (!opened) return;
  expect(opened.trouble).toEqual([]);
  expect(opened.requests.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
  if (await opened.page.$("header h1")) expect(await ask(opened.page, (hook) => hook.errors)).toEqual([]);
  await opened.page.close();
  opened = null;
});

async function start(name: string, payload: object | string): Promise<Page> {
  opened = await open(context, name, payload);
  return opened.page;
}
test("the build is one small file with one slot and nothing from outside", () => {
  const file = new URL("../dist/viewer.html", import.meta.url);
  const text = readFileSync(file, "utf8");
  expect(statSync(file).size).toBeLessThan(1_300_000);
  expect(text.split('<script type="application/json" id="poinsot-data">null</script>')).toHaveLength(2);
  expect(text).not.toMatch(/<script[^>]+src=|<link[^>]+stylesheet|@import|sourceMappingURL/);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)![1]!;
  expect(policy).not.toMatch(/unsafe|\*|http/);
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^;]*'; style-src 'sha256-[^;]*'; /);
});

test("a script or style that was not built in does not count, and nothing is fetched from elsewhere", async () => {
  const page = await start("policy", make.doublePendulum());
  const found = await page.evaluate(async () => {
    const add = (tag: string, text: string) => {
      const element = document.createElement(tag);
      element.textContent = text;
      document.head.append(element);
    };
    add("script", "window.intruder = true");
    add("style", "header { display: none }");
    const fetched = await fetch("http://127.0.0.1:9/").then(() => true, () => false);
    return [(window as any).intruder ?? false, getComputedStyle(document.querySelector("header")!).display === "none", fetched];
  });
  expect(found).toEqual([false, false, false]);
  const told = opened!.trouble.splice(0).join("\n");
  for (const rule of ["script-src", "style-src", "connect-src"]) expect(told).toContain(rule);
  opened!.requests.splice(0);
});

test("opens from disk and plays", async () => {
  const page = await start("plays", make.doublePendulum());
  expect(await page.textContent("header h1")).toBe("Double pendulum");
  expect(await page.textContent("header .facts")).toMatch(/completed.*1 doubtful/);
  expect(await ask(page, (hook) => hook.frames)).toBe(801);
  expect(await ask(page, (hook) => hook.playing())).toBe(true);
  const before = await ask(page, (hook) => hook.time());
  await page.waitForTimeout(1000);
  const passed = (await ask(page, (hook) => hook.time())) - before;
  expect(passed).toBeGreaterThan(0.5);
  expect(passed).toBeLessThan(2);
  expect(await ask(page, (hook) => hook.drawCalls())).toBeGreaterThan(2);
});

test("the slider moves the scene to exactly interpolated poses", async () => {
  const page = await start("slider", make.doublePendulum());
  await still(page);
  const run = (make.doublePendulum() as any).runs[0];
  const poses = new Float64Array(new Uint8Array(Buffer.from(run.frames.poses.data, "base64")).buffer);
  const at = (t: number, body: number): number[] => {
    const f = t / 0.0125, k = Math.floor(f), u = f - k;
    return [0, 1, 2].map((c) => poses[(k * 2 + body) * 7 + c]! * (1 - u) + poses[((k + 1) * 2 + body) * 7 + c]! * u);
  };
  const first = await picture(page);
  for (const t of [0.005, 3.14159, 7.7777]) {
    await page.locator(".slider").evaluate((slider: HTMLInputElement, value) => {
      slider.value = String(value);
      slider.dispatchEvent(new Event("input"));
    }, t);
    expect(await ask(page, (hook) => hook.time())).toBeCloseTo(t, 9);
    for (const body of [0, 1]) {
      const seen = await ask(page, (hook, i) => hook.bodyPosition(i), body);
      at(t, body).forEach((value, c) => expect(seen[c]).toBeCloseTo(value, 9));
    }
  }
  expect((await picture(page)).equals(first)).toBe(false);
});

test("plots follow the timeline and set it", async () => {
  const page = await start("plots", make.doublePendulum());
  await ask(page, (hook, t) => hook.setTime(t), 2.5);
  await page.waitForTimeout(200);
  const line = page.locator(".time-line").first();
  const over = (await page.locator(".u-over").first().boundingBox())!;
  const middle = async (): Promise<number> => {
    const box = (await line.boundingBox())!;
    return box.x + box.width / 2;
  };
  expect(Math.abs((await middle()) - (over.x + over.width * 0.25))).toBeLessThan(1.5);
  await page.mouse.click(over.x + over.width * 0.6, over.y + over.height / 2);
  expect(await ask(page, (hook) => hook.time())).toBeCloseTo(6, 1);
  await page.waitForTimeout(200);
  expect(Math.abs((await middle()) - (over.x + over.width * 0.6))).toBeLessThan(1.5);
  expect(await page.locator(".entry").count()).toBe(6);
  // Legend values are those of the signals at that time.
  await ask(page, (hook, t) => hook.setTime(t), 0);
  await page.waitForTimeout(200);
  expect(numbers(await page.locator(".entry .value").first().textContent())).toBeCloseTo(1.9, 3);
});

test("drag zooms all time plots, double click shows all again", async () => {
  const page = await start("zoom", make.doublePendulum());
  await ask(page, (hook, t) => hook.setTime(t), 5);
  const over = (await page.locator(".u-over").first().boundingBox())!;
  const drag = async (): Promise<void> => {
    await page.mouse.move(over.x + over.width * 0.4, over.y + 40);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.5, over.y + 50, { steps: 4 });
    await page.mouse.move(over.x + over.width * 0.8, over.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(150);
  };
  const share = async (card: number): Promise<number> => {
    const box = (await page.locator(".time-line").nth(card).boundingBox())!, frame = (await page.locator(".u-over").nth(card).boundingBox())!;
    return (box.x + box.width / 2 - frame.x) / frame.width;
  };
  await drag();
  for (const card of [0, 1, 2]) expect(await share(card)).toBeCloseTo(0.25, 1); // 5 s within 4 … 8 s
  expect(await ask(page, (hook) => hook.time())).toBe(5);
  await page.mouse.dblclick(over.x + over.width * 0.5, over.y + 50);
  await page.waitForTimeout(150);
  await ask(page, (hook, t) => hook.setTime(t), 5);
  await page.waitForTimeout(150);
  expect(await share(1)).toBeCloseTo(0.5, 1);
});

test("signals are searched and added; phase portrait and energy", async () => {
  const page = await start("signals", make.doublePendulum());
  await still(page);
  await page.click(".chooser summary");
  await page.fill("input[type=search]", "height");
  expect(await page.locator(".signals input").count()).toBe(1);
  await page.check(".signals input");
  expect(await page.locator(".card").first().locator(".entry").count()).toBe(3);
  expect(await page.locator(".card").first().locator(".u-axis").count()).toBe(3); // x and two units
  await page.click("text=+ Phase");
  await page.click("text=+ Energy");
  expect(await page.locator(".card").count()).toBe(5);
  const phase = page.locator(".card").nth(3);
  await phase.locator("select").nth(0).selectOption("lower.rate");
  await phase.locator("select").nth(1).selectOption("lower.angle");
  const where = async (): Promise<string> => (await phase.locator(".dot").getAttribute("style")) ?? "";
  await ask(page, (hook, t) => hook.setTime(t), 1);
  await page.waitForTimeout(150);
  const before = await where();
  await ask(page, (hook, t) => hook.setTime(t), 4);
  await page.waitForTimeout(150);
  expect(await where()).not.toBe(before);
  expect(await page.locator(".card").nth(4).textContent()).toMatch(/Energy.*kinetic.*imbalance/);
  await page.locator(".card").nth(4).locator(".legend > button").click();
  expect(await page.locator(".card").count()).toBe(4);
});

test("keyboard", async () => {
  const page = await start("keys", make.doublePendulum());
  const time = (): Promise<number> => ask(page, (hook) => hook.time());
  await still(page);
  expect(await ask(page, (hook) => hook.playing())).toBe(false);
  await page.keyboard.press("Home");
  expect(await time()).toBe(0);
  await page.keyboard.press("ArrowRight");
  expect(await time()).toBeCloseTo(0.0125, 9);
  await page.keyboard.press("Shift+ArrowRight");
  expect(await time()).toBeCloseTo(0.1375, 9);
  await page.keyboard.press("ArrowLeft");
  expect(await time()).toBeCloseTo(0.125, 9);
  await page.keyboard.press("End");
  expect(await time()).toBe(10);
  await page.keyboard.press("]");
  expect(await page.inputValue(".speed select")).toBe("2");
  const views = new Set<string>();
  for (const key of ["1", "3", "5", "0"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(500);
    views.add((await page.locator(".triad").innerHTML()));
  }
  expect(views.size).toBe(4);
  const near = await picture(page);
  await page.keyboard.press("+");
  expect((await picture(page)).equals(near)).toBe(false);
  await page.keyboard.press("o");
  expect(await page.textContent(".projection")).toBe("Parallel");
  await page.keyboard.press("f");
  const theme = (): Promise<string | null> => page.getAttribute("html", "data-theme");
  expect(await theme()).toBe("light");
  await page.keyboard.press("t");
  await page.keyboard.press("t");
  expect(await theme()).toBe("dark");
  await page.keyboard.press("?");
  expect(await page.isVisible("dialog.help")).toBe(true);
  await page.keyboard.press("Escape");
  expect(await page.isVisible("dialog.help")).toBe(false);
  await page.keyboard.press("t");
});

test("a click selects a body, shows its data and its trace", async () => {
  const page = await start("pick", make.doublePendulum());
  await ask(page, (hook, t) => hook.setTime(t), 3.1);
  const plain = await picture(page);
  await page.selectOption(".body-choice", "0");
  await page.waitForTimeout(150);
  const label = (await page.locator(".label.selected").boundingBox())!;
  await page.keyboard.press("Escape");
  expect(await page.isVisible(".inspector")).toBe(false);
  // The label hangs 10 px right of and 28 px above the centre of mass.
  await page.mouse.move(label.x - 10, label.y + 28);
  await page.waitForTimeout(100);
  expect(await page.textContent(".label.hover")).toBe("upper");
  await page.mouse.click(label.x - 10, label.y + 28);
  expect(await page.textContent(".inspector b")).toBe("upper");
  const position = await ask(page, (hook) => hook.bodyPosition(0));
  expect(numbers(await page.locator(".inspector dd").first().textContent())).toBeCloseTo(position[0]!, 2);
  expect(await page.locator(".inspector dd").nth(2).textContent()).toMatch(/m\/s/);
  await page.mouse.move(5, 5);
  expect((await picture(page)).equals(plain)).toBe(false);
});

test("crank slider: joints, springs, loads and reactions can be shown", async () => {
  const page = await start("crank", make.crankSlider());
  await ask(page, (hook, t) => hook.setTime(t), 0.024);
  // Somewhere over the scene the pointer meets joints and arrows, which tell their names and sizes.
  const scene = (await page.locator(".view canvas").boundingBox())!;
  const meets = async (name: RegExp): Promise<boolean> => {
    for (let x = 0.05; x < 1; x += 0.02) {
      for (let y = 0.3; y < 0.6; y += 0.02) {
        await page.mouse.move(scene.x + x * scene.width, scene.y + y * scene.height);
        if ((await page.isVisible(".label.hover")) && name.test((await page.textContent(".label.hover"))!)) return true;
      }
    }
    return false;
  };
  expect(await meets(/revolute joint/)).toBe(true);
  await page.click("text=Display");
  await page.check("[name=reactions]");
  await page.click("header h1");
  expect(await meets(/reaction of [\w ]+ · force \d+(\.\d+)? N/)).toBe(true);
  await page.click("text=Display");
  await page.uncheck("[name=reactions]");
  const calls: number[] = [];
  for (const name of ["reactions", "frames", "joints", "springs", "loads", "ground", "grid"]) {
    await page.locator(`[name=${name}]`).click();
    await page.waitForTimeout(100);
    calls.push(await ask(page, (hook) => hook.drawCalls()));
  }
  for (let i = 1; i < calls.length; i++) expect(calls[i]).not.toBe(calls[i - 1]);
});

test("beam: colour by resultant with a bar and its unit", async () => {
  const page = await start("beam", make.bendingBeam(2, 3));
  await ask(page, (hook, t) => hook.setTime(t), 0.8);
  const plain = await picture(page);
  await page.click("text=Display");
  await page.selectOption("[aria-label='Colour of beams']", "M1");
  expect(await page.textContent(".color-bar")).toMatch(/M₁, bending moment \(N m\)/);
  await page.check("[name=sections]");
  await page.click("header h1");
  expect((await picture(page)).equals(plain)).toBe(false);
  await page.click("text=Display");
  await page.selectOption("[aria-label='Colour of beams']", "");
  expect(await page.locator(".color-bar").count()).toBe(0);
});

test("modes: list, animation, next mode, amplitude", async () => {
  const page = await start("modes", make.modes());
  expect(await page.locator(".modes-table tbody tr").count()).toBe(6);
  expect(await page.textContent(".now")).toMatch(/Mode 1 · 4\.12 Hz/);
  await still(page);
  await ask(page, (hook, t) => hook.setTime(t), 0);
  expect((await ask(page, (hook) => hook.bodyPosition(8)))[2]).toBeCloseTo(0.2, 9); // a tenth of the length
  await ask(page, (hook, t) => hook.setTime(t), 0.5);
  expect((await ask(page, (hook) => hook.bodyPosition(8)))[2]).toBeCloseTo(-0.2, 9);
  await page.keyboard.press("ArrowDown");
  expect(await page.textContent(".now")).toMatch(/Mode 2/);
  expect((await ask(page, (hook) => hook.bodyPosition(8)))[1]).toBeCloseTo(0.2, 9);
  await page.click("text=Rest");
  expect((await ask(page, (hook) => hook.bodyPosition(8)))[1]).toBe(0);
});

test("shapes at several speeds: each about its own frame, in the words of the program, with the diagram", async () => {
  const payload = make.modes() as any;
  const run = payload.runs[0];
  const bytes = Buffer.from(run.frames.poses.data, "base64");
  const poses = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const lifted = poses.map((value, i) => (i % 7 === 2 ? value + 1 : value));
  run.frames = { axis: make.block([2], [0, 100]), poses: make.block([2, 9, 7], [...poses, ...lifted]) };
  run.study = "campbell";
  run.modes.forEach((mode: any, k: number) => Object.assign(mode, { name: `mode 1 at Omega = ${100 * (k % 2)}`, frame: k % 2, details: [["Omega", `${100 * (k % 2)} rad/s`], ["Whirl", "forward"]] }));
  run.diagrams = [{ file: "campbell.svg", title: "Campbell diagram", svg: '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="50"><rect width="9" height="5"/></svg>' }];
  const page = await start("campbell", payload);
  await still(page);
  expect(await page.isVisible(".drawing img")).toBe(true); // it opens on the diagram
  expect(await page.locator(".modes-table th").allTextContents()).toEqual(["Shape", "Omega", "Whirl"]);
  await ask(page, (hook, t) => hook.setTime(t), 0.25); // the real shape is at rest then
  expect((await ask(page, (hook) => hook.bodyPosition(8)))[2]).toBeCloseTo(0, 6);
  await page.keyboard.press("ArrowDown");
  expect(await page.textContent(".now")).toMatch(/mode 1 at Omega = 100/);
  expect((await ask(page, (hook) => hook.bodyPosition(8)))[2]).toBeCloseTo(1, 6);
  await page.click("text=Plots");
  expect(await page.locator(".drawing img").evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(90);
});

test("load path: the slider runs over frames, the load is named", async () => {
  const page = await start("path", make.loadPath());
  await ask(page, (hook, t) => hook.setTime(t), 40);
  await page.waitForTimeout(150);
  expect(await page.textContent(".now")).toMatch(/P = 197\.4 N · 41\/121/);
  await page.keyboard.press("ArrowRight");
  expect(await ask(page, (hook) => hook.time())).toBe(41);
  expect(await page.locator(".dot:visible").count()).toBe(2);
});

test("comparison: overlay, side by side, single, differences, checks by run", async () => {
  const page = await start("compare", make.comparison());
  await ask(page, (hook, t) => hook.setTime(t), 4.2);
  const overlay = await picture(page);
  expect(await page.locator(".pane-name").count()).toBe(1);
  expect(await page.locator(".card").first().locator(".entry").count()).toBe(4);
  await page.click("text=Side by side");
  expect(await page.locator(".pane-name").count()).toBe(2);
  const side = await picture(page);
  expect(side.equals(overlay)).toBe(false);
  await page.click("text=+ Difference");
  expect(await page.locator(".card").last().textContent()).toMatch(/Difference to loose.*Δ upper.angle · tight/);
  await page.click("text=Single");
  expect(await page.locator(".card").first().locator(".entry").count()).toBe(2);
  await page.click("#tab-audit");
  expect(await page.locator(".grid-table thead th").allTextContents()).toEqual(["Check", "loose", "tight"]);
  await page.selectOption(".run-choice", "1");
  expect(await ask(page, (hook) => hook.frames)).toBe(801);
  expect(await ask(page, (hook) => hook.time())).toBeCloseTo(4.2, 9);
});

test("compared runs are matched by the names of bodies; what only one has is shown and said", async () => {
  const other = make.doublePendulumRun("other", 1.7) as any;
  // The other run has its bodies the other way round, one of them by another name.
  const [upper, lower] = other.scene.bodies;
  other.scene.bodies = [{ ...lower, name: "hammer" }, upper];
  const swap = (end: any): void => void (end.body = end.body === null ? null : 1 - end.body);
  other.scene.joints.forEach((joint: any) => joint.ends.forEach(swap));
  const poses = new Float64Array(new Uint8Array(Buffer.from(other.frames.poses.data, "base64")).buffer);
  for (let f = 0; f < 801; f++) poses.set([...poses.subarray(14 * f + 7, 14 * f + 14), ...poses.subarray(14 * f, 14 * f + 7)], 14 * f);
  other.frames.poses = make.block([801, 2, 7], poses);
  const page = await start("names", { format: "poinsot-report", version: 1, runs: [make.doublePendulumRun("one"), other] });
  await ask(page, (hook, t) => hook.setTime(t), 3.1);
  expect(await page.locator(".pane-name small").allTextContents()).toEqual(["only here: hammer · not here: lower"]);
  await page.selectOption(".body-choice", { label: "upper" });
  expect(await ask(page, (hook) => hook.selected())).toEqual(["upper", "upper"]);
  expect(await page.isVisible(".inspector .kind >> text=not in")).toBe(false);
  await page.selectOption(".body-choice", { label: "lower" });
  expect(await ask(page, (hook) => hook.selected())).toEqual(["lower", null]);
  expect(await page.textContent(".inspector")).toMatch(/lower.*not in other/);
  // A body of the other run alone can be picked too; its place is that of the other run.
  await page.selectOption(".body-choice", { label: "hammer (other run)" });
  expect(await ask(page, (hook) => hook.selected())).toEqual([null, "hammer"]);
  const place = await ask(page, (hook) => hook.bodyPosition(0, 1));
  expect(numbers(await page.locator(".inspector dd").first().textContent())).toBeCloseTo(place[0]!, 2);
  expect(await page.textContent(".inspector")).toMatch(/not in one/);
  await page.click("text=Side by side");
  await page.selectOption(".run-choice", "1");
  expect(await ask(page, (hook) => hook.selected())).toEqual([null, "hammer"]);
  expect(await page.textContent(".inspector")).toMatch(/hammer.*not in one/);
  await page.click("#tab-audit");
  expect(await page.locator(".bodies-table tr").allTextContents()).toEqual(["Bodyoneother", "lower✓–", "hammer–✓"]);
});

test("audit: words besides colours, a click jumps", async () => {
  const page = await start("audit", make.doublePendulum());
  await page.click(".chip-button");
  expect(await page.locator(".check .state").allTextContents()).toEqual(["✓good", "▲doubtful", "✓good", "inote"]);
  await page.click(".check-jump >> nth=1");
  expect(await ask(page, (hook) => hook.time())).toBeCloseTo(6.31, 9);
  expect(await ask(page, (hook) => hook.playing())).toBe(false);
});

test("model, source and log", async () => {
  const page = await start("words", make.doublePendulum());
  await page.click("#tab-summary");
  expect(await page.textContent("#panel-summary")).toMatch(/generalized-α.*result\.h5/s);
  await page.click("#tab-source");
  expect(await page.locator(".source code").count()).toBe(18);
  await page.keyboard.press("ArrowRight");
  expect(await page.isVisible(".log")).toBe(true);
});

test("a failed run without scene says so and what to do", async () => {
  const page = await start("failed", { format: "poinsot-report", version: 1, runs: [{ name: "arm", study: "motion", status: "failed", message: "The step became too small at t = 0.31 s.", remedy: "Look for an impact there or loosen the tolerance.", text: "…", scene: null, frames: null, signals: null }] });
  expect(await page.textContent(".banner")).toMatch(/too small.*loosen/);
  expect(await page.textContent("header")).toMatch(/failed/);
});

test("every shape and joint is drawn, y upwards; two frames of an equilibrium", async () => {
  const page = await start("zoo", make.zoo());
  expect(await ask(page, (hook) => hook.drawCalls())).toBeGreaterThan(12);
  expect(await ask(page, (hook) => hook.frames)).toBe(2);
  await page.keyboard.press("End");
  await page.waitForTimeout(100);
  expect(await page.textContent(".now")).toMatch(/step = 1/);
});

test("signals over speed beside a single frame, many signals, runs that differ", async () => {
  const n = 50, count = 1500;
  const axis = make.block([n], Array.from({ length: n }, (_, i) => i));
  const campbell = {
    ...((make.modes() as any).runs[0]), study: "campbell", modes: undefined, axis: { name: "Ω", unit: "rad/s" }, kept: { frames: [1, 1], signals: [50, 900] },
    signals: { axis, list: Array.from({ length: count }, (_, k) => ({ name: `f${k}`, unit: "Hz", description: "" })), values: make.block([count, n], Array.from({ length: count * n }, (_, i) => i)) },
  };
  const page = await start("differ", { format: "poinsot-report", version: 1, runs: [campbell, { name: "bare", study: "linearize", scene: null, frames: null, signals: null }, (make.zoo() as any).runs[0]] });
  await still(page);
  await page.keyboard.press("End");
  await page.waitForTimeout(150);
  expect(await page.textContent(".now")).toMatch(/Ω = 49\.00 rad\/s/);
  expect(await page.textContent(".plots .note")).toMatch(/50 of 900/);
  await page.click(".chooser summary");
  expect(await page.textContent(".signals .more")).toMatch(/1300 more/);
  await page.click("text=Side by side");
  for (const run of ["1", "2", "0"]) {
    await page.selectOption(".run-choice", run);
    await page.waitForTimeout(200);
  }
  expect(await page.isVisible(".view canvas")).toBe(true);
});

const spoil = (change: (payload: any) => void): object => {
  const payload = structuredClone(make.doublePendulum());
  change(payload);
  return payload;
};
test.each<[string, () => object | string, RegExp]>([
  ["bad JSON", () => '{"format": "poinsot-report", ', /cannot be read/],
  ["newer version", () => spoil((p) => (p.version = 7)), /version 7/],
  ["no runs", () => ({ format: "poinsot-report", version: 1, runs: [] }), /no run/],
  ["foreign", () => "[1, 2]", /not an object/],
  ["empty page", () => "null", /holds no results/],
])("malformed payload is explained: %s", async (name, payload, message) => {
  const page = await start(`bad-${name.replace(/ /g, "-")}`, payload());
  expect(await page.textContent(".trouble")).toMatch(message);
  expect((await page.locator(".trouble p").last().textContent())!.length).toBeGreaterThan(20);
});

test.each<[string, (run: any) => void, RegExp, boolean, boolean]>([
  ["short poses", (run) => (run.frames.poses.data = "AAAA"), /the scene and its motion: .*3 bytes.*needs/, false, true],
  ["bad index", (run) => (run.scene.joints[0].ends[1].body = 12), /the scene: .*out of range/, false, true],
  ["reactions", (run) => (run.frames.reactions.crc ^= 1), /the reactions: .*checksum/, true, true],
  ["signals", (run) => (run.signals.values.data = "*"), /the signals: .*(cut off|characters)/, true, true],
  ["all", (run) => (run.signals = run.energy = run.frames = { axis: 3 }), /the scene and its motion.*the signals/, false, false],
])("a damaged block disables only what needs it: %s", async (name, change, message, scene, plots) => {
  const page = await start(`part-${name.replace(/ /g, "-")}`, spoil((p) => change(p.runs[0])));
  expect(await page.textContent(".banner.damage")).toMatch(message);
  expect(await page.textContent(".banner.damage")).toMatch(/Run the study again/);
  expect(await page.locator(".view canvas").count()).toBe(scene ? 1 : 0);
  expect(await page.locator("#tab-plots").count()).toBe(plots ? 1 : 0);
  await page.click("#tab-source");
  expect(await page.locator(".source code").count()).toBe(18);
});

test("a report cut short on disk is explained", async () => {
  const { page } = await open(context, "cut", make.doublePendulum());
  const file = join(folder, "cut.html");
  truncateSync(file, statSync(file).size - 60_000);
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector(".trouble");
  expect(await page.textContent(".trouble")).toMatch(/cannot be read.*run the study again/is);
  await page.close();
});

test("reduced motion: nothing plays by itself", async () => {
  const calm = await launch({ reducedMotion: "reduce", colorScheme: "dark" });
  const { page, trouble } = await open(calm, "calm", make.doublePendulum());
  expect(await ask(page, (hook) => hook.playing())).toBe(false);
  expect(await page.getAttribute("html", "data-theme")).toBe("dark");
  expect(trouble).toEqual([]);
  await calm.close();
});

test("without WebGL the rest of the page works", async () => {
  const plain = await launch({ args: [...FLAGS, "--disable-3d-apis"] });
  const { page } = await open(plain, "no-gl", make.doublePendulum());
  expect(await page.textContent(".nogl")).toMatch(/WebGL is not available/);
  await ask(page, (hook, t) => hook.setTime(t), 5);
  expect((await ask(page, (hook) => hook.bodyPosition(0))).length).toBe(3);
  expect(await page.locator(".entry").count()).toBe(6);
  await plain.close();
});

test("playback stops at the end without repeat", async () => {
  const page = await start("end", make.crankSlider());
  await page.keyboard.press("l");
  await ask(page, (hook, t) => hook.setTime(t), 0.395);
  await page.keyboard.press("Space");
  await expect.poll(() => ask(page, (hook) => hook.playing()), { timeout: 5000 }).toBe(false);
  expect(await ask(page, (hook) => hook.time())).toBe(0.4);
  await page.waitForTimeout(100);
  expect(await page.getAttribute(".play", "aria-label")).toMatch(/^Play/);
});

test("from 360 px to 4k nothing sticks out", async () => {
  const page = await start("sizes", make.comparison());
  for (const [width, height] of [[360, 640], [820, 1180], [1280, 720], [3840, 2160]] as const) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect((await page.locator(".view canvas").boundingBox())!.height).toBeGreaterThan(120);
  }
  await page.setViewportSize({ width: 1440, height: 860 });
});

/** A stand-in for the local server: blocks by address, changes as events. */
function serve(): Promise<{ server: Server; address: string; change(): void; break(): void }> {
  const blocks: Buffer[] = [];
  let frames = 401, broken = false;
  const listeners: ServerResponse[] = [];
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== "object" || value === null) return value;
    const { data, ...rest } = value as Record<string, unknown>;
    if (typeof data === "string") return { ...rest, url: `api/blocks/${blocks.push(Buffer.from(data, "base64")) - 1}` };
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, strip(item)]));
  };
  const server = createServer((request, answer) => {
    const path = request.url!;
    if (path === "/") answer.setHeader("content-type", "text/html").end(readFileSync(new URL("../dist/viewer.html", import.meta.url)));
    else if (path === "/api/runs") {
      if (broken) answer.writeHead(500).end();
      else answer.end(JSON.stringify(strip({ format: "poinsot-report", version: 1, live: true, runs: [make.doublePendulumRun("a", 1.9, frames)] })));
    } else if (path === "/api/changes") listeners.push(answer.writeHead(200, { "content-type": "text/event-stream" }));
    else if (path.startsWith("/api/blocks/")) answer.end(blocks[Number(path.slice(12))]);
    else answer.writeHead(404).end();
    listeners.forEach((listener) => listener.flushHeaders());
  });
  const tell = (): void => listeners.forEach((listener) => listener.write("event: changed\ndata: 1\n\n"));
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done({
    server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    change: () => { frames = 801; tell(); }, break: () => { broken = true; tell(); },
  })));
}

test("served: fetches blocks, follows changes and keeps time, plots and camera; errors leave the page as it was", async () => {
  const { server, address, change, break: spoilServer } = await serve();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  try {
    await page.goto(address);
    await page.waitForSelector("header h1");
    expect(await ask(page, (hook) => hook.frames)).toBe(401);
    await ask(page, (hook, t) => hook.setTime(t), 3.3);
    await page.click("text=+ Energy");
    await page.keyboard.press("5");
    await page.waitForTimeout(600);
    const camera = await page.locator(".triad").innerHTML();
    change();
    await expect.poll(() => ask(page, (hook) => hook.frames), { timeout: 10_000 }).toBe(801);
    await page.waitForTimeout(300);
    expect(await ask(page, (hook) => hook.time())).toBeCloseTo(3.3, 9);
    expect(await page.locator(".card").count()).toBe(4);
    expect(await page.locator(".triad").innerHTML()).toBe(camera);
    spoilServer();
    await page.waitForSelector(".banner.bad");
    expect(await page.textContent(".banner.bad")).toMatch(/500/);
    expect(await page.isVisible(".card")).toBe(true);
    await page.reload();
    await page.waitForSelector(".trouble");
    expect(await page.textContent(".trouble")).toMatch(/500.*poinsot view/s);
    expect(faults).toEqual([]);
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
});

test("10 000 frames × 200 bodies stay interactive", async () => {
  const begin = performance.now();
  const page = await start("large", make.large());
  const ready = performance.now() - begin;
  await still(page);
  const update = await page.evaluate(() => {
    const hook = window.poinsot as unknown as Hook;
    const start = performance.now();
    for (let i = 0; i < 500; i++) hook.setTime((i * 7.919 + 0.0007) % 19.9);
    return (performance.now() - start) / 500;
  });
  await page.keyboard.press("Space");
  const frame = await frameTime(page);
  const calls = await ask(page, (hook) => hook.drawCalls());
  console.log(`10 000 × 200: written, opened and shown in ${(ready / 1000).toFixed(1)} s; scene update ${update.toFixed(2)} ms; frame with software GL ${frame.toFixed(1)} ms; ${calls} draw calls`);
  expect(await ask(page, (hook) => hook.frames)).toBe(10_000);
  expect(update).toBeLessThan(20);
  expect(calls).toBeLessThan(20);
});

test("signals that are not drawn are counted, and one click draws them all", async () => {
  const page = await start("many-signals", make.manySignals());
  await still(page);
  expect(await page.textContent(".coverage")).toMatch(/^12 of 60 signals are drawn; the others are in the list “Signals”/);
  expect(await page.locator(".card").count()).toBe(3);
  await page.click(".coverage button");
  expect(await page.locator(".coverage").isVisible()).toBe(false);
  const names = await page.locator(".card .entry .name").allTextContents();
  expect([...new Set(names)]).toHaveLength(60);
  expect(await page.locator(".card .uplot").count()).toBe(12);
});

test("long words and numbers stay in their boxes, wide and narrow", async () => {
  const page = await start("long-words", make.longWords());
  await still(page);
  for (const width of [1440, 900, 390]) {
    await page.setViewportSize({ width, height: 860 });
    for (const tab of ["Plots", "Audit", "Model", "Log"]) {
      await page.click(`.tabs button:has-text("${tab}")`);
      const out = await page.evaluate(() => {
        const boxes = ".card, .check, .legend, .document, .banner, header, .log, .inspector, .coverage";
        return [...document.querySelectorAll(boxes)].filter((box) => (box as HTMLElement).offsetParent !== null)
          .filter((box) => box.scrollWidth > box.clientWidth + 1 || box.getBoundingClientRect().right > innerWidth + 1).map((box) => box.className || box.tagName);
      });
      expect(out, `${tab} at ${width}`).toEqual([]);
    }
  }
  await page.setViewportSize({ width: 1440, height: 860 });
  await page.selectOption(".body-choice", "0");
  const [card, scene] = await Promise.all([".inspector", ".scene"].map((name) => page.locator(name).boundingBox()));
  expect(card!.x).toBeGreaterThanOrEqual(scene!.x);
});

test("an equilibrium is shown at rest, with the start as a shadow and the signals as numbers", async () => {
  const page = await start("equilibrium", make.equilibrium());
  const ghost = (): Promise<boolean> => ask(page, (hook) => hook.ghost());
  expect(await ask(page, (hook) => [hook.time(), hook.playing()])).toEqual([1, false]);
  expect(await ghost()).toBe(true);
  expect(await page.locator(".values-table tbody tr").allTextContents()).toEqual(["tip.z−2mHeight of the tip", "ratio0.25"]);
  expect(await page.locator(".card").count()).toBe(0);
  const shadowed = await picture(page);
  await page.click(".toolbar details:nth-of-type(2) summary");
  await page.uncheck("[name=start]");
  await page.click(".study");
  expect(await ghost()).toBe(false);
  expect((await picture(page)).equals(shadowed)).toBe(false);
  await page.click(".toolbar details:nth-of-type(2) summary");
  await page.check("[name=start]");
  await page.click(".study");
  expect(await ghost()).toBe(true);
  const lower = (): Promise<number[]> => ask(page, (hook) => hook.bodyPosition(1));
  expect(await lower()).toEqual([0, 0, -1.5]);
  await page.click(".toolbar details:nth-of-type(2) summary");
  await page.selectOption(".exaggeration", "2");
  expect(await lower()).toEqual([1.5, 0, -3]);
  expect(await page.textContent(".scale")).toContain("displacements 2 ×");
  await page.click(".study");
  await page.selectOption(".body-choice", { label: "lower" });
  expect(await page.textContent(".inspector dd")).toBe("0,  0,  −1.5 m"); // the place is the true one
  await page.click(".toolbar details:nth-of-type(2) summary");
  await page.selectOption(".exaggeration", "1");
  await page.click(".study");
  expect(await page.textContent(".moved")).toContain("most lower by 2.121 m");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Home");
  expect(await ghost()).toBe(false); // nothing has moved yet
});

test("the points of a path are listed, and each shows its shape", async () => {
  const page = await start("points", make.loadPath());
  await still(page);
  await page.click('.tabs button:has-text("Points")');
  const rows = page.locator(".path-points tbody tr");
  const count = await rows.count();
  expect(count).toBeGreaterThan(20);
  await page.click(`.path-points tbody tr:nth-child(${count}) button`);
  await expect.poll(() => page.locator(".path-points tr.chosen td:first-child").textContent()).toBe(String(count));
  expect(await page.textContent(".now")).toMatch(new RegExp(`${count}/${count}`));
  const last = await ask(page, (hook) => hook.bodyPosition(0));
  await page.locator(".view canvas").focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.locator(".path-points tr.chosen td:first-child").textContent()).toBe(String(count - 1));
  expect(await ask(page, (hook) => hook.bodyPosition(0))).not.toEqual(last);
  expect(await ask(page, (hook) => hook.ghost())).toBe(true);
});

test("a diagnostic keeps its columns", async () => {
  const text = "Error: unknown key `masss`\n   ╭─[ model.toml:7:1 ]\n 7 │ masss = 2\n   │ ──┬──\n   │   ╰──── did you mean `mass`?\n───╯";
  const page = await start("diagnostic", { ...(make.doublePendulum() as any), runs: [{ ...(make.doublePendulum() as any).runs[0], status: "failed", message: text, remedy: "correct the model file" }] });
  const style = await page.locator(".banner .diagnostic").evaluate((box) => [getComputedStyle(box).whiteSpaceCollapse, getComputedStyle(box).fontFamily, box.textContent]);
  expect(style[0]).toBe("preserve");
  expect(style[1]).toMatch(/monospace/);
  expect(style[2]).toBe(text);
});

/** Results of the real program in a browser: reports from disk, served pages, comparison, watching, damage. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ask, folder as profiles, frameTime, type Hook, launch, numbers, type Opened, picture, still, visit } from "./browser";
import { example, poinsot, Served, signals, succeed, verification } from "./program";

const folder = mkdtempSync(join(tmpdir(), "poinsot-program-"));
const at = (...parts: string[]): string => join(folder, ...parts);
let context: BrowserContext;
let opened: Opened[] = [];
let servers: Served[] = [];

beforeAll(async () => {
  await succeed(folder, "run", example("heavy_top"), "--out", "top", "--csv");
  await succeed(folder, "run", example("heavy_top"), "--out", "slow-top", "--csv", "--set", "spin=120");
  await succeed(folder, "run", example("four_bar"), "--out", "four-bar", "--csv");
  await succeed(folder, "run", example("bicycle"), "--out", "bicycle");
  await succeed(folder, "run", example("flexible_rod"), "--out", "rod", "--csv");
  await succeed(folder, "modes", verification("beams/c15_hale_wing"), "--out", "wing");
  await succeed(folder, "run", example("snap_through"), "--out", "path", "--csv");
  context = await launch();
});
afterAll(async () => {
  await context?.close();
  for (const place of [folder, profiles]) rmSync(place, { recursive: true, force: true });
});
/** No page may complain, and none may ask for anything but itself. */
afterEach(async () => {
  const pages = opened, ended = servers;
  opened = [];
  servers = [];
  for (const { page } of pages) await page.close();
  for (const server of ended) await server.end();
  for (const { trouble, requests } of pages) {
    expect(trouble).toEqual([]);
    expect(requests.filter((url) => !/^(file|data|blob):/.test(url) && !ended.some(({ address }) => url.startsWith(address)))).toEqual([]);
  }
});

async function show(address: string): Promise<Page> {
  const found = await visit(context, address);
  opened.push(found);
  return found.page;
}
const report = (name: string): Promise<Page> => show(pathToFileURL(at(name, "report.html")).href);
async function serve(...words: string[]): Promise<Served> {
  const server = await Served.start(folder, ...words);
  servers.push(server);
  return server;
}
const slide = (page: Page, value: number): Promise<void> => page.locator(".slider").evaluate((slider: HTMLInputElement, to) => {
  slider.value = String(to);
  slider.dispatchEvent(new Event("input"));
}, value);
/** What is drawn follows within a few frames, which a busy machine may take its time for. */
const POLL = { timeout: 10_000 };
/** The first value in the legend of the first plot. */
const legend = async (page: Page): Promise<number> => numbers(await page.locator(".entry .value").first().textContent());
/** Where the line of a plot stands, as a share of the plot's width. */
const share = async (page: Page): Promise<number> => {
  const line = (await page.locator(".time-line").first().boundingBox())!, frame = (await page.locator(".u-over").first().boundingBox())!;
  return (line.x + line.width / 2 - frame.x) / frame.width;
};

test("the program holds the page that was built", async () => {
  const server = await serve("view", "top");
  const page = await (await fetch(server.address)).text();
  expect(page === readFileSync(new URL("../dist/viewer.html", import.meta.url), "utf8"), "build the program again: cargo build --release").toBe(true);
});

test("a report opens from disk, plays, and the slider moves scene and plots to what was computed", async () => {
  const page = await report("top");
  expect(await page.textContent("header h1")).toBe("Heavy top");
  expect(await page.textContent("header .facts")).toMatch(/completed/);
  expect(await ask(page, (hook) => hook.playing())).toBe(true);
  const before = await ask(page, (hook) => hook.time());
  await expect.poll(() => ask(page, (hook) => hook.time()), POLL).not.toBe(before);
  await still(page);
  const table = signals(at("top"));
  const pictures: Buffer[] = [];
  for (const t of [0.25, 0.731, 1.5]) {
    await slide(page, t);
    expect(await ask(page, (hook) => hook.time())).toBeCloseTo(t, 9);
    const place = await ask(page, (hook) => hook.bodyPosition(0));
    ["x", "y", "z"].forEach((name, i) => expect(place[i]).toBeCloseTo(table.at(name, t), 4));
    expect(Math.hypot(...place)).toBeCloseTo(0.3, 4); // the tip holds the centre of mass at this distance
    await expect.poll(() => share(page), POLL).toBeCloseTo(t / 2, 2);
    await expect.poll(() => legend(page), POLL).toBeCloseTo(table.at("x", t), 2);
    pictures.push(await picture(page));
  }
  expect(pictures[0]!.equals(pictures[1]!)).toBe(false);
  expect(pictures[1]!.equals(pictures[2]!)).toBe(false);
});

test("a linkage: its links stay as long as they are, reactions are drawn, a click in a plot sets the time", async () => {
  const page = await report("four-bar");
  await still(page);
  const over = (await page.locator(".u-over").first().boundingBox())!;
  await page.mouse.click(over.x + over.width * 0.4, over.y + over.height / 2);
  expect(await ask(page, (hook) => hook.time())).toBeCloseTo(1.2, 1);
  for (const t of [0, 0.5, 1.234, 2.9]) {
    await slide(page, t);
    // Centre of the crank from A, half the crank; centre of the rocker from D, half the rocker.
    const crank = await ask(page, (hook) => hook.bodyPosition(0)), rocker = await ask(page, (hook) => hook.bodyPosition(2));
    expect(Math.hypot(crank[0]!, crank[1]!)).toBeCloseTo(0.1, 4);
    expect(Math.hypot(rocker[0]! - 0.6, rocker[1]!)).toBeCloseTo(0.225, 4);
  }
  const plain = await picture(page);
  await page.click("text=Display");
  await page.check("[name=reactions]");
  await page.click("header h1");
  expect((await picture(page)).equals(plain)).toBe(false);
});

test("the camera goes along with what goes far, and stays where a mechanism stays", async () => {
  const seen = async (page: Page, t: number): Promise<[number, number]> => {
    await ask(page, (hook, to) => hook.setTime(to), t);
    await picture(page);
    return ask(page, (hook) => [hook.looksAt()[0]!, [0, 1, 2, 3].reduce((sum, k) => sum + (hook.bodyPosition(k)[0] ?? 0) / 4, 0)]);
  };
  const bicycle = await report("bicycle");
  await still(bicycle);
  const [[from, start], [to, end]] = [await seen(bicycle, 0.5), await seen(bicycle, 5)];
  expect(end - start).toBeGreaterThan(19);
  expect(to - from).toBeCloseTo(end - start, 3);
  const linkage = await report("four-bar");
  await still(linkage);
  expect((await seen(linkage, 2))[0]).toBe((await seen(linkage, 0.4))[0]);
});

test("a load path is read with its load, from disk and served", async () => {
  const server = await serve("view", "path");
  for (const address of [pathToFileURL(at("path", "report.html")).href, server.address]) {
    const page = await show(address); // one after the other: a page behind another is not drawn
    expect(await page.textContent(".study")).toBe("Load path");
    expect(await page.locator(".card select").evaluateAll((list) => list.map((item) => (item as HTMLSelectElement).selectedOptions[0]!.text))).toEqual(["P", "height", "P", "tension"]);
    await ask(page, (hook) => hook.setTime(20));
    const load = signals(at("path")).at("P", 21); // points are counted from one
    await expect.poll(async () => numbers((await page.textContent(".now"))!.replace("P = ", "")), POLL).toBeCloseTo(load, 0);
    await expect.poll(() => legend(page), POLL).toBeCloseTo(load, 0);
    expect((await ask(page, (hook) => hook.bodyPosition(0)))[2]).toBeCloseTo(signals(at("path")).at("height", 21), 5);
  }
});

test("a beam takes the colours of a stress resultant", async () => {
  const page = await report("rod");
  await slide(page, 0.3);
  const plain = await picture(page);
  await page.click("text=Display");
  await page.selectOption("[aria-label='Colour of beams']", "M2");
  await page.click("header h1");
  expect(await page.textContent(".color-bar")).toMatch(/M₂, bending moment \(N m\)/);
  expect((await picture(page)).equals(plain)).toBe(false);
  // The rod moves in a plane: nothing bends it the other way.
  await page.click("text=Display");
  await page.selectOption("[aria-label='Colour of beams']", "M1");
  expect(await page.textContent(".color-bar")).toMatch(/0 everywhere/);
});

test("modes: the list of the program, each shape moves", async () => {
  const page = await report("wing");
  await still(page);
  const modes = (JSON.parse(readFileSync(at("wing", "modes.json"), "utf8")) as { modes: { frequency_hz: number }[] }).modes;
  expect(await page.locator(".modes-table tbody tr").count()).toBe(modes.length);
  const tip = (await page.locator(".body-choice option").count()) - 2;
  for (const { frequency_hz } of modes) {
    await expect.poll(() => page.textContent(".now"), POLL).toContain(`${frequency_hz.toPrecision(3)}`.slice(0, 4));
    await ask(page, (hook) => hook.setTime(0));
    const up = await ask(page, (hook, i) => hook.bodyPosition(i), tip), seen = await picture(page);
    await ask(page, (hook) => hook.setTime(0.5));
    const down = await ask(page, (hook, i) => hook.bodyPosition(i), tip);
    expect(Math.hypot(...up.map((x, i) => x - down[i]!))).toBeGreaterThan(0);
    expect((await picture(page)).equals(seen)).toBe(false);
    await page.keyboard.press("ArrowDown");
  }
});

test("view serves all frames and samples, and ends cleanly with a page open", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const server = await serve("view", "top");
    const page = await show(server.address);
    // The report holds 2000 of them.
    expect(await ask(page, (hook) => hook.frames)).toBe(2001);
    await slide(page, 1.0005);
    const table = signals(at("top")), place = await ask(page, (hook) => hook.bodyPosition(0));
    expect(place[0]).toBeCloseTo(table.at("x", 1.0005), 5);
    expect(await server.end(signal)).toBe(0);
    expect(server.err).toBe("");
    await expect(server.ask("/")).rejects.toThrow(/ECONNREFUSED/);
  }
});

test("view compares two runs, as ghosts and side by side", async () => {
  const server = await serve("view", "top", "slow-top");
  const page = await show(server.address);
  await slide(page, 1.7);
  const tables = [signals(at("top")), signals(at("slow-top"))];
  const places = [await ask(page, (hook) => hook.bodyPosition(0, 0)), await ask(page, (hook) => hook.bodyPosition(0, 1))];
  places.forEach((place, run) => ["x", "y", "z"].forEach((name, i) => expect(place[i]).toBeCloseTo(tables[run]!.at(name, 1.7), 5)));
  expect(Math.hypot(...places[0]!.map((x, i) => x - places[1]![i]!))).toBeGreaterThan(0.05);
  expect(await page.locator(".pane-name span").allTextContents()).toEqual(["Heavy top (top)", "Heavy top (slow-top)"]);
  expect(await page.locator(".pane-name small").count()).toBe(0);
  const ghosts = await picture(page);
  await page.click("text=Side by side");
  expect(await page.locator(".pane-name").count()).toBe(2);
  expect((await picture(page)).equals(ghosts)).toBe(false);
  expect(await page.locator(".card").first().locator(".entry").count()).toBeGreaterThan(1);
});

/** Two balls that fall, in an order and with names of one's own. */
const balls = (...names: string[]): string => `[model]\nname = "Balls"\n${names.map((name, i) => `[[body]]\nname = "${name}"\ntype = "point"\nmass = 2\nposition = [${i}, 0, 0]\n`).join("")}[study]\nend = 1\nstep = 0.01\n[[signal]]\nname = "height"\nvalue = "${names[0]}.position.z"\n`;

test("runs of models that differ are matched by the names of bodies", async () => {
  writeFileSync(at("one.toml"), balls("red", "green"));
  writeFileSync(at("two.toml"), balls("blue", "red"));
  await succeed(folder, "run", "one.toml", "--out", "one");
  await succeed(folder, "run", "two.toml", "--out", "two");
  const server = await serve("view", "one", "two");
  const page = await show(server.address);
  expect(await page.locator(".pane-name small").allTextContents()).toEqual(["only here: blue · not here: green"]);
  await page.selectOption(".body-choice", { label: "red" });
  expect(await ask(page, (hook) => hook.selected())).toEqual(["red", "red"]);
});

test("run --watch follows the model file, shows a mistake, and recovers", async () => {
  const model = (mass: string, g: string): string => balls("ball").replace("mass = 2", `mass = ${mass}`).replace("[[body]]", `gravity = [0, 0, ${g}]\n[[body]]`);
  writeFileSync(at("watched.toml"), model("2", "-9.81"));
  const server = await serve("run", "watched.toml", "--watch", "--quiet");
  const page = await show(server.address);
  const height = (): Promise<number> => ask(page, (hook) => hook.bodyPosition(0)[2]!);
  await slide(page, 0.5);
  expect(await height()).toBeCloseTo(-9.81 / 8, 5); // −g t²/2
  await page.keyboard.press("5");
  await page.waitForTimeout(600);
  const camera = await page.locator(".triad").innerHTML();
  writeFileSync(at("watched.toml"), model("2", "-4"));
  await expect.poll(height, { timeout: 20_000 }).toBeCloseTo(-0.5, 5);
  expect(await ask(page, (hook) => hook.time())).toBeCloseTo(0.5, 9);
  expect(await page.locator(".triad").innerHTML()).toBe(camera);
  writeFileSync(at("watched.toml"), model("-2", "-4"));
  await page.waitForSelector(".banner.bad");
  expect(await page.textContent(".banner.bad")).toMatch(/the mass of `ball` must be positive.*the page follows/s);
  const diagnostic = (await page.textContent(".banner .diagnostic"))!;
  expect(diagnostic).toMatch(/watched\.toml:\d+:\d+/);
  expect(diagnostic.split("\n").length).toBeGreaterThan(3);
  expect(server.err).toContain(diagnostic.trim()); // the same in the terminal, caret and all
  expect(await page.textContent("header")).toMatch(/failed/);
  expect(await height()).toBeCloseTo(-0.5, 5); // the last good run stays
  writeFileSync(at("watched.toml"), model("2", "-8"));
  await expect.poll(height, { timeout: 20_000 }).toBeCloseTo(-1, 5);
  expect(await page.locator(".banner").count()).toBe(0);
  expect(await page.textContent("header")).toMatch(/completed/);
  expect(await server.end("SIGTERM")).toBe(0);
  opened.forEach(({ trouble }) => trouble.splice(0)); // the closed connection to the server is told in the console
});

test("nothing outside the results is served, to nobody but this machine", async () => {
  writeFileSync(at("secret.txt"), "secret");
  cpSync(at("top"), at("linked"), { recursive: true });
  rmSync(at("linked", "energy.svg"));
  symlinkSync(at("secret.txt"), at("linked", "energy.svg"));
  const server = await serve("view", "linked");
  for (const path of [
    "/../secret.txt", "/files/0/../secret.txt", "/files/0/../../secret.txt", "/files/0/%2e%2e%2fsecret.txt", "/files/0/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt",
    "/files/0/..%5csecret.txt", "/files/0//etc/passwd", "/files/0/%2fetc%2fpasswd", "//etc/passwd", "/etc/passwd", "/files/0/energy.svg", at("secret.txt"), `/files/0/${at("secret.txt")}`,
  ]) {
    const { status, body } = await server.ask(path);
    expect(status, path).toBeGreaterThanOrEqual(400);
    expect(status, path).toBeLessThan(500);
    expect(body, path).not.toMatch(/secret|root:/);
  }
  expect((await server.ask("/files/0/signals.svg")).status).toBe(200);
  for (const host of ["example.org", "example.org:80", `127.0.0.1.example.org:${server.port}`, "0.0.0.0"]) {
    const { status, body } = await server.ask("/api/runs", host);
    expect(status, host).toBe(403);
    expect(body, host).not.toContain("Heavy top");
  }
  // The kernel's own list of who listens where: 0100007F is 127.0.0.1.
  const listening = (file: string): string[] => readFileSync(file, "utf8").split("\n").map((line) => line.trim().split(/\s+/)).filter((part) => part[3] === "0A" && part[1]?.endsWith(`:${server.port.toString(16).toUpperCase().padStart(4, "0")}`)).map((part) => part[1]!.split(":")[0]!);
  expect(listening("/proc/self/net/tcp")).toEqual(["0100007F"]);
  expect(listening("/proc/self/net/tcp6")).toEqual([]);
});

test("a report cut short at any length says so", async () => {
  const whole = readFileSync(at("top", "report.html"));
  const data = whole.indexOf('id="poinsot-data">');
  mkdirSync(at("cut"), { recursive: true });
  const lengths: [number, RegExp][] = [
    [3000, /cut short/], [100_000, /cut short/], [data - 300, /cut short/], [data - 40, /cut off|cut short/], [data + 18, /cannot be read|cut/], [data + 500, /cannot be read/],
    [Math.round((data + whole.length) / 2), /cannot be read/], [whole.length - 200, /cannot be read/],
  ];
  for (const [length, message] of lengths) {
    writeFileSync(at("cut", "report.html"), whole.subarray(0, length));
    const page = await report("cut");
    expect(await page.textContent(".trouble"), `${length} of ${whole.length}`).toMatch(message);
    expect(await page.textContent(".trouble"), `${length}`).toMatch(/run the study again/i);
    const { err, code } = await poinsot(folder, "view", "cut");
    expect(code).toBe(2);
    expect(err).toMatch(/report\.html.*(cut short|EOF)/s);
  }
  // A style that is cut has another hash, and is not applied.
  for (const { trouble } of opened) trouble.splice(0, trouble.length, ...trouble.filter((text) => !text.includes("'style-src")));
});

/** Changes a digit of base64 in the middle of a block of the report. */
function flip(text: string, key: string): string {
  const from = text.indexOf('"data":"', text.indexOf(`"${key}":{"type"`)) + 8, i = (from + text.indexOf('"', from)) >> 1;
  return text.slice(0, i) + (text[i] === "Q" ? "R" : "Q") + text.slice(i + 1);
}

test("a flipped byte disables only what needs the block", async () => {
  const text = readFileSync(at("top", "report.html"), "utf8");
  mkdirSync(at("flipped"), { recursive: true });
  for (const [key, missing, scene] of [["reactions", "the reactions", 1], ["poses", "the scene and its motion", 0]] as const) {
    writeFileSync(at("flipped", "report.html"), flip(text, key));
    const page = await report("flipped");
    expect(await page.textContent(".banner.damage")).toMatch(new RegExp(`${missing}: .*frames\\.${key}: the numbers are not those that were written`));
    expect(await page.locator(".view canvas").count()).toBe(scene);
    expect(await page.locator(".card").count()).toBeGreaterThan(0);
    await page.click("#tab-audit");
    expect(await page.locator(".check").count()).toBeGreaterThan(2);
  }
});

test("without its frames or signals a result shows what the report holds; an empty folder is refused", async () => {
  cpSync(at("top"), at("bare"), { recursive: true });
  rmSync(at("bare", "motion.parquet"));
  const whole = readFileSync(at("bare", "signals.parquet"));
  writeFileSync(at("bare", "signals.parquet"), whole.subarray(0, whole.length / 2));
  const server = await serve("view", "bare", "top");
  const page = await show(server.address);
  expect(await ask(page, (hook) => hook.frames)).toBe(2000);
  await page.click("#tab-audit");
  expect(await page.textContent("#panel-audit")).toMatch(/motion\.parquet.*signals\.parquet/s);
  await page.selectOption(".run-choice", "1");
  expect(await ask(page, (hook) => hook.frames)).toBe(2001);
  await server.end();
  expect(server.err).toMatch(/motion\.parquet.*signals\.parquet/s);
  mkdirSync(at("empty"), { recursive: true });
  const { code, err } = await poinsot(folder, "view", "empty");
  expect(code).toBe(2);
  expect(err).toMatch(/`empty` is not a folder of results/);
});

/** A chain of cylinders that falls from the horizontal, hinge after hinge. */
function chain(links: number): string {
  const parts = ['[model]\nname = "Chain"'];
  for (let i = 1; i <= links; i++) {
    parts.push(`[[body]]\nname = "link${i}"\nshape = { type = "cylinder", radius = 0.01, length = 0.1, density = 7800 }\nposition = [${(0.1 * i - 0.05).toFixed(2)}, 0, 0]\norientation = { axis = [0, 1, 0], angle = "pi/2" }`);
    parts.push(`[[joint]]\nname = "pin${i}"\ntype = "revolute"\nbetween = ["${i === 1 ? "ground" : `link${i - 1}`}", "link${i}"]\nat = [${(0.1 * (i - 1)).toFixed(1)}, 0, 0]\naxis = [0, 1, 0]`);
  }
  return [...parts, "[study]\nend = 0.9999\nstep = 1e-4\noutput_step = 1e-4\ntolerance = 1e-6", '[[signal]]\nname = "tip"\nvalue = "link200.position.z"', ""].join("\n");
}

test("10 000 frames × 200 bodies: the report is thinned, the served page has them all, both stay interactive", async () => {
  writeFileSync(at("chain.toml"), chain(200));
  await succeed(folder, "run", "chain.toml", "--out", "chain", "--csv");
  const server = await serve("view", "chain");
  const page = readFileSync(new URL("../dist/viewer.html", import.meta.url)).length;
  const size = statSync(at("chain", "report.html")).size;
  // One million numbers of frames at most, 4 MB or 5.4 MB as base64; scene, signals and energies besides.
  expect(size).toBeLessThan(page + 5.4e6 + 0.6e6);
  const table = signals(at("chain"));
  for (const [what, address, frames] of [["report", pathToFileURL(at("chain", "report.html")).href, 384], ["served", server.address, 10_000]] as const) {
    const begin = performance.now();
    const shown = await show(address);
    const ready = performance.now() - begin;
    expect(await ask(shown, (hook) => hook.frames)).toBe(frames);
    if (what === "report") expect(await shown.textContent(".scale")).toMatch(/384 of 10000 frames/);
    else expect(await shown.textContent(".scale")).not.toMatch(/of 10000/);
    const playing = Math.min(await frameTime(shown), await frameTime(shown)); // what the machine does besides counts once at most
    await still(shown);
    const scrub = await shown.evaluate(() => {
      const hook = window.poinsot as unknown as Hook;
      const start = performance.now();
      for (let i = 0; i < 300; i++) hook.setTime((i * 0.07919 + 0.00007) % 0.999);
      return (performance.now() - start) / 300;
    });
    await slide(shown, 0.7);
    const place = await ask(shown, (hook) => hook.bodyPosition(199));
    expect(place[2]).toBeCloseTo(table.at("tip", 0.7), 3);
    const calls = await ask(shown, (hook) => hook.drawCalls());
    console.log(`10 000 × 200, ${what}: ${what === "report" ? `${(size / 1e6).toFixed(2)} MB, ` : ""}shown after ${(ready / 1000).toFixed(1)} s; playing ${playing.toFixed(0)} ms a frame with software GL; scrubbing ${scrub.toFixed(2)} ms; ${calls} draw calls`);
    expect(ready).toBeLessThan(30_000);
    expect(playing).toBeLessThan(250);
    expect(scrub).toBeLessThan(50);
    expect(calls).toBeLessThan(20);
  }
});

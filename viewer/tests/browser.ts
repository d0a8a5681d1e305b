/** A fresh headless browser for the end-to-end tests, with WebGL in software and no network. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { fillPage } from "./payloads";

export const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const folder = mkdtempSync(join(tmpdir(), "poinsot-viewer-"));

export const launch = (options: object = {}): Promise<BrowserContext> => chromium.launchPersistentContext(mkdtempSync(join(folder, "profile-")), {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS, viewport: { width: 1440, height: 860 }, ...options,
});

export interface Hook {
  time(): number; setTime(t: number): void; playing(): boolean; bodyPosition(i: number, run?: number): number[]; selected(): (string | null)[];
  frames: number; drawCalls(): number; looksAt(): number[]; ghost(): boolean; errors: string[];
}
/** Asks the page's hook; the question is a function of its own, since it runs in the page. */
export const ask = <T>(page: Page, question: (hook: Hook, argument: number) => T, argument = 0): Promise<T> =>
  page.evaluate(`(${question})(window.poinsot, ${argument})`) as Promise<T>;

/** Stops the playback. */
export const still = async (page: Page): Promise<void> => {
  if (await ask(page, (hook) => hook.playing())) await page.keyboard.press("Space");
};

/** Pixels of the scene, to see that something is drawn and that it changes. */
export const picture = async (page: Page): Promise<Buffer> => {
  await page.waitForTimeout(120);
  return page.locator(".view canvas").screenshot();
};

/** The first number in a text. */
export const numbers = (text: string | null): number => Number(/[−-]?\d+(\.\d+)?(e[−-]?\d+)?/.exec(text ?? "")?.[0]?.replace(/−/g, "-"));

export interface Opened { page: Page; trouble: string[]; requests: string[] }

/** Opens an address, and writes down what the page complains about and asks for. */
export async function visit(context: BrowserContext, address: string): Promise<Opened> {
  const page = await context.newPage();
  const trouble: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(message.text());
  });
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  await page.waitForSelector("header h1, .trouble", { timeout: 60_000 });
  return { page, trouble, requests };
}

/** Writes the page with a payload (or raw text) to disk and opens it from there. */
export function open(context: BrowserContext, name: string, payload: object | string): Promise<Opened> {
  const file = join(folder, `${name}.html`);
  const built = readFileSync(new URL("../dist/viewer.html", import.meta.url), "utf8");
  writeFileSync(file, fillPage(built, typeof payload === "string" ? payload : JSON.stringify(payload)));
  return visit(context, pathToFileURL(file).href);
}

/** Median time between drawn frames while something moves, in ms. */
export const frameTime = (page: Page, count = 40): Promise<number> => page.evaluate(async (n) => {
  const times: number[] = [];
  let last = await new Promise<number>(requestAnimationFrame);
  for (let i = 0; i < n; i++) {
    const now = await new Promise<number>(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times.sort((a, b) => a - b)[n >> 1]!;
}, count);

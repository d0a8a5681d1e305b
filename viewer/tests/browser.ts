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

export interface Opened { page: Page; trouble: string[]; requests: string[] }

/** Writes the page with a payload (or raw text) to disk and opens it from there. */
export async function open(context: BrowserContext, name: string, payload: object | string): Promise<Opened> {
  const file = join(folder, `${name}.html`);
  const built = readFileSync(new URL("../dist/viewer.html", import.meta.url), "utf8");
  writeFileSync(file, fillPage(built, typeof payload === "string" ? payload : JSON.stringify(payload)));
  const page = await context.newPage();
  const trouble: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(message.text());
  });
  page.on("pageerror", (error) => trouble.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("header h1, .trouble", { timeout: 60_000 });
  return { page, trouble, requests };
}

/** Entry: read the results, build the page; whatever goes wrong is said in the page. */
import { currentApp, start } from "./app";
import { PayloadError } from "./blocks";
import { fetchPayload, loadPayload, type Payload } from "./data";
import { button, h } from "./dom";
import "./style.css";

declare global {
  interface Window { poinsot?: { errors: string[] } & Record<string, unknown> }
}

// The file may end before the place that is meant for it.
const root = document.getElementById("app") ?? document.body.appendChild(h("div", { id: "app" }));
const errors: string[] = [];
window.poinsot = { errors };
addEventListener("error", (event) => errors.push(event.message));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));

function explain(error: unknown): HTMLElement {
  const known = error instanceof PayloadError;
  const message = error instanceof Error ? error.message : String(error);
  return h("div", { class: "trouble", role: "alert" },
    h("h1", {}, "The results cannot be shown"),
    h("p", {}, known ? message : `The page ran into an error: ${message}`),
    h("p", {}, known ? error.remedy : "Reload the page; if it happens again, run the study again to write a new report."));
}

/** In watch mode the server tells when results changed; a failed reading leaves the page as it was. */
function follow(): void {
  const changes = new EventSource("api/changes");
  let told = 0;
  changes.addEventListener("changed", async () => {
    const number = ++told;
    let payload: Payload;
    try {
      payload = await fetchPayload();
    } catch (error) {
      if (number === told) notify(error);
      return;
    }
    // What came in while the results changed again may be of both; the next reading is under way.
    if (number !== told) return;
    const app = currentApp();
    const saved = app?.saved ?? null;
    app?.dispose();
    build(payload, saved);
  });
}

function notify(error: unknown): void {
  const box = explain(error);
  box.className = "banner bad";
  box.append(button("×", "Close", () => box.remove(), "quiet"));
  root.querySelector(".banners")?.replaceChildren(box);
}

function build(payload: Payload, saved: Parameters<typeof start>[2]): void {
  try {
    start(root, payload, saved);
  } catch (error) {
    console.error(error);
    root.replaceChildren(explain(error));
  }
}

try {
  const payload = await loadPayload();
  // The text of the block data is not needed any more; a large report would keep it twice.
  document.getElementById("poinsot-data")?.replaceChildren();
  build(payload, null);
  if (payload.live) follow();
} catch (error) {
  root.replaceChildren(explain(error));
}

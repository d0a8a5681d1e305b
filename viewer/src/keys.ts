/** Keyboard shortcuts; typing in a field is left alone. */

export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

export function listenKeys(shortcuts: Shortcuts, signal: AbortSignal): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (target.closest("dialog[open]")) return;
    const slider = target instanceof HTMLInputElement && target.type === "range";
    const timeline = slider && target.classList.contains("slider");
    if (target.matches("input:not([type=range]):not([type=checkbox]), select, textarea") && event.key !== "Escape") return;
    // Keys that move within a control belong to it.
    if (slider && !timeline && /^(Arrow|Home|End)/.test(event.key)) return;
    if (target.matches("[role=tab]") && /^(Arrow|Home|End)/.test(event.key)) return;
    if (event.key === " " && target.matches("button, summary, [type=checkbox]")) return;
    const action = shortcuts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  }, { signal });
}

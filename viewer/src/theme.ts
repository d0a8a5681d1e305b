/** Light, dark or what the system says; and the colours that canvas drawings cannot take from the style sheet. */

export type Theme = "system" | "light" | "dark";
const KEY = "poinsot-theme";
const listeners = new Set<() => void>();
const system = matchMedia("(prefers-color-scheme: dark)");

let chosen: Theme = stored();

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // Storage may be closed to pages from disk.
  }
}

export const theme = (): Theme => chosen;
export const isDark = (): boolean => (chosen === "system" ? system.matches : chosen === "dark");

/** Calls back on every change until the signal is aborted. */
export function onTheme(listener: () => void, signal: AbortSignal): void {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

export function setTheme(value: Theme): void {
  chosen = value;
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // Then the choice lasts as long as the page.
  }
  apply();
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

system.addEventListener("change", apply);
apply();

/** Colours told apart with any kind of colour vision (after Okabe and Ito), tuned per background. */
const LIGHT = ["#0072b2", "#d55e00", "#00805d", "#b8568f", "#a87400", "#2f8fc9", "#6a4fa3", "#7a5c20"];
const DARK = ["#56b4e9", "#f28e4b", "#3fc79a", "#e6a1cb", "#f0c04a", "#8fd0f5", "#b79ae0", "#c9ae6b"];

export const lineColor = (i: number): string => (isDark() ? DARK : LIGHT)[i % LIGHT.length]!;
export const runColor = lineColor;

const SOLIDS = ["#5b8fc0", "#e0925a", "#57a88a", "#c98bb0", "#d6b556", "#7fbfe0", "#9885c4", "#b08f5e"];
export const solidColor = (i: number): string => SOLIDS[i % SOLIDS.length]!;

export interface SceneColors { background: string; grid: string; ink: string; joint: string; spring: string; load: string; reaction: string; beam: string; select: string; shadow: string }

export const sceneColors = (): SceneColors => isDark()
  ? { background: "#161a20", grid: "#8794a6", ink: "#e6eaf0", joint: "#c9d1db", spring: "#aab4c2", load: "#ff8a73", reaction: "#6fd0b5", beam: "#9fb4cc", select: "#ffd24a", shadow: "#9aa5b3" }
  : { background: "#f4f6f8", grid: "#5a6675", ink: "#1d2530", joint: "#3f4a57", spring: "#6a7685", load: "#c93a1e", reaction: "#007a5e", beam: "#7f9bb8", select: "#d08700", shadow: "#7c8794" };

/** Signs drawn as vectors: the reader's fonts may lack them. */

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  play: "M5 3l9 5.5L5 14z",
  pause: "M4 3h3v11H4zM10 3h3v11h-3z",
  first: "M3 3h2v11H3zM14 3v11L6 8.5z",
  last: "M12 3h2v11h-2zM3 3v11l8-5.5z",
  back: "M11 3v11L4 8.5z",
  on: "M6 3v11l7-5.5z",
  repeat: "M4 7a5 5 0 0 1 8.5-2.2V3h1.6v4.6H9.5V6h2A3.4 3.4 0 0 0 5.6 7.4zM13 10a5 5 0 0 1-8.5 2.2V14H2.9V9.4h4.6V11h-2a3.4 3.4 0 0 0 5.9-1.4z",
  system: "M8.5 1.5a7 7 0 1 0 0 14zM8.5 1.5a7 7 0 0 1 0 14v-1.6a5.4 5.4 0 0 0 0-10.8z",
  light: "M8.5 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM7.8 0h1.4v3H7.8zM7.8 14h1.4v3H7.8zM0 7.8h3v1.4H0zM14 7.8h3v1.4h-3zM2 3l1-1 2.1 2.1-1 1zM12 13l1-1 2.1 2.1-1 1zM14 2l1 1-2.1 2.1-1-1zM4 12l1 1-2.1 2.1-1-1z",
  dark: "M11 1.8A7 7 0 1 0 15.3 11 6 6 0 0 1 11 1.8z",
} as const;
export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 17 17");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

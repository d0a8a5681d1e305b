/** What belongs to a run in words: summary, files, the model's source and the log. */
import type { Run } from "./data";
import { h, paragraphs } from "./dom";

export function summaryPanel(run: Run): HTMLElement {
  const { frames, signals } = run.kept;
  const kept: [string, string][] = [];
  if (frames && frames[0] < frames[1]) kept.push(["Frames in this page", `${frames[0]} of ${frames[1]}`]);
  if (signals && signals[0] < signals[1]) kept.push(["Samples in this page", `${signals[0]} of ${signals[1]}`]);
  return h("div", { class: "document" },
    h("h2", {}, "Summary"),
    h("dl", {}, ...[["Study", run.study] as [string, string], ...run.summary, ...kept, ...(run.folder ? [["Folder", run.folder] as [string, string]] : [])]
      .flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, ...(text.includes("\n") ? paragraphs(text) : [text]))])),
    ...(run.files.length > 0 ? [h("h2", {}, "Files"), h("dl", { class: "files" }, ...run.files.flatMap(([name, text]) => [h("dt", {}, h("code", {}, name)), h("dd", {}, text)]))] : []));
}

/** Numbered lines; the numbers are drawn by the style sheet, so that copying takes the text only. */
export function sourcePanel(text: string): HTMLElement {
  const lines = text.replace(/\n$/, "").split("\n");
  return h("pre", { class: "source", tabindex: 0 }, ...lines.map((line) => h("code", {}, `${line}\n`)));
}

export const logPanel = (text: string): HTMLElement => h("pre", { class: "log", tabindex: 0 }, text);

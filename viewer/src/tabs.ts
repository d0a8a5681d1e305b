/** Tabs with the keyboard behaviour readers of web pages know. */
import { h } from "./dom";

export interface Tab { id: string; label: string; content: HTMLElement; badge?: HTMLElement }

export class Tabs {
  readonly element: HTMLElement;
  current: string;
  private readonly buttons: Map<string, HTMLButtonElement>;

  constructor(private readonly tabs: Tab[], current: string | undefined, private readonly onchange: () => void) {
    this.current = tabs.some(({ id }) => id === current) ? current! : tabs[0]!.id;
    this.buttons = new Map(tabs.map(({ id, label, badge }) => [id, h("button", {
      type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => this.show(id),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    }, label, badge)]));
    for (const { id, content } of tabs) {
      content.setAttribute("role", "tabpanel");
      content.id = `panel-${id}`;
      content.setAttribute("aria-labelledby", `tab-${id}`);
      content.classList.add("panel");
    }
    this.element = h("div", { class: "side" },
      h("div", { class: "tabs", role: "tablist" }, ...this.buttons.values()), ...tabs.map(({ content }) => content));
    this.show(this.current);
  }

  show(id: string): void {
    this.current = id;
    for (const tab of this.tabs) {
      const on = tab.id === id;
      tab.content.hidden = !on;
      const button = this.buttons.get(tab.id)!;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
    }
    this.onchange();
  }

  private key(event: KeyboardEvent): void {
    const at = this.tabs.findIndex(({ id }) => id === this.current), last = this.tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.show(this.tabs[to]!.id);
    this.buttons.get(this.tabs[to]!.id)!.focus();
  }
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The licences of what is bundled ask to go with every copy. */
const notices = ["three", "uplot"]
  .map((name) => `${name}\n${readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8").trim()}`)
  .join("\n\n");

/**
 * Nothing runs and nothing looks but what was built: scripts and styles are known by their hashes, and data are asked for only where
 * the page comes from. The data element is no script that runs, so it needs no hash.
 */
function policy(html: string): string {
  const hashes = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}(?: type="module")?>([^]*?)</${tag}>`, "g"))]
      .map(([, text]) => `'sha256-${createHash("sha256").update(text!).digest("base64")}'`)
      .join(" ");
  return [
    "default-src 'none'",
    `script-src ${hashes("script")}`,
    `style-src ${hashes("style")}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Puts the script and the style into the page, so that the report is one file that opens from disk. */
function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["viewer.html"];
      if (page?.type !== "asset") throw new Error("viewer.html is missing from the bundle");
      let html = String(page.source);
      for (const [file, part] of Object.entries(bundle)) {
        if (part === page) continue;
        if (part.type === "chunk") {
          // A closing tag or an opening comment inside the script would end it early.
          const code = part.code.replace(/<\/script/g, "<\\/script").replace(/<!--/g, "<\\!--");
          html = html.replace(/\s*<script type="module"[^>]*src="[^"]*"[^>]*><\/script>/, "");
          // In the head and deferred: it runs, and can complain, even when the data at the end are cut short.
          html = html.replace("</head>", () => `<script type="module">${code}</script>\n</head>`);
        } else {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${part.source}</style>`);
        }
        delete bundle[file];
      }
      html = html.replace(/(http-equiv="Content-Security-Policy" content=")[^"]*/, (_, start) => start + policy(html));
      page.source = html.replace("</head>", () => `<!--\n${notices}\n-->\n</head>`);
    },
  };
}

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1300,
    rolldownOptions: { input: "viewer.html" },
  },
  plugins: [singleFile()],
  test: { include: ["tests/*.spec.ts"], exclude: ["tests/e2e.spec.ts", "tests/program.spec.ts", "tests/shots.spec.ts", "tests/gallery.spec.ts"] },
});

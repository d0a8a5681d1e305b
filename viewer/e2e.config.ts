import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["tests/e2e.spec.ts", "tests/program.spec.ts", "tests/shots.spec.ts", "tests/gallery.spec.ts"], testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false },
});
